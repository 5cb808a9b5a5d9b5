/** Another agent answers if the one that a request asks for is limited: on every API, and only before an answer begins. */
import { createHash } from 'node:crypto'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import type { Execution } from '../../src/executions/store/execution.shape.ts'
import type { PromptResult } from '../../src/prompts/prompt-result.ts'
import type { Script } from '../fake-agent/script.ts'
import { installFakeAgent } from '../support/fake-agent.ts'
import { type ServerOptions, startServer } from '../support/start-server.ts'

const LIMITED: Script = { fail: 429, failText: 'usage limit reached, try again in 3 hours 12 minutes' }
const RULES = { server: { fallback_rules: ['sonnet=codex'] } }
const messages = [{ role: 'user', content: 'say hello' }]

/** `claude` follows the script, and the other agents answer. */
async function startLimited(script: Script, options: ServerOptions = RULES) {
  const server = await startServer(options)
  installFakeAgent(join(server.home, '..', 'bin'), 'claude', { script })
  const post = (path: string, body: object, headers = {}) => server.request(path, { method: 'POST', body, headers })
  const prompt = (body: object) => post('/api/v1/prompt', { backend: 'claude', prompt: 'say hello', ...body })
  return { server, post, prompt }
}

describe('a prompt with a fallback', () => {
  it('is answered by the next agent, which the execution and its events name', async () => {
    const { server, prompt } = await startLimited(LIMITED)
    const { status, headers, body } = await prompt({ fallback: ['codex'] })
    const result = body as PromptResult
    expect({ status, fallback: headers['x-drover-fallback'] }).toEqual({ status: 200, fallback: 'codex' })
    const error = 'usage limit reached, try again in 3 hours 12 minutes'
    expect(result).toMatchObject({
      backend: 'codex',
      exit_code: 0,
      fallback_from: [{ backend: 'claude', error_code: 'agent_usage_limited', error: expect.stringContaining(error) }],
      warnings: [expect.stringMatching(/^codex answers in place of claude: .*usage limit reached/)],
    })
    expect(headers['x-execution-id']).toBe(result.execution_id)
    const stored = (await server.request(`/api/v1/executions/${result.execution_id}`)).body as Execution
    expect(stored).toMatchObject({ backend: 'codex', session_id: result.session_id, state: 'completed' })
    expect(stored.result).toMatchObject({ fallback_from: result.fallback_from })
    const { text } = await server.request(`/api/v1/executions/${result.execution_id}/events`)
    expect(text.match(/"type":"(init|error)"/g)).toEqual(['"type":"init"'])
  })

  const APIS: readonly (readonly [string, string, object, Record<string, string>])[] = [
    ['the native API', '/api/v1/prompt', { backend: 'claude', model: 'sonnet', prompt: 'hello' }, {}],
    ['chat completions', '/openai/v1/chat/completions', { model: 'sonnet', messages }, {}],
    ['responses', '/openai/v1/responses', { model: 'sonnet', input: 'hello' }, {}],
    [
      'messages',
      '/anthropic/v1/messages',
      { model: 'sonnet', max_tokens: 9, messages },
      { 'anthropic-version': '2023-06-01' },
    ],
  ]

  it.each(APIS)('is answered on %s, with and without a stream, and a header names the agent', async (_, ...api) => {
    const [path, body, sent] = api
    const { post } = await startLimited(LIMITED)
    const streamed = path.startsWith('/api') ? { output_format: 'stream-json' } : { stream: true }
    for (const way of [{}, streamed]) {
      const { status, headers, text } = await post(path, { ...body, ...way }, sent)
      expect({ status, fallback: headers['x-drover-fallback'] }).toEqual({ status: 200, fallback: 'codex' })
      if (!path.startsWith('/api')) expect(headers['x-drover-backend']).toBe('codex')
      expect(text).not.toMatch(/"type": ?"error"/)
    }
  })

  it.each<[string, Script, string]>([
    ['a usage limit', LIMITED, 'codex'],
    ['an overloaded service', { fail: 529 }, 'codex'],
    [
      'a used up credit',
      { fail: 400, failText: 'Your credit balance is too low to access the Anthropic API.' },
      'codex',
    ],
    ['a missing login', { fail: 401 }, 'codex'],
    ['a request that is rejected', { fail: 400 }, 'claude'],
    ['an agent that crashes', { crashAfter: 'init' }, 'claude'],
    ['a limit after the first words', { text: ['one'], crashAfter: 'word' }, 'claude'],
    ['an answer', {}, 'claude'],
  ])('after %s is not lost: the result says who got it last', async (_, script, backend) => {
    const { prompt } = await startLimited(script)
    const { headers, body } = await prompt({ fallback: ['codex'], ephemeral: true })
    expect(body).toMatchObject({ backend })
    expect(headers['x-drover-fallback']).toBe(backend === 'codex' ? 'codex' : undefined)
  })

  it('passes agents that cannot run it, and names all of them if no agent answers', async () => {
    const { server, prompt } = await startLimited(LIMITED, { config: { backends: { gemini: { enabled: false } } } })
    const found = await prompt({ fallback: ['gemini', 'codex'] })
    const fallen = [
      { backend: 'claude', error_code: 'agent_usage_limited' },
      { backend: 'gemini', error_code: 'backend_unavailable' },
    ]
    expect(found.body).toMatchObject({ backend: 'codex', fallback_from: fallen })
    installFakeAgent(join(server.home, '..', 'bin'), 'codex', { script: { fail: 529 } })
    const failed = await prompt({ fallback: ['gemini', 'codex'] })
    expect(failed.body).toMatchObject({ backend: 'codex', error_code: 'agent_overloaded', fallback_from: fallen })
    expect(await prompt({ fallback: ['nobody'] })).toMatchObject({ status: 400, body: { error: 'backend_not_found' } })
  })

  it('follows the rules of its key before those of the server', async () => {
    const key = (name: string, fallback?: readonly string[]) => {
      const sha256 = createHash('sha256').update(name.repeat(20)).digest('hex')
      return { name, sha256, ...(fallback !== undefined && { fallback }) }
    }
    const keys = [key('a', ['gemini']), key('b', []), key('c')]
    const { post } = await startLimited(LIMITED, { server: { fallback_rules: ['claude=codex'], keys } })
    const answers = await Promise.all(
      keys.map(({ name }) =>
        post('/api/v1/prompt', { backend: 'claude', prompt: 'hello' }, { authorization: `Bearer ${name.repeat(20)}` }),
      ),
    )
    expect(answers.map(({ body }) => (body as PromptResult).backend)).toEqual(['gemini', 'claude', 'codex'])
  })

  it('stays with the agent of a session, and compares the agents that were named', async () => {
    const { server, post, prompt } = await startLimited({}, { server: { fallback_rules: ['*=codex'] } })
    const { session_id: session } = (await prompt({})).body as PromptResult
    installFakeAgent(join(server.home, '..', 'bin'), 'claude', { script: LIMITED })
    expect((await post(`/api/v1/sessions/${session}/resume`, { prompt: 'and now?' })).body).toMatchObject({
      backend: 'claude',
      error_code: 'agent_usage_limited',
    })
    const compared = await post('/api/v1/compare', { prompt: 'hello', backends: ['claude', 'codex'] })
    expect(compared.body).toMatchObject({ results: [{ backend: 'claude' }, { backend: 'codex' }] })
  })
})
