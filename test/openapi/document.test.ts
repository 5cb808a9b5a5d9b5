import { Validator } from '@seriousme/openapi-schema-validator'
import { describe, expect, it } from 'vitest'
import type { RegisterRoutes } from '../../src/http/context/server-context.ts'
import { ROUTES } from '../../src/http/routes.ts'
import { listOperations, misfit, OPENAPI, responseOf } from '../support/openapi-document.ts'
import { startServer } from '../support/start-server.ts'

const operations = listOperations()

describe('schema/openapi.json', () => {
  it('is valid OpenAPI 3.0.3', async () => {
    expect(OPENAPI.openapi).toBe('3.0.3')
    expect(await new Validator().validate(structuredClone(OPENAPI))).toEqual({ valid: true })
  })

  it('describes exactly the routes that the server has', async () => {
    const routes = new Set<string>()
    const note: RegisterRoutes = (scope) =>
      scope.addHook('onRoute', ({ method, url }) => {
        for (const each of [method].flat()) if (each !== 'HEAD') routes.add(`${each} ${url.replace(/:(\w+)/g, '{$1}')}`)
      })
    const noted = Object.entries(ROUTES).map(([prefix, endpoints]) => [prefix, [note, ...endpoints]])
    await startServer({
      server: { metrics_enabled: true, webhook_secret_file: '/unread' },
      routes: Object.fromEntries(noted),
    })
    expect(operations.map(({ method, path }) => `${method} ${path}`).sort()).toEqual([...routes].sort())
  })

  it.each([
    ['POST', '/api/v1/prompt', 'executePrompt'],
    ['POST', '/api/v1/parallel', 'executeParallel'],
    ['POST', '/api/v1/chain', 'executeChain'],
    ['POST', '/api/v1/compare', 'executeCompare'],
    ['GET', '/api/v1/backends', 'listBackends'],
    ['GET', '/api/v1/sessions', 'listSessions'],
    ['GET', '/api/v1/sessions/{id}', 'getSession'],
    ['DELETE', '/api/v1/sessions/{id}', 'deleteSession'],
    ['GET', '/health', 'healthCheck'],
    ['GET', '/openai/v1/models', 'openaiListModels'],
    ['POST', '/openai/v1/chat/completions', 'openaiChatCompletions'],
    ['POST', '/anthropic/v1/messages', 'anthropicCreateMessage'],
  ])('names the operation %s %s %s', (method, path, id) => {
    expect(OPENAPI.paths[path]?.[method.toLowerCase()]?.operationId).toBe(id)
  })

  it('gives every operation a unique id and a listed tag', () => {
    const ids = operations.map(({ operation }) => operation.operationId)
    expect(new Set(ids).size).toBe(ids.length)
    const tags = OPENAPI.tags.map(({ name }) => name)
    expect(operations.flatMap(({ operation }) => operation.tags).filter((tag) => !tags.includes(tag))).toEqual([])
  })

  it('requires a key except where none is needed', () => {
    const open = operations.filter(({ operation }) => operation.security?.length === 0).map(({ path }) => path)
    expect(open).toEqual([
      '/api/v1/login',
      '/hooks/github',
      '/health',
      '/ready',
      '/openapi.json',
      '/docs',
      '/docs/{asset}',
      '/',
      '/console/{asset}',
    ])
  })

  it.each([
    ['/api/v1/prompt', ['application/json', 'application/x-ndjson']],
    ['/api/v1/sessions/{id}/resume', ['application/json', 'application/x-ndjson']],
    ['/openai/v1/chat/completions', ['application/json', 'text/event-stream']],
    ['/anthropic/v1/messages', ['application/json', 'text/event-stream']],
  ])('offers %s as a whole and as a stream', (path, types) => {
    const operation = OPENAPI.paths[path]?.['post']
    expect(Object.keys((operation && responseOf(operation, 200)?.content) ?? {})).toEqual(types)
  })

  it.each([
    ['/api/v1/prompt', 'application/json', ['400', '401', '405', '413', '415', '429', '500', '503', 'default']],
    [
      '/openai/v1/chat/completions',
      'application/problem+json',
      ['400', '401', '413', '415', '429', '500', '503', '504'],
    ],
    ['/anthropic/v1/messages', 'application/problem+json', ['400', '401', '413', '415', '429', '500', '503', '504']],
  ])('lists the errors of %s', (path, mediaType, statuses) => {
    const operation = OPENAPI.paths[path]?.['post']
    expect(Object.keys(operation?.responses ?? {})).toEqual(expect.arrayContaining(statuses))
    for (const status of statuses.filter((each) => each !== 'default')) {
      const media = operation && responseOf(operation, Number(status))?.content?.[mediaType]
      expect(Object.keys(media?.examples ?? {}), status).not.toEqual([])
    }
  })

  it('uses every component that it defines', () => {
    const text = JSON.stringify(OPENAPI)
    const { schemas, responses, headers } = OPENAPI.components
    const unused = [schemas, responses, headers].flatMap(Object.keys).filter((name) => !text.includes(`/${name}"`))
    expect(unused).toEqual([])
  })
})

describe('the examples of schema/openapi.json', () => {
  const examples = operations.flatMap(({ method, path, operation }) => {
    const responses = Object.keys(operation.responses).map((status) => responseOf(operation, Number(status)))
    const contents = [operation.requestBody?.content, ...responses.map((response) => response?.content)]
    return contents
      .flatMap((content) => Object.values(content ?? {}))
      .flatMap(({ schema, examples = {} }) =>
        Object.entries(examples).map(([name, { value }]) => ({ name: `${name} of ${method} ${path}`, schema, value })),
      )
  })

  it('exist', () => expect(examples.length).toBeGreaterThan(100))

  it('match their schemas', () => {
    const wrong = examples.flatMap(({ name, schema, value }) => {
      const problem = misfit(schema, value)
      return problem === null ? [] : [`${name}: ${problem}`]
    })
    expect(wrong).toEqual([])
  })

  it('would not match with an undescribed field', () => {
    const example = examples.find(({ name }) => name === 'answered of POST /api/v1/prompt')
    expect(misfit(example?.schema ?? {}, { ...(example?.value as object), surprise: 1 })).toContain('additional')
  })
})
