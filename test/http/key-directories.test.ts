/** An API key whose agents work only in some directories. */
import { mkdirSync, realpathSync, symlinkSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { describe, expect, it } from 'vitest'
import { digest } from '../../src/kit/digest.ts'
import { connectClient } from '../support/mcp-client.ts'
import { createPostgresDatabase, POSTGRES_PROGRAMS } from '../support/postgres.ts'
import { temporaryDirectory } from '../support/run-drover.ts'
import { GOAL, RUNS, runClient, serveRuns } from '../support/served-runs.ts'
import { type ServerOptions, startServer } from '../support/start-server.ts'

const SECRET = 'a-key-with-its-own-directories'
const headers = { authorization: `Bearer ${SECRET}` }
const keyWith = (more: object) => ({ name: 'ci', sha256: digest(SECRET).replace('sha256:', ''), ...more })
const asking = (pause: object) => ({ outcome: { status: 'needs_input', pause, suggested_actions: [] } })
const QUESTION = asking({ reason: 'decision_required', question: 'Knots or km/h?', destructive_request: null })
const prompt = { backend: 'claude', prompt: 'say hello' }
const messages = [{ role: 'user', content: 'say hello' }]

/** Directories `a`, `a/inner`, `ab` and `way`, a link in `a` to `ab`. The key may work in `a`. */
async function start({ server: section, ...options }: ServerOptions = {}) {
  const root = realpathSync(temporaryDirectory())
  mkdirSync(join(root, 'a', 'inner'), { recursive: true })
  mkdirSync(join(root, 'ab'))
  symlinkSync(join(root, 'ab'), join(root, 'a', 'way'))
  const at = (path: string) => join(root, path)
  const keys = [keyWith({ directories: [at('a')] })]
  const server = await startServer({ ...options, server: { keys, ...section } })
  const post = (path: string, body: object, more: Record<string, string> = {}) =>
    server.request(path, { method: 'POST', body, headers: { ...headers, ...more } })
  const refusal = expect.stringMatching(
    new RegExp(`is not allowed by directories of the key ci; choose one of them: ${at('a')}`),
  )
  return { server, at, post, refusal }
}

describe('a key with directories', () => {
  it.each(['a', 'a/inner', 'a/inner/..', 'ab/../a'])('works in %s', async (path) => {
    const { post, at } = await start()
    expect((await post('/api/v1/prompt', { ...prompt, workdir: `${at('')}/${path}`, dry_run: true })).status).toBe(200)
  })

  it.each(['ab', 'a/../ab', 'a/way', '.', 'nowhere'])('does not work in %s', async (path) => {
    const { post, at, refusal } = await start()
    const workdir = `${at('')}${path}`
    const batches: [string, object][] = [
      ['prompt', { ...prompt, workdir }],
      ['prompt', { ...prompt, additional_directories: [workdir] }],
      ['compare', { prompt: 'x', backends: ['claude'], workdir, dry_run: true }],
    ]
    const sent = await Promise.all(batches.map(([name, body]) => post(`/api/v1/${name}`, body)))
    const [one, more, compared] = sent
    for (const each of [one, more])
      expect([each?.status, each?.body]).toMatchObject([400, { error: 'workdir_not_allowed', message: refusal }])
    expect(compared?.body).toMatchObject({ results: [{ error_code: 'workdir_not_allowed', error: refusal }] })
  })

  it('does not work elsewhere through any API', async () => {
    const { server, post, at, refusal } = await start()
    const [there, here] = [at('ab'), at('a')]
    const tasks = { tasks: [{ ...prompt, workdir: there }] }
    expect((await post('/api/v1/parallel', tasks)).body).toMatchObject({ results: [{ error: refusal }] })
    const steps = { steps: [{ ...prompt, workdir: there }] }
    expect((await post('/api/v1/chain', steps)).text).toContain('directories of the key ci')
    const compatible: [string, object][] = [
      ['/openai/v1/chat/completions', { model: 'claude', messages }],
      ['/openai/v1/responses', { model: 'claude', input: 'say hello' }],
      ['/anthropic/v1/messages', { model: 'claude', messages, max_tokens: 9 }],
    ]
    for (const [path, body] of compatible) {
      const version = { 'anthropic-version': '2023-06-01' }
      const refused = await post(path, body, { ...version, 'x-drover-workdir': there })
      expect([path, refused.status, refused.text]).toEqual([path, 400, refusal])
      expect((await post(path, body, { ...version, 'x-drover-workdir': here })).status).toBe(200)
    }
    const { call } = await connectClient(
      new StreamableHTTPClientTransport(new URL(`${server.url}/mcp`), { requestInit: { headers } }),
    )
    expect(await call('prompt', { ...prompt, workdir: there })).toMatchObject({ isError: true, text: refusal })
    expect(await call('prompt', { ...prompt, workdir: here })).toMatchObject({ isError: false })
  })

  it('works in the first of them if a request names none, and is told so', async () => {
    const { server, post, at } = await start({ agents: 'demo' })
    const { body } = await post('/api/v1/prompt', prompt)
    const session = await server.request(`/api/v1/sessions/${(body as { session_id: string }).session_id}`, { headers })
    expect(session.body).toMatchObject({ working_dir: at('a') })
    const me = await server.request('/api/v1/me', { headers })
    expect(me.body).toMatchObject({ workdir: at('a'), workdirs: [at('a')] })
  })

  it('works only where the server allows it', async () => {
    const { post, at } = await start({ server: { allowed_workdir_prefixes: ['/srv'] } })
    const refused = await post('/api/v1/prompt', { ...prompt, workdir: at('a') })
    expect([refused.status, refused.text]).toEqual([400, expect.stringContaining('server.allowed_workdir_prefixes')])
  })

  it('passes an agent no argument that could add others', async () => {
    const { post, at } = await start({ server: { allow_unsafe_extra: true } })
    const refused = await post('/api/v1/prompt', { ...prompt, extra: ['--add-dir', at('ab')], dry_run: true })
    expect([refused.status, refused.body]).toMatchObject([400, { error: 'extra_above_ceiling' }])
    expect(refused.text).toContain('could override directories of the key ci')
  })

  it('does not resume a session that is in another one', async () => {
    const { server, post, at, refusal } = await start({ agents: 'demo', server: { keys: [keyWith({})] } })
    const { body } = await post('/api/v1/prompt', { ...prompt, workdir: at('ab'), additional_directories: [at('a')] })
    const path = `/api/v1/sessions/${(body as { session_id: string }).session_id}`
    expect((await post(`${path}/resume`, { prompt: 'say more' })).status).toBe(200)
    await server.changeKeys([keyWith({ directories: [at('a')] })])
    const refused = await post(`${path}/resume`, { prompt: 'say more' })
    expect([refused.status, refused.text]).toEqual([400, refusal])
    await server.changeKeys([keyWith({ directories: [at('ab')] })])
    const added = await post(`${path}/resume`, { prompt: 'say more' })
    expect([added.status, added.text]).toEqual([400, expect.stringContaining(`${at('a')} is not allowed`)])
  })
})

describe('a run or a comparison of a key with directories', () => {
  const send = (server: Awaited<ReturnType<typeof startServer>>) =>
    runClient((path, options?: object) => server.request(path, options), headers)

  it('is refused in a repository that is not in them', async () => {
    const elsewhere = realpathSync(temporaryDirectory())
    const keys = [keyWith({ directories: [elsewhere] })]
    const { server, driving, repository } = await serveRuns({}, { server: { keys } })
    const client = send(server)
    for (const named of [{}, { repository }]) {
      const refused = await client.post(RUNS, { goal: GOAL, ...named })
      expect([refused.status, refused.body]).toMatchObject([400, { error: 'workdir_not_allowed' }])
    }
    const compared = { prompt: 'x', backends: ['claude'], worktrees: true, workdir: repository }
    expect(await client.post('/api/v1/compare', compared)).toMatchObject({
      ...{ status: 400, body: { error: 'workdir_not_allowed' } },
    })
    expect((await client.list()).runs).toEqual([])
    expect(driving.calls()).toEqual([])
  })

  it('is not changed or continued when its key lost the directory', async () => {
    const { server, repository } = await serveRuns({ orient: [QUESTION, {}] }, { server: { keys: [keyWith({})] } })
    const client = send(server)
    const { id } = await client.start()
    await client.reaches(id, 'waiting')
    await server.changeKeys([keyWith({ directories: [join(repository, 'inner')] })])
    for (const [word, body] of [['answer', { text: 'Knots.' }], ['resume'], ['skip']] as [string, object?][]) {
      const refused = await client.change(id, word, body)
      expect([word, refused.status, refused.body]).toMatchObject([word, 400, { error: 'workdir_not_allowed' }])
    }
    await server.changeKeys([keyWith({ directories: [dirname(repository)] })])
    expect((await client.change(id, 'answer', { text: 'Knots.' })).status).toBe(200)
  })

  it('is not continued by another key with the directory', async () => {
    const desk = { ...keyWith({ role: 'operator' }), name: 'desk', sha256: digest('the-key-of-the-desk').slice(7) }
    const keys = [keyWith({}), desk]
    const { server } = await serveRuns({ orient: [QUESTION] }, { server: { keys } })
    const client = send(server)
    const { id } = await client.start()
    await client.reaches(id, 'waiting')
    await server.changeKeys([keyWith({ directories: ['/srv/other'] }), desk])
    const answered = await server.request(`${RUNS}/${id}/answer`, {
      ...{ method: 'POST', body: { text: 'Knots.' }, headers: { authorization: 'Bearer the-key-of-the-desk' } },
    })
    expect([answered.status, answered.body]).toMatchObject([400, { error: 'workdir_not_allowed' }])
  })
})

it.skipIf(POSTGRES_PROGRAMS === undefined)('a worker keeps to the directories of a key', async () => {
  const url = await createPostgresDatabase()
  const { at } = await start({ agents: 'demo', postgres: { url, machine: 'worker' } })
  const keys = [keyWith({ directories: [at('a')] })]
  const door = await startServer({
    agents: 'none',
    isWorker: false,
    postgres: { url, machine: 'door' },
    server: { keys },
  })
  const ask = (body: object) =>
    door.request('/api/v1/prompt', { method: 'POST', headers, body: { ...prompt, ...body } })
  expect(await ask({ workdir: at('ab') })).toMatchObject({ status: 400, body: { error: 'workdir_not_allowed' } })
  expect((await ask({ workdir: at('a') })).status).toBe(200)
  expect((await ask({})).status).toBe(200)
})
