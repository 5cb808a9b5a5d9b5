/** Several servers and workers with one PostgreSQL store. Here they run in this process; faults have processes of their own. */

import { mkdirSync, readdirSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import type { Execution, ExecutionEvent } from '../src/executions/store/execution.shape.ts'
import type { PostgresWorkQueue } from '../src/executions/store/postgres-work-queue.ts'
import { digest } from '../src/kit/digest.ts'
import { IS_FULL } from './support/full-counts.ts'
import { createPostgresDatabase, POSTGRES_PROGRAMS, runSql } from './support/postgres.ts'
import { temporaryDirectory } from './support/run-drover.ts'
import { type ServerOptions, startServer, type TestServer } from './support/start-server.ts'
import { until } from './support/until.ts'

const HELLO = { backend: 'claude', prompt: 'say hello' }

type Options = ServerOptions & { url: string; machine: string }

const startOn = ({ url, machine, ...options }: Options) =>
  startServer({ agents: 'demo', ...options, postgres: { url, machine } })

/** A server that only takes requests, and workers on these machines. */
async function startMachines(names: readonly string[], options: ServerOptions = {}, ofDoor: ServerOptions = {}) {
  const url = await createPostgresDatabase()
  const workers: TestServer[] = []
  for (const machine of names) workers.push(await startOn({ url, machine, ...options }))
  const door = await startOn({ url, machine: 'door', isWorker: false, agents: 'none', ...ofDoor })
  return { url, door, workers }
}

/** Keeps its sessions like claude, and answers with all that it was told in the session. */
const REMEMBERING_CLAUDE = `#!/bin/sh
case "$*" in *--version*) echo '2.0.0 (Claude Code)'; exit 0 ;; esac
id=0b4c5a3e-8d70-4b8e-9a53-1d3c6a0f4b11
file="$HOME/.claude/projects/$(pwd | tr -c 'A-Za-z0-9\\n' '-')/$id.jsonl"
case "$*" in *"--resume $id"*) [ -f "$file" ] || { echo "No conversation found with session ID: $id" >&2; exit 1; } ;; esac
mkdir -p "$(dirname "$file")"
echo '{"type":"system","subtype":"init","session_id":"'$id'","model":"m"}'
tr -d '"\\n' >> "$file"
echo '{"type":"result","subtype":"success","is_error":false,"result":"'"$(cat "$file")"'","session_id":"'$id'"}'
`

/** Workers with an agent that remembers, each with a separate home, and a directory that all of them have. */
async function startWithClaude(names: readonly string[]) {
  const directory = realpathSync(temporaryDirectory())
  const [bin, workdir] = [join(directory, 'bin'), join(directory, 'work')]
  for (const each of [bin, workdir]) mkdirSync(each)
  writeFileSync(join(bin, 'claude'), REMEMBERING_CLAUDE, { mode: 0o755 })
  const machines = await startMachines(names, { agents: 'none', env: { PATH: `${bin}:/usr/bin:/bin` } })
  const resume = (session: string, prompt: string) =>
    post(machines.door, `/api/v1/sessions/${session}/resume`, { prompt })
  return { ...machines, workdir, resume }
}

const claudeOf = (server: TestServer | undefined) => join(server?.home ?? '', '..', '.claude')

const post = (server: TestServer, path: string, body: object, headers: Record<string, string> = {}) =>
  server.request(path, { method: 'POST', body, headers })

async function machineOf(url: string, id: unknown): Promise<unknown> {
  const sql = `SELECT p.machine FROM executions e JOIN processes p ON p.name = e.owner WHERE e.id = '${id}'`
  return (await runSql(url, sql))[0]?.['machine']
}

async function eventsOf(server: TestServer, id: string, after = 0, headers = {}): Promise<ExecutionEvent[]> {
  const { text } = await server.request(`/api/v1/executions/${id}/events?after=${after}`, { headers })
  const lines = text.split('\n').filter(Boolean)
  return lines.map((line) => JSON.parse(line)).filter(({ type }) => type !== 'heartbeat')
}

describe.skipIf(POSTGRES_PROGRAMS === undefined)('servers and workers with one PostgreSQL store', () => {
  it.runIf(IS_FULL)('run a prompt on a machine with the agent, for a server that has none', async () => {
    const { url, door } = await startMachines(['one'])
    const { status, body, headers } = await post(door, '/api/v1/prompt', HELLO)
    expect([status, body]).toMatchObject([200, { exit_code: 0, output: expect.stringContaining('say hello') }])
    expect(await machineOf(url, headers['x-execution-id'])).toBe('one')
    const { backends } = (await door.request('/api/v1/backends')).body as { backends: object[] }
    expect(backends[0]).toMatchObject({ name: 'claude', available: true, machines: ['one'] })
  })

  it.runIf(IS_FULL)('stream an answer through a server that does not run it, in all three styles', async () => {
    const { door } = await startMachines(['one'])
    const chat = { model: 'claude', messages: [{ role: 'user', content: 'hi' }], stream: true }
    const native = await post(door, '/api/v1/prompt', { ...HELLO, output_format: 'stream-json' })
    expect(native.text).toContain('"type":"done"')
    expect((await post(door, '/openai/v1/chat/completions', chat)).text).toContain('data: [DONE]')
    const headers = { 'anthropic-version': '2023-06-01' }
    const message = await post(door, '/anthropic/v1/messages', { ...chat, max_tokens: 9 }, headers)
    expect(message.text).toContain('event: message_stop')
  })

  it('give every server the same events of an execution, from any number on', async () => {
    const { door, workers } = await startMachines(['one', 'two'])
    const { body } = await post(door, '/api/v1/prompt', { ...HELLO, detach: true })
    const { execution_id: id } = body as { execution_id: string }
    const [atDoor, ...others] = await Promise.all([door, ...workers].map((server) => eventsOf(server, id)))
    expect(atDoor?.map(({ seq }) => seq)).toEqual(atDoor?.map((_, at) => at + 1))
    for (const other of others) expect(other).toEqual(atDoor)
    expect(await eventsOf(workers[0] as TestServer, id, 2)).toEqual(atDoor?.slice(2))
  })

  it('continue a session on its own machine, and refuse if no worker is there', async () => {
    const { url, door, workers } = await startMachines(['one', 'two'])
    const { body } = await post(door, '/api/v1/prompt', HELLO)
    const { session_id: session } = body as { session_id: string }
    const [row] = await runSql(url, `SELECT machine FROM sessions WHERE id = '${session}'`)
    for (let turn = 0; turn < 3; turn++) {
      const again = await post(door, `/api/v1/sessions/${session}/resume`, { prompt: 'say more' })
      expect([again.status, await machineOf(url, again.headers['x-execution-id'])]).toEqual([200, row?.['machine']])
    }
    await workers[row?.['machine'] === 'one' ? 0 : 1]?.context.drover.worker?.stop()
    const refused = await post(door, `/api/v1/sessions/${session}/resume`, { prompt: 'say more' })
    expect([refused.status, refused.body]).toMatchObject([503, { error: 'session_machine_gone' }])
  })

  it.runIf(IS_FULL)(
    'continue a session of claude on another machine if its own is gone, with what it knew',
    async () => {
      const { url, door, workers, workdir, resume } = await startWithClaude(['one', 'two'])
      const first = await post(door, '/api/v1/prompt', { ...HELLO, prompt: 'the word is KUMQUAT-81', workdir })
      const { session_id: session } = first.body as { session_id: string }
      const [old, other] =
        (await machineOf(url, first.headers['x-execution-id'])) === 'one' ? workers : [...workers].reverse()
      await old?.context.drover.worker?.stop()
      rmSync(claudeOf(old), { recursive: true })
      const { status, body } = await resume(session, 'which word?')
      const output = expect.stringContaining('KUMQUAT-81')
      const warnings = [expect.stringMatching(/the session was on (one|two) and is resumed here/)]
      expect([status, body]).toMatchObject([200, { exit_code: 0, session_id: session, output, warnings }])
      expect((await resume(session, 'and again?')).body).toMatchObject({ exit_code: 0, output })
      expect(readdirSync(join(claudeOf(other), 'projects'))).toHaveLength(1)
      // What is not stored is not guessed: without the file the turn is refused, and the session stays as it is.
      await runSql(url, 'DELETE FROM session_files')
      await other?.context.drover.worker?.stop()
      await old?.context.drover.worker?.start((by) => old.context.drover.contextFor(by))
      expect((await resume(session, 'which word?')).body).toMatchObject({ error: 'session_machine_gone' })
    },
  )

  it.runIf(IS_FULL)('end a turn that waits for a machine that does not come back', async () => {
    const { url, door } = await startMachines(['one'], { env: { DEMO_AGENT_WORD_MS: '20' } })
    const { body } = await post(door, '/api/v1/prompt', HELLO)
    const { session_id: session } = body as { session_id: string }
    // As if its machine had died with the turn in the queue.
    await runSql(url, `UPDATE sessions SET machine = 'gone' WHERE id = '${session}'`)
    await runSql(
      url,
      `INSERT INTO processes (name, machine, worker) SELECT 'x', 'gone', worker FROM processes WHERE worker IS NOT NULL`,
    )
    const waiting = await post(door, `/api/v1/sessions/${session}/resume`, { prompt: 'say more', detach: true })
    const { execution_id: id } = waiting.body as { execution_id: string }
    await runSql(url, "DELETE FROM processes WHERE name = 'x'")
    await (door.context.drover.opened.queue as PostgresWorkQueue).endStranded(0)
    const { body: ended } = await door.request(`/api/v1/executions/${id}`)
    expect(ended).toMatchObject({ state: 'failed', error: { code: 'session_machine_gone' } })
  })

  it.runIf(IS_FULL)('refuse a prompt for a directory that no worker has, and for a backend that none has', async () => {
    const { door } = await startMachines(['one'], { config: { work: { repositories: ['/srv/app'] } } })
    const elsewhere = await post(door, '/api/v1/prompt', { ...HELLO, workdir: '/srv/application' })
    expect([elsewhere.status, elsewhere.body]).toMatchObject([400, { error: 'workdir_not_on_worker' }])
    const { body } = await post(door, '/api/v1/prompt', { ...HELLO, backend: 'nothing' })
    expect(body).toMatchObject({ error: 'worker_missing' })
  })

  it.runIf(IS_FULL).each(['a server that only takes requests', 'a server that works too'])(
    'stay in the directories that the worker names, for %s',
    { timeout: 30_000 },
    async (who) => {
      const root = realpathSync(temporaryDirectory())
      for (const each of ['repository/sub', 'other']) mkdirSync(join(root, each), { recursive: true })
      symlinkSync(join(root, 'other'), join(root, 'repository', 'link'))
      const config = { work: { repositories: [join(root, 'repository/')] } }
      const { door, workers } = await startMachines(['one'], { config })
      const server = who.endsWith('too') ? (workers[0] as TestServer) : door
      const ask = (workdir: string) => post(server, '/api/v1/prompt', { ...HELLO, workdir: `${root}/${workdir}` })
      for (const inside of ['repository', 'repository/', 'repository/sub', 'other/../repository'])
        expect([inside, (await ask(inside)).status]).toEqual([inside, 200])
      for (const outside of ['other', 'repository/../other', 'repository-too'])
        expect((await ask(outside)).body).toMatchObject({ error: 'workdir_not_on_worker' })
      expect((await ask('repository/link')).body).toMatchObject({ error: 'workdir_not_allowed' })
    },
  )

  it('continue and fork no session outside of the directories that the worker names', async () => {
    const root = realpathSync(temporaryDirectory())
    for (const each of ['repository', 'other']) mkdirSync(join(root, each))
    const { url, door, workers } = await startMachines(['one'])
    const { body } = await post(door, '/api/v1/prompt', { ...HELLO, workdir: join(root, 'other') })
    const { session_id: session } = body as { session_id: string }
    await workers[0]?.context.drover.worker?.stop()
    await startOn({ url, machine: 'one', config: { work: { repositories: [join(root, 'repository')] } } })
    for (const fork of [false, true]) {
      const again = await post(door, `/api/v1/sessions/${session}/resume`, { prompt: 'say more', fork })
      expect(again.body).toMatchObject({ error: 'workdir_not_on_worker' })
    }
  })

  it.runIf(IS_FULL)('work without a directory in the first one that the worker names', async () => {
    const workdir = realpathSync(temporaryDirectory())
    const options = { config: { work: { repositories: [workdir] } }, server: { allowed_workdir_prefixes: [workdir] } }
    const { url, door, workers } = await startMachines(['one'], options)
    for (const server of [door, ...workers]) {
      const { body } = await post(server, '/api/v1/prompt', HELLO)
      const { execution_id: id } = body as { execution_id: string }
      expect(await runSql(url, `SELECT workdir FROM executions WHERE id = '${id}'`)).toEqual([{ workdir }])
    }
  })

  it.runIf(IS_FULL)('report what is wrong with a prompt as the server would that runs it', async () => {
    const { door } = await startMachines(['one'])
    const { status, body } = await post(door, '/api/v1/prompt', { ...HELLO, workdir: '/no/such/directory' })
    expect([status, body]).toMatchObject([400, { error: 'workdir_not_allowed' }])
  })

  it('count how deep an agent is that calls drover, on whichever machine it runs', async () => {
    const bin = temporaryDirectory()
    const answer = '{"type":"result","subtype":"success","is_error":false,"result":"depth \'$DROVER_DEPTH\'"}'
    writeFileSync(join(bin, 'claude'), `#!/bin/sh\ncat > /dev/null\necho '${answer}'\n`, { mode: 0o755 })
    const options = { agents: 'none', env: { PATH: `${bin}:/usr/bin:/bin` } } as const
    const { door } = await startMachines(['one'], options)
    const ask = (depth: string) => post(door, '/api/v1/prompt', HELLO, { 'x-drover-depth': depth })
    expect((await ask('1')).body).toMatchObject({ output: 'depth 2' })
    expect((await post(door, '/api/v1/prompt', HELLO)).body).toMatchObject({ output: 'depth 1' })
    expect(await ask('2')).toMatchObject({ status: 403, body: { error: 'nesting_too_deep' } })
  })

  it.runIf(IS_FULL)('cancel an execution that another machine runs, and one that waits', async () => {
    const env = { DEMO_AGENT_WORD_MS: '200' }
    const { door } = await startMachines(['one'], { env, server: { max_concurrent_runs: 1 } })
    const ids: string[] = []
    for (let at = 0; at < 2; at++) {
      const { body } = await post(door, '/api/v1/prompt', { ...HELLO, detach: true })
      ids.push((body as { execution_id: string }).execution_id)
    }
    const find = async (id = '') => (await door.request(`/api/v1/executions/${id}`)).body as Execution
    await until(async () => (await find(ids[0])).state === 'running')
    for (const id of ids) expect((await post(door, `/api/v1/executions/${id}/cancel`, {})).status).toBe(202)
    for (const id of ids) await until(async () => (await find(id)).state === 'cancelled')
  })

  it.runIf(IS_FULL)('tell an agent of another machine something', async () => {
    const { door } = await startMachines(['one'], { env: { DEMO_AGENT_WORD_MS: '200' } })
    const { body } = await post(door, '/api/v1/prompt', { ...HELLO, detach: true })
    const { execution_id: id } = body as { execution_id: string }
    await until(async () => ((await door.request(`/api/v1/executions/${id}`)).body as Execution).state === 'running')
    const sent = await post(door, `/api/v1/executions/${id}/message`, { text: 'use knots' })
    expect(sent).toMatchObject({ status: 200, body: { execution_id: id, delivered: 'next_turn' } })
    const ended = await until(async () => {
      const found = (await door.request(`/api/v1/executions/${id}`)).body as Execution
      return found.ended_at !== undefined && found
    })
    const next = await post(door, `/api/v1/sessions/${ended.session_id}/resume`, { prompt: 'say more' })
    expect(next.body).toMatchObject({ output: expect.stringContaining('use knots') })
    expect(await post(door, `/api/v1/executions/${id}/message`, { text: 'x' })).toMatchObject({ status: 409 })
  })

  it.runIf(IS_FULL)('leave nothing of an ephemeral prompt', async () => {
    const { url, door } = await startMachines(['one'])
    const { status } = await post(door, '/api/v1/prompt', { ...HELLO, ephemeral: true })
    expect(status).toBe(200)
    expect(await runSql(url, 'SELECT id FROM executions')).toEqual([])
    expect(await runSql(url, 'SELECT id FROM sessions')).toEqual([])
  })

  it('start one execution for requests with the same Idempotency-Key to different servers', async () => {
    const { url, door, workers } = await startMachines(['one', 'two'])
    const servers = [door, ...workers, door, ...workers]
    const answers = await Promise.all(
      servers.map((server) => post(server, '/api/v1/prompt', HELLO, { 'idempotency-key': 'k' })),
    )
    expect(new Set(answers.map(({ headers }) => headers['x-execution-id'])).size).toBe(1)
    expect(new Set(answers.map(({ text }) => text)).size).toBe(1)
    expect(await runSql(url, 'SELECT id FROM executions')).toHaveLength(1)
  })

  it.runIf(IS_FULL)('run no more prompts of one key at once than work.max_per_key allows', async () => {
    const [env, config] = [{ DEMO_AGENT_WORD_MS: '20' }, { work: { max_per_key: 1 } }]
    const { url, door } = await startMachines(['one', 'two'], { env, config })
    let most = 0
    const running = "SELECT count(*)::int AS n FROM executions WHERE owner <> '' AND ended_at IS NULL"
    const done = Promise.all(Array.from({ length: 4 }, () => post(door, '/api/v1/prompt', HELLO)))
    let isDone = false
    void done.then(() => (isDone = true))
    while (!isDone) most = Math.max(most, Number((await runSql(url, running))[0]?.['n']))
    expect((await done).map(({ status }) => status)).toEqual([200, 200, 200, 200])
    expect(most).toBe(1)
  })

  it('decide what an agent asks for through a server that does not run it, each key for its own agents', async () => {
    const config = { warm: { enabled: true } }
    const keys = ['owner', 'other'].map((name) => ({ name, sha256: digest(`key-${name}`).replace('sha256:', '') }))
    const { door } = await startMachines(['one'], { agents: 'warm', config }, { server: { keys } })
    const [owner, other] = [{ 'x-api-key': 'key-owner' }, { 'x-api-key': 'key-other' }]
    const asking = { ...HELLO, prompt: '{"ask":"Bash"}', approval_mode: 'always', detach: true }
    const { body } = await post(door, '/api/v1/prompt', asking, owner)
    const { execution_id: id } = body as { execution_id: string }
    const approvalsOf = async (headers: Record<string, string>) => {
      const { approvals } = (await door.request('/api/v1/approvals', { headers })).body as { approvals: object[] }
      return approvals as { approval_id: string; execution_id: string }[]
    }
    const waiting = await until(async () => (await approvalsOf(owner))[0])
    expect(waiting.execution_id).toBe(id)
    expect(await approvalsOf(other)).toEqual([])
    const path = `/api/v1/executions/${id}/approvals/${waiting.approval_id}`
    expect((await post(door, path, { decision: 'allow' }, other)).status).toBe(404)
    expect((await post(door, path, { decision: 'allow' }, owner)).body).toMatchObject({ decision: 'allow' })
    const decided = (await eventsOf(door, id, 0, owner)).filter(({ type }) => type.startsWith('approval_'))
    // The machine of the agent records who decided elsewhere.
    expect(decided).toMatchObject([
      { type: 'approval_request' },
      { type: 'approval_decision', content: { decision: 'allow', by: { via: 'key' } } },
    ])
    expect((await post(door, path, { decision: 'allow' }, owner)).status).toBe(404)
  })

  it.runIf(IS_FULL)('are healthy if a worker has each agent, also where the server itself has none', async () => {
    const { door } = await startMachines(['one'])
    const expected = { name: 'claude', available: true }
    const healthOf = async () => (await door.request('/health')).body
    expect(await healthOf()).toMatchObject({ status: 'ok', backends: expect.arrayContaining([expected]) })
  })

  it.runIf(IS_FULL)('are degraded if no worker runs', async () => {
    const { door } = await startMachines([])
    expect((await door.request('/health')).body).toMatchObject({ status: 'degraded' })
  })

  it.runIf(IS_FULL)('measure at the server how long a prompt waits for a worker', async () => {
    const { door } = await startMachines(['one'], {}, { server: { metrics_enabled: true } })
    await post(door, '/api/v1/prompt', HELLO)
    const { text } = await door.request('/metrics')
    expect(text).toMatch(/^drover_queue_wait_seconds_count 1$/m)
    expect(text).toMatch(/^drover_shared_queue_length 0$/m)
    expect(text).toMatch(/^drover_shared_queue_claims_total\{machine="one"\} 1$/m)
    expect(text).toMatch(/^drover_shared_queue_lost_total\{machine="one"\} 0$/m)
  })

  it.runIf(IS_FULL)('share the rate limit of a key', async () => {
    const url = await createPostgresDatabase()
    const server = { rate_limit_enabled: true, rate_limit_rps: 1, rate_limit_burst: 3 }
    const servers = [await startOn({ url, machine: 'one', server }), await startOn({ url, machine: 'two', server })]
    const answers = await Promise.all([0, 1, 0, 1, 0, 1].map((at) => servers[at]?.request('/health')))
    expect(answers.filter((answer) => answer?.status === 200)).toHaveLength(3)
    expect(answers.filter((answer) => answer?.status === 429)).toHaveLength(3)
  })
})
