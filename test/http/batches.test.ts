import { describe, expect, it } from 'vitest'
import type { Script } from '../fake-agent/script.ts'
import { IS_FULL } from '../support/full-counts.ts'
import { temporaryDirectory } from '../support/run-drover.ts'
import { startServer } from '../support/start-server.ts'
import { until } from '../support/until.ts'

const USAGE = { input_tokens: 12, output_tokens: 3, cached_tokens: 0, reasoning_tokens: 0 }
const SCRIPT: Script = { text: ['one'], usage: { input: 12, output: 3 } }
const task = { backend: 'codex', prompt: 'x' }

const post = async (path: string, body: unknown, script: Script = SCRIPT) => {
  const server = await startServer({ env: { FAKE_AGENT_SCRIPT: JSON.stringify(script) } })
  return { server, answer: await server.request(`/api/v1/${path}`, { method: 'POST', body }) }
}

const EXECUTION_ID = expect.stringMatching(/^exec_[0-9a-f]{24}$/)

const ran = {
  session_id: '',
  execution_id: EXECUTION_ID,
  backend: 'codex',
  exit_code: 0,
  duration_ms: expect.any(Number),
  output: 'one',
  token_usage: USAGE,
  backend_session_id: expect.any(String),
}

const lost = {
  session_id: '',
  backend: 'clod',
  exit_code: 1,
  duration_ms: 0,
  output: '',
  token_usage: { input_tokens: 0, output_tokens: 0, cached_tokens: 0, reasoning_tokens: 0 },
  error: 'no backend "clod"; use claude, codex, gemini',
  error_code: 'backend_not_found',
  retryable: false,
}

describe('POST /api/v1/parallel', () => {
  it('answers 200 with a result for every task in order, even if some fail', async () => {
    const { server, answer } = await post('parallel', { tasks: [task, { backend: 'clod', prompt: 'x' }, task] })
    expect(answer.status).toBe(200)
    expect(answer.body).toEqual({
      execution_id: answer.headers['x-execution-id'],
      total_tasks: 3,
      completed: 2,
      failed: 1,
      canceled: 0,
      total_duration_ms: expect.any(Number),
      results: [ran, lost, ran],
    })
    expect(await server.context.drover.opened.sessions.count()).toBe(0)
  })

  it.each([
    ['no tasks', { tasks: [] }, '$.tasks must have at least 1 item'],
    ['101 tasks', { tasks: Array(101).fill(task) }, '$.tasks must have at most 100 items'],
    ['a task that is none', { tasks: [task, { prompt: 'x' }] }, '$.tasks[1].backend is required'],
    ['a task with an unknown field', { tasks: [{ ...task, name: 'x' }] }, '$.tasks[0].name is not a known field'],
    ['half a task at once', { tasks: [task], max_parallel: 1.5 }, '$.max_parallel must be an integer'],
    ['too many at once', { tasks: [task], max_parallel: 101 }, '$.max_parallel must be at most 100'],
    ['an unknown field', { tasks: [task], parallel: 2 }, '$.parallel is not a known field'],
  ])('refuses %s with 400', async (_name, body, problem) => {
    const { answer } = await post('parallel', body)
    expect(answer.status).toBe(400)
    expect(answer.body).toMatchObject({ error: 'invalid_request', message: expect.stringContaining(problem) })
  })

  it('accepts 100 tasks, 100 at once', async () => {
    const { answer } = await post('parallel', { tasks: Array(100).fill({ ...task, dry_run: true }), max_parallel: 100 })
    expect(answer.body).toMatchObject({ total_tasks: 100, completed: 100 })
  })

  it.runIf(IS_FULL)('ends its agents when the client disconnects', async () => {
    const server = await startServer({ env: { FAKE_AGENT_SCRIPT: JSON.stringify({ hangAfter: 'init' }) } })
    const leaving = new AbortController()
    const tasks = ['claude', 'codex', 'gemini'].map((backend) => ({ backend, prompt: 'x' }))
    const gone = server.request('/api/v1/parallel', { method: 'POST', body: { tasks }, signal: leaving.signal })
    await until(() => server.context.drover.slots.load().running === 3)
    leaving.abort()
    await expect(gone).rejects.toThrow()
    await until(() => server.context.drover.slots.load().running === 0)
  })
})

describe('POST /api/v1/chain', () => {
  it('answers 200 with a result for every step that was started', async () => {
    const steps = [{ ...task, name: 'first' }, { backend: 'clod', prompt: 'use {{previous}}' }, task]
    const { answer } = await post('chain', { steps, stop_on_failure: true })
    expect(answer.status).toBe(200)
    expect(answer.body).toEqual({
      execution_id: answer.headers['x-execution-id'],
      total_steps: 3,
      completed_steps: 1,
      failed_step: 2,
      total_duration_ms: expect.any(Number),
      results: [
        { step: 1, name: 'first', ...ran },
        { step: 2, ...lost },
      ],
    })
  })

  it('continues after a failure unless stop_on_failure is set', async () => {
    const { answer } = await post('chain', { steps: [{ backend: 'clod', prompt: 'x' }, task] })
    expect(answer.body).toMatchObject({
      completed_steps: 1,
      failed_step: 1,
      results: [{ step: 1 }, { step: 2, exit_code: 0 }],
    })
  })

  it.each([
    ['no steps', { steps: [] }, 'invalid_request', '$.steps must have at least 1 item'],
    ['101 steps', { steps: Array(101).fill(task) }, 'invalid_request', '$.steps must have at most 100 items'],
    ['a session between steps', { steps: [{ ...task, prompt: '{{session}}' }] }, 'chain_invalid', '$.steps[0].prompt'],
    ['a step that is not there', { steps: [{ ...task, prompt: '{{steps.a}}' }] }, 'chain_invalid', '$.steps[0].prompt'],
    ['pass_session_id', { steps: [task], pass_session_id: true }, 'chain_invalid', '$.pass_session_id'],
    ['persist_sessions', { steps: [task], persist_sessions: true }, 'chain_invalid', '$.persist_sessions'],
    ['a dry run of one step', { steps: [{ ...task, dry_run: true }] }, 'invalid_request', '$.steps[0].dry_run'],
  ])('refuses %s with 400', async (_name, body, error, problem) => {
    const { answer } = await post('chain', body)
    expect(answer.status).toBe(400)
    expect(answer.body).toMatchObject({ error, message: expect.stringContaining(problem) })
  })
})

