/** Prompts over HTTP to a server that keeps agents running. */

import { mkdirSync, readFileSync, rmSync, utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { digest } from '../../src/kit/digest.ts'
import { IS_FULL } from '../support/full-counts.ts'
import { startServer, type TestServer } from '../support/start-server.ts'
import { isRunning } from '../support/test-command.ts'
import { until } from '../support/until.ts'

type Backend = 'claude' | 'codex'
type Body = Record<string, unknown>

const warmServer = (warm: Body = {}, more: Parameters<typeof startServer>[0] = {}) =>
  startServer({ agents: 'warm', ...more, config: { warm: { enabled: true, spare_after: 1, ...warm } } })

async function prompt(server: TestServer, order: unknown, over: Body = {}, path = '/api/v1/prompt') {
  const body = { prompt: typeof order === 'string' ? order : JSON.stringify(order), workdir: server.workdir, ...over }
  const { headers, ...fields } = body as Body & { headers?: Record<string, string> }
  const answer = await server.request(path, { method: 'POST', body: fields, ...(headers && { headers }) })
  expect([answer.status, answer.text]).toEqual([200, answer.text])
  return answer.body as { output: string; session_id: string; exit_code: number; warnings?: string[] }
}

const resume = (server: TestServer, id: string, order: unknown) =>
  server
    .request(`/api/v1/sessions/${id}/resume`, { method: 'POST', body: { prompt: JSON.stringify(order) } })
    .then(({ body }) => body as { output: string; session_id: string; exit_code: number; warnings?: string[] })

/** The process that answers. */
const pidOf = async (server: TestServer, over: Body) => Number((await prompt(server, { pid: true }, over)).output)

const warmOf = (server: TestServer) => server.context.drover.warm?.list() ?? []

/** Two prompts: the first runs alone, and starts the process of the second. */
async function warmUp(server: TestServer, over: Body): Promise<void> {
  await prompt(server, 'hello', over)
  await idle(server)
}

async function idle(server: TestServer, count = 1): Promise<void> {
  await until(() => warmOf(server).filter(({ state }) => state === 'idle').length >= count)
}

describe.each<Backend>(['claude', 'codex'])('warm %s', (backend) => {
  const itOnce = it.runIf(IS_FULL || backend === 'claude')

  it('answers from a process that was already up, with the same result', async () => {
    const server = await warmServer()
    const cold = await prompt(server, { say: 'same' }, { backend })
    await idle(server)
    const warm = await prompt(server, { say: 'same' }, { backend })
    const ids = ['session_id', 'backend_session_id', 'duration_ms', 'execution_id']
    // Only a codex that stays up names its model.
    const apart = backend === 'codex' ? [...ids, 'model'] : ids
    const facts = (answer: object) => Object.entries(answer).filter(([name]) => !apart.includes(name))
    expect(facts(warm)).toEqual(facts(cold))
    expect(warm).toMatchObject(backend === 'codex' ? { model: 'scripted' } : {})
    expect(warmOf(server).some(({ turns }) => turns === 1)).toBe(true)
  })

  it('continues a session in the process that has it', async () => {
    const server = await warmServer()
    await warmUp(server, { backend })
    const first = await prompt(server, { pid: true }, { backend })
    const second = await resume(server, first.session_id, { pid: true })
    expect(second.output).toBe(first.output)
    expect(isRunning(Number(first.output))).toBe(true)
  })

  itOnce('shows what is up', async () => {
    const server = await warmServer()
    await warmUp(server, { backend })
    const { body } = await server.request('/api/v1/backends')
    const { backends } = body as { backends: { name: string; warm: unknown }[] }
    expect(backends.find(({ name }) => name === backend)?.warm).toEqual({ idle: 1, busy: 0 })
  })

  it('does not share a process between API keys', async () => {
    const keys = `${'a'.repeat(32)},${'b'.repeat(32)}`
    const server = await warmServer({ max_processes: 8 }, { env: { DROVER_API_KEYS: keys } })
    const as = (letter: string) => ({ backend, headers: { authorization: `Bearer ${letter.repeat(32)}` } })
    await warmUp(server, as('a'))
    const pid = await pidOf(server, as('a'))
    await idle(server)
    const others = [await pidOf(server, as('b')), await pidOf(server, as('b'))]
    expect(others).not.toContain(pid)
  })

  itOnce('takes a new process after a file of its configuration has changed', async () => {
    const server = await warmServer()
    await warmUp(server, { backend })
    const pid = await pidOf(server, { backend })
    await idle(server)
    const place = join(server.workdir, '..', backend === 'claude' ? '.claude' : '.codex')
    mkdirSync(place, { recursive: true })
    writeFileSync(join(place, backend === 'claude' ? '.credentials.json' : 'auth.json'), '{"rotated": true}')
    expect(await pidOf(server, { backend })).not.toBe(pid)
    await until(() => !isRunning(pid))
  })

  it.runIf(IS_FULL && backend === 'claude')(
    'does not continue a session with instructions that have changed',
    async () => {
      const server = await warmServer()
      await warmUp(server, { backend })
      const first = await prompt(server, { pid: true }, { backend })
      writeFileSync(join(server.workdir, '..', 'CLAUDE.md'), 'Answer in verse.')
      expect((await resume(server, first.session_id, { pid: true })).output).not.toBe(first.output)
    },
  )

  itOnce('takes a new process after the program has changed', async () => {
    const server = await warmServer()
    await warmUp(server, { backend })
    const pid = await pidOf(server, { backend })
    await idle(server)
    utimesSync(join(server.workdir, '..', 'bin', backend), 1, 1)
    expect(await pidOf(server, { backend })).not.toBe(pid)
  })

  it.runIf(IS_FULL)('takes a new process after the directory was deleted and created again', async () => {
    const server = await warmServer()
    const workdir = join(server.workdir, 'project')
    mkdirSync(workdir)
    await warmUp(server, { backend, workdir })
    const pid = await pidOf(server, { backend, workdir })
    await idle(server)
    rmSync(workdir, { recursive: true })
    // Holds the number of the deleted directory.
    mkdirSync(join(server.workdir, 'other'))
    mkdirSync(workdir)
    expect(await pidOf(server, { backend, workdir })).not.toBe(pid)
  })

  itOnce('ends when nothing was asked for its idle time', async () => {
    const server = await warmServer({ idle_secs: 1 })
    await warmUp(server, { backend })
    const pid = await pidOf(server, { backend })
    await until(() => warmOf(server).length === 0)
    await until(() => !isRunning(pid))
  })

  itOnce('ends after its number of prompts', async () => {
    const server = await warmServer({ max_turns: 1, spares: 1 })
    await warmUp(server, { backend })
    const pid = await pidOf(server, { backend })
    await until(() => !isRunning(pid))
  })

  it.runIf(IS_FULL)('ends when it is too old, but not during a prompt', async () => {
    const server = await warmServer({ max_age_secs: 1 })
    await warmUp(server, { backend })
    const running = prompt(server, { pid: true, slow: 1500 }, { backend })
    await until(() => warmOf(server).some(({ state }) => state === 'busy'))
    const { output, exit_code: code } = await running
    expect(code).toBe(0)
    await until(() => !isRunning(Number(output)))
  })

  itOnce('is never kept with warm.enabled: false', async () => {
    const server = await warmServer({ enabled: false })
    await prompt(server, 'one', { backend })
    await prompt(server, 'two', { backend })
    expect(server.context.drover.warm).toBeUndefined()
  })
})

describe('a warm process', () => {
  it('that dies before its first event is replaced, with a warning', async () => {
    const server = await warmServer()
    await warmUp(server, { backend: 'claude' })
    expect(await prompt(server, { crash: 'warm', say: 'again' }, { backend: 'claude' })).toMatchObject({
      output: 'again',
      exit_code: 0,
      warnings: [
        expect.stringMatching(/^claude did not take the prompt in its warm process \(.*\); it ran in a new one$/),
      ],
    })
  })

  it.runIf(IS_FULL)('that does not start is reported once, and prompts run without it', async () => {
    const server = await warmServer({}, { env: { WARM_FAILS: 'start' } })
    const ask = async (say: string) =>
      expect(await prompt(server, { say }, { backend: 'claude' })).not.toHaveProperty('warnings')
    await ask('one')
    await until(() => server.logged.some(({ message }) => message === 'an agent cannot be kept running'))
    // The second process starts a second after the first one failed.
    await until(async () => {
      await ask('two')
      return readFileSync(join(server.workdir, 'starts'), 'utf8') === '..'
    })
    await until(() => warmOf(server).length === 0)
    expect(server.logged).toHaveLength(1)
  })

  it.runIf(IS_FULL)('that ended with its prompt is replaced before the next one', async () => {
    const server = await warmServer()
    await warmUp(server, { backend: 'codex' })
    const { output } = await prompt(server, { foreign: true, pid: true }, { backend: 'codex' })
    await until(() => !isRunning(Number(output)))
    await idle(server)
    expect(warmOf(server)).toMatchObject([{ backend: 'codex', turns: 0 }])
  })

  it('over its limit of memory ends after the prompt', async () => {
    const server = await warmServer({ max_rss_mb: 150 })
    await warmUp(server, { backend: 'claude' })
    const { output } = await prompt(server, { grow: 200, pid: true }, { backend: 'claude' })
    await until(() => !isRunning(Number(output)))
  })

  it('is limited in number: the one not used for longest ends', async () => {
    const server = await warmServer({ max_processes: 1 })
    await warmUp(server, { backend: 'claude' })
    await warmUp(server, { backend: 'codex' })
    expect(warmOf(server)).toHaveLength(1)
  })

  it('refuses a second prompt of its session as ever', async () => {
    const server = await warmServer()
    await warmUp(server, { backend: 'claude' })
    const { session_id: id } = await prompt(server, 'first', { backend: 'claude' })
    const running = server.request(`/api/v1/sessions/${id}/resume`, {
      method: 'POST',
      body: { prompt: '{"hang":true}', timeout_secs: 1 },
    })
    await until(() => warmOf(server).some(({ state }) => state === 'busy'))
    const second = await server.request(`/api/v1/sessions/${id}/resume`, { method: 'POST', body: { prompt: 'x' } })
    expect(second.status).toBe(409)
    await running
  })

  it('is not used for a session that was resumed elsewhere', async () => {
    const server = await warmServer()
    await warmUp(server, { backend: 'claude' })
    const first = await prompt(server, { pid: true }, { backend: 'claude' })
    await server.context.drover.opened.sessions.reopen(first.session_id)
    await server.context.drover.opened.sessions.finishTurn(first.session_id, {
      outcome: 'completed',
      usage: { input_tokens: 0, output_tokens: 0, cached_tokens: 0, reasoning_tokens: 0 },
    })
    const next = await resume(server, first.session_id, { pid: true })
    expect(next.output).not.toBe(first.output)
    await until(() => !isRunning(Number(first.output)))
  })
})

describe('something that an agent asks for', () => {
  const decide = (server: TestServer, path: string, body: unknown, headers = {}) =>
    server.request(`/api/v1/executions/${path}`, { method: 'POST', body, headers })

  /** Starts a prompt that asks, and waits for its event. */
  async function askFor(server: TestServer, backend: Backend, headers = {}) {
    const body = { prompt: '{"ask":"Bash"}', backend, workdir: server.workdir, approval_mode: 'always', detach: true }
    const started = await server.request('/api/v1/prompt', { method: 'POST', body, headers })
    const { execution_id: id } = started.body as { execution_id: string }
    const events = async () => (await server.request(`/api/v1/executions/${id}/events?after=0`, { headers })).text
    return { id, events }
  }

  /** The id of the approval that waits, from the events so far. */
  async function waiting({ context }: TestServer, id: string): Promise<string> {
    for await (const events of context.drover.records.follow(id, { after: 0, signal: new AbortController().signal })) {
      for (const event of events) if (event.type === 'approval_request') return String(event.content['approval_id'])
    }
    throw new Error('the execution has ended without a question')
  }

  it.each<[Backend, string, RegExp]>([
    ['claude', 'allow', /behavior.*allow/],
    ['claude', 'deny', /behavior.*deny/],
    ['codex', 'allow', /accept/],
    ['codex', 'allow_session', /acceptForSession/],
    ['codex', 'deny', /decline/],
  ])('%s gets the decision %s', async (backend, decision, told) => {
    const server = await warmServer()
    const { id, events } = await askFor(server, backend)
    const approval = await waiting(server, id)
    const answer = await decide(server, `${id}/approvals/${approval}`, { decision })
    expect([answer.status, answer.body]).toEqual([200, { approval_id: approval, decision }])
    const text = await events()
    expect(text).toMatch(told)
    expect(text).not.toContain('runs without a user to ask')
    expect((await decide(server, `${id}/approvals/${approval}`, { decision })).status).toBe(404)
  })

  it('is shown to its own key and to operators, and not decided by another key', async () => {
    const keys = [{ name: 'owner' }, { name: 'other' }, { name: 'chief', role: 'operator' }].map((key) => ({
      ...key,
      sha256: digest(`key-${key.name}`).replace('sha256:', ''),
    }))
    const server = await warmServer({}, { server: { keys } })
    const as = (name: string) => ({ 'x-api-key': `key-${name}` })
    const seenBy = async (name: string) => {
      const { body } = await server.request('/api/v1/approvals', { headers: as(name) })
      return (body as { approvals: { execution_id: string }[] }).approvals.map(({ execution_id }) => execution_id)
    }
    const { id, events } = await askFor(server, 'claude', as('owner'))
    const path = `${id}/approvals/${await waiting(server, id)}`
    expect([await seenBy('owner'), await seenBy('other'), await seenBy('chief')]).toEqual([[id], [], [id]])
    expect((await decide(server, path, { decision: 'allow' }, as('other'))).status).toBe(404)
    expect((await decide(server, path, { decision: 'deny' }, as('chief'))).status).toBe(200)
    expect(await events()).toMatch(/behavior.*deny/)
  })

  it('is denied after its time', async () => {
    const server = await warmServer({ approval_timeout_secs: 1 })
    const { events } = await askFor(server, 'claude')
    expect(await events()).toMatch(/behavior.*deny.*no one decided within 1 s/)
  })

  it('cannot be allowed with a key whose modes are limited, and such a key is not asked', async () => {
    const key = 'k'.repeat(32)
    const server = await warmServer({}, { env: { DROVER_API_KEYS: key }, server: { max_approval_mode: 'auto' } })
    const headers = { authorization: `Bearer ${key}` }
    const { id, events } = await askFor(server, 'claude', headers)
    expect(await events()).toContain('runs without a user to ask')
    expect((await decide(server, `${id}/approvals/x`, { decision: 'allow' }, headers)).status).toBe(401)
  })

  it('is decided with a known word only', async () => {
    const server = await warmServer()
    const { id } = await askFor(server, 'claude')
    expect((await decide(server, `${id}/approvals/x`, { decision: 'maybe' })).status).toBe(400)
    expect((await decide(server, `${id}/approvals/x`, { decision: 'allow' })).status).toBe(404)
    await server.request(`/api/v1/executions/${id}/cancel`, { method: 'POST' })
    await until(() => warmOf(server).every(({ state }) => state !== 'busy'))
  })
})
