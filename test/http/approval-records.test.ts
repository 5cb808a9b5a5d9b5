/** Who decided what about something that an agent asked for, and where that is recorded. */

import { describe, expect, it } from 'vitest'
import { digest } from '../../src/kit/digest.ts'
import { USER } from '../../src/prompts/caller.ts'
import type { ApprovalRecord } from '../../src/prompts/prompt-result.shape.ts'
import { HONEST } from '../support/driven-home.ts'
import { IS_FULL } from '../support/full-counts.ts'
import { serveRuns } from '../support/served-runs.ts'
import { type ServerOptions, startServer, type TestServer } from '../support/start-server.ts'
import { until } from '../support/until.ts'

type Headers = Record<string, string>

const KEY = 'a-key-that-is-long-enough'
const KEY_ID = 'key_0123456789abcdef01234567'
const WARM = { warm: { enabled: true } }
const DIGEST = expect.stringMatching(/^sha256:[0-9a-f]{64}$/)

const start = (options: ServerOptions = {}) =>
  startServer({ agents: 'warm', ...options, config: { ...WARM, ...options.config } })

/** Starts a prompt whose agent asks. */
async function ask(server: TestServer, headers: Headers = {}): Promise<string> {
  const order = JSON.stringify({ ask: 'Bash', input: { host: 'prod' } })
  const body = { prompt: order, backend: 'claude', workdir: server.workdir, approval_mode: 'always', detach: true }
  const { body: started } = await server.request('/api/v1/prompt', { method: 'POST', body, headers })
  return (started as { execution_id: string }).execution_id
}

async function decide(server: TestServer, headers: Headers, body: object = { decision: 'allow' }): Promise<void> {
  const [waiting] = await until(async () => {
    const all = await server.context.drover.executions.approvals(USER)
    return all.length > 0 && all
  })
  const path = `/api/v1/executions/${waiting?.execution_id}/approvals/${waiting?.approval_id}`
  expect((await server.request(path, { method: 'POST', body, headers })).status).toBe(200)
}

/** From the events, and from the result. */
async function recordsOf(server: TestServer, id: string, headers: Headers = {}) {
  const { text } = await server.request(`/api/v1/executions/${id}/events`, { headers })
  const events = text.split('\n').flatMap((line) => (line === '' ? [] : [JSON.parse(line)]))
  const { body } = await server.request(`/api/v1/executions/${id}`, { headers })
  const { result } = body as { result: { approvals?: ApprovalRecord[]; session_id: string } }
  const decided = events.filter(({ type }) => type === 'approval_decision')
  return { decided, approvals: result.approvals, sessionId: result.session_id }
}

async function logIn(server: TestServer, body: object): Promise<Headers> {
  const { headers, body: answer } = await server.request('/api/v1/login', { method: 'POST', body })
  const [cookie = ''] = headers['set-cookie'] ?? []
  return { cookie: cookie.split(';')[0] ?? '', 'x-drover-page-secret': (answer as Headers)['page_secret'] ?? '' }
}

describe('a decision', () => {
  it('is recorded with who made it, when, and what was asked for: in the events, the result and the session', async () => {
    const server = await start()
    const id = await ask(server)
    await decide(server, {}, { decision: 'deny', message: 'not on prod' })
    const { decided, approvals, sessionId } = await recordsOf(server, id)
    const record = {
      approval_id: expect.any(String),
      tool_id: 't1',
      tool_name: 'Bash',
      command: 'echo asked',
      input_sha256: DIGEST,
      decision: 'deny',
      message: 'not on prod',
      by: { via: 'none' },
    }
    expect(decided.map(({ content }) => content)).toEqual([record])
    expect(approvals).toEqual([{ at: decided[0].at, ...record }])
    const { body } = await server.request(`/api/v1/sessions/${sessionId}?turns=true`)
    expect(body).toMatchObject({ turns: [{ approvals }] })
    const logged = server.logged.filter(({ message }) => message === 'approval decided')
    expect(logged).toMatchObject([{ level: 'info', fields: { execution: id, decision: 'deny', by: { via: 'none' } } }])
  })

  it('is recorded with the key or the login, not with those of the one who asked', async () => {
    const server = await start({
      server: { keys: [{ id: KEY_ID, sha256: digest(KEY), name: 'ci', role: 'operator' }] },
      env: { DROVER_API_KEYS: 'another-key-of-the-server' },
    })
    const asker = { 'x-api-key': 'another-key-of-the-server' }
    const deciders: [Headers, object][] = [
      [{ 'x-api-key': KEY }, { via: 'key', name: 'ci', key_id: KEY_ID }],
      [await logIn(server, { key: KEY }), { via: 'login', name: 'ci', key_id: KEY_ID }],
      [
        await logIn(server, { link: server.context.logins.createLink() }),
        { via: 'login', name: 'console@local', key_id: 'console@local' },
      ],
    ]
    for (const [headers, by] of deciders) {
      const id = await ask(server, asker)
      await decide(server, headers)
      const { decided } = await recordsOf(server, id, asker)
      expect(decided.map(({ content }) => content.by)).toEqual([by])
    }
  })

  it('is kept where only results are kept', async () => {
    const server = await start({ config: { executions: { keep: 'results' } } })
    const id = await ask(server)
    await decide(server, {})
    await until(async () => (await recordsOf(server, id).catch(() => undefined))?.approvals !== undefined)
    expect((await recordsOf(server, id)).approvals).toMatchObject([{ decision: 'allow', by: { via: 'none' } }])
  })

  it('of no one is recorded too', async () => {
    const server = await start({ config: { warm: { enabled: true, approval_timeout_secs: 1 } } })
    const { approvals } = await recordsOf(server, await ask(server))
    const record = { decision: 'deny', by: { via: 'drover' }, message: 'no one decided within 1 s' }
    expect(approvals).toMatchObject([record])
  })

  it.runIf(IS_FULL)('about an agent of a driven run is in the record of the run too', async () => {
    const script = { implement: [{ asks: 'make wind', ...HONEST }] }
    const {
      server,
      start: drive,
      reaches,
      events,
    } = await serveRuns(script, {
      config: WARM,
      drive: { approval_mode: 'always' },
    })
    const { id } = await drive()
    await decide(server, {})
    const { attempts = [] } = await reaches(id, 'ended')
    const record = {
      tool_name: 'Bash',
      command: 'make wind',
      input_sha256: DIGEST,
      decision: 'allow',
      by: { via: 'none' },
    }
    const asked = attempts.filter(({ approvals }) => approvals !== undefined)
    expect(asked).toMatchObject([{ action_kind: 'implement', approvals: [{ ...record, at: expect.any(String) }] }])
    const decided = (await events(id)).filter(({ type }) => type === 'approval_decided')
    expect(decided).toMatchObject([{ data: { attempt: asked[0]?.attempt, ...record } }])
    const { approvals } = await recordsOf(server, asked[0]?.execution_id ?? '')
    expect(approvals).toMatchObject([record])
  })
})