describe('POST /api/v1/compare', () => {
  it('answers 200 with a result for every backend in order, even if some fail', async () => {
    const { answer } = await post('compare', { prompt: 'x', backends: ['codex', 'clod', 'codex'] })
    expect(answer.status).toBe(200)
    expect(answer.body).toEqual({
      execution_id: answer.headers['x-execution-id'],
      prompt: 'x',
      backends: ['codex', 'clod', 'codex'],
      results: [{ ...ran, agent_version: '0.0.0-fake' }, lost, { ...ran, agent_version: '0.0.0-fake' }],
      total_duration_ms: expect.any(Number),
    })
  })

  it('has the model that was used', async () => {
    const { answer } = await post('compare', { prompt: 'x', backends: ['claude'], model: 'opus' })
    expect(answer.body).toMatchObject({
      results: [{ backend: 'claude', model: expect.any(String), token_usage: USAGE }],
    })
  })

  it.each([
    ['no backends', { prompt: 'x', backends: [] }, '$.backends must have at least 1 item'],
    ['17 backends', { prompt: 'x', backends: Array(17).fill('claude') }, '$.backends must have at most 16 items'],
    ['no prompt', { backends: ['claude'] }, '$.prompt is required'],
    ['an empty prompt', { prompt: '', backends: ['claude'] }, '$.prompt must not be empty'],
  ])('refuses %s with 400', async (_name, body, problem) => {
    const { answer } = await post('compare', body)
    expect(answer.status).toBe(400)
    expect(answer.body).toMatchObject({ error: 'invalid_request', message: expect.stringContaining(problem) })
  })
})

describe('POST /api/v1/sessions/{id}/resume', () => {
  const start = async (body: object = {}) => {
    const env = { FAKE_AGENT_SCRIPT: JSON.stringify(SCRIPT), FAKE_AGENT_STATE: temporaryDirectory() }
    const server = await startServer({ env })
    const first = await server.request('/api/v1/prompt', { method: 'POST', body: { ...task, ...body } })
    const { session_id: id } = first.body as { session_id: string }
    const resume = (wishes: object, session = id) =>
      server.request(`/api/v1/sessions/${session}/resume`, { method: 'POST', body: { prompt: 'say more', ...wishes } })
    return { server, id, resume }
  }

  it('continues the session, by its id or a prefix of it', async () => {
    const { server, id, resume } = await start()
    for (const name of [id, id.slice(0, 8)]) {
      const answer = await resume({}, name)
      expect(answer.status).toBe(200)
      expect(answer.body).toEqual({ ...ran, session_id: id })
    }
    expect(await server.context.drover.opened.sessions.find(id)).toMatchObject({ turn_count: 3, status: 'completed' })
  })

  it('streams', async () => {
    const { id, resume } = await start()
    const answer = await resume({ output_format: 'stream-json' })
    expect(answer.headers['content-type']).toBe('application/x-ndjson')
    const events = answer.text
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line))
    expect(events[0]).toMatchObject({ type: 'init', session_id: id })
    expect(events.at(-1)).toMatchObject({ type: 'done', session_id: id })
  })

  it('warns if a turn has other permissions than the session', async () => {
    const { resume } = await start()
    const answer = await resume({ sandbox_mode: 'full' })
    expect(answer.body).toMatchObject({
      warnings: ['sandbox_mode is full for this turn; the session was started with default'],
    })
  })

  it('starts a new session with fork', async () => {
    const { server, id, resume } = await start({ metadata: { a: 1 } })
    const answer = await resume({ fork: true })
    const { session_id: forked } = answer.body as { session_id: string }
    expect(forked).not.toBe(id)
    expect(await server.context.drover.opened.sessions.find(forked)).toMatchObject({
      parent_id: id,
      metadata: { a: 1 },
    })
  })

  it.each([
    ['no prompt', { prompt: undefined }, undefined, 400, 'invalid_request'],
    ['another backend without a fork', { backend: 'claude' }, undefined, 400, 'resume_invalid'],
    ['another directory', { workdir: '/' }, undefined, 400, 'resume_invalid'],
    ['an ephemeral turn', { ephemeral: true }, undefined, 400, 'resume_invalid'],
    ['a session that is not there', {}, 'ffffffffffffffffffffffffffffffff', 404, 'session_not_found'],
    ['what cannot be an id', {}, 'xyz', 400, 'session_id_malformed'],
  ])('refuses %s', async (_name, wishes, session, status, error) => {
    const { resume } = await start()
    const answer = await resume(wishes, session)
    expect([answer.status, answer.body]).toEqual([status, expect.objectContaining({ error })])
  })

  it('refuses an active session with 409', async () => {
    const { server, id, resume } = await start()
    await server.context.drover.opened.sessions.reopen(id)
    const answer = await resume({})
    expect([answer.status, answer.body]).toEqual([409, expect.objectContaining({ error: 'session_active' })])
  })
})
