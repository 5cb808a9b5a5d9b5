/** Driven runs of several machines with one PostgreSQL store. */

import { realpathSync } from 'node:fs'
import { describe, expect, it, onTestFinished } from 'vitest'
import type { NightReports } from '../src/drive/night/night-report.shape.ts'
import type { DrivenRun, RunQueue } from '../src/drive/service/driven-run.shape.ts'
import { openStores } from '../src/executions/store/open-stores.ts'
import { systemClock } from '../src/kit/clock.ts'
import { randomIds } from '../src/kit/ids.ts'
import { createDriving } from './support/driven-agents.ts'
import { type DrivenScript, dataOf } from './support/driven-home.ts'
import { IS_FULL } from './support/full-counts.ts'
import { findUndescribed } from './support/openapi-document.ts'
import { createPostgresDatabase, POSTGRES_PROGRAMS, runSql } from './support/postgres.ts'
import { openStream } from './support/read-stream.ts'
import { type Serving, startDrover } from './support/serve-drover.ts'
import { GOAL, RUNS, runClient } from './support/served-runs.ts'
import { startServer, type TestServer } from './support/start-server.ts'
import { until } from './support/until.ts'

const pause = { reason: 'decision_required', question: 'Knots or km/h?', destructive_request: null }
const QUESTION = { outcome: { status: 'needs_input', pause, suggested_actions: [] } }
const KEYS = { DROVER_API_KEYS: 'first-key-of-the-test,second-key-of-the-test' }
const as = (key: string) => ({ 'x-api-key': `${key}-key-of-the-test` })

/** A database, a repository, servers that only take requests, and what starts a worker in this process. */
async function createMachines(script: DrivenScript, { deadAfterMs = 20_000 } = {}) {
  const url = await createPostgresDatabase()
  const driving = createDriving(script)
  const repository = realpathSync(driving.repository.root)
  const settings = { drive: { repositories: [repository], checks: ['sh check.sh'] } }
  const door = async (machine: string) => {
    const place = { url, machine, deadAfterMs }
    const server = await startServer({ agents: 'none', isWorker: false, postgres: place, env: KEYS })
    // As `drover serve` does: a process with a name also looks for others that have died.
    await server.context.drover.opened.sessions.owner()
    return server
  }
  const worker = (machine: string) => {
    const place = { url, machine, deadAfterMs }
    return startServer({ postgres: place, config: settings, env: { PATH: driving.env.PATH, ...KEYS } })
  }
  return { url, driving, repository, settings, door, worker }
}

/** What the events of a server have, as it comes. */
async function linesOf({ port }: TestServer, headers: Record<string, string>): Promise<string[]> {
  const stream = await openStream({ port, path: '/api/v1/events', method: 'GET', headers })
  const lines: string[] = []
  const read = async () => {
    for (let line = await stream.nextLine(); line !== undefined; line = await stream.nextLine()) lines.push(line)
  }
  void read()
  return lines
}

const clientOf = (server: TestServer, headers = {}) =>
  runClient((path, request) => server.request(path, request), headers)

describe.skipIf(POSTGRES_PROGRAMS === undefined)('driven runs with one PostgreSQL store', () => {
  it('go from a goal to a branch through servers that drive nothing, and only their key sees them', async () => {
    const { door, worker, driving, repository } = await createMachines({ orient: [QUESTION, {}] })
    const [one, two] = [await door('door-1'), await door('door-2')]
    const headers = as('first')
    const [first, second, other] = [clientOf(one, headers), clientOf(two, headers), clientOf(two, as('second'))]
    expect(await first.post(RUNS, { goal: GOAL, repository })).toMatchObject({
      status: 400,
      body: { error: 'drive_repository_not_named', message: expect.stringContaining('restart drover work there') },
    })
    const params = { name: 'run_start', arguments: { goal: GOAL, repository } }
    const call = { jsonrpc: '2.0', id: 1, method: 'tools/call', params }
    const accept = 'application/json, text/event-stream'
    const called = await one.request('/mcp', { method: 'POST', headers: { ...headers, accept }, body: call })
    expect(called.text).toContain('drive_repository_not_named')
    await worker('one')

    const [news, silence] = [await linesOf(two, headers), await linesOf(two, as('second'))]
    // Both servers get the same request, and one run is started.
    const once = { method: 'POST', headers: { ...headers, 'idempotency-key': 'once' } }
    const body = { goal: GOAL, review: false }
    const answers = await Promise.all([one, two].map((server) => server.request(RUNS, { ...once, body })))
    const [{ id } = { id: '' }, again] = answers.map((answer) => answer.body as DrivenRun)
    expect([answers.map(({ status }) => status), again?.id]).toEqual([[201, 201], id])
    const started = await first.show(id)
    expect(started).toMatchObject({ machine: 'one', repository })
    expect(started.driven_by).not.toBe('this_server')

    const streamed = second.events(id)
    expect(await second.reaches(id, 'waiting')).toMatchObject({ waits_for: { question: 'Knots or km/h?' } })
    expect((await other.list()).runs).toEqual([])
    expect(await other.change(id, 'answer', { text: 'No.' })).toMatchObject({ status: 404 })
    const answering = [first.change(id, 'answer', { text: 'Knots.' }), second.change(id, 'answer', { text: 'Km/h.' })]
    const given = await Promise.all(answering)
    const statuses = given.map(({ status }) => status).sort()
    expect([statuses[0], (statuses[1] ?? 0) >= 400]).toEqual([200, true])

    const run = await first.reaches(id, 'ended')
    expect(driving.repository.git('show', `${run.delivered?.branch}:wind.txt`)).toBe('wind: 23 knots\n')
    for (const path of ['', '/diff', '/diff?path=wind.txt']) {
      const answer = await two.request(`${RUNS}/${id.slice(0, 8)}${path}`, { headers })
      expect([answer.status, findUndescribed('GET', `${RUNS}/{id}${path.replace(/\?.*/, '')}`, answer)]).toEqual([
        200,
        [],
      ])
    }
    const records = driving.records(id)
    const recorded = (await streamed).filter(({ seq }) => seq !== undefined)
    expect(recorded.map(({ seq, type }) => [seq, type])).toEqual(records.map(({ type }, at) => [at + 1, type]))
    const ended = await second.list('?state=queued,ended&search=WIND%20in&backend=claude')
    expect(ended.runs).toMatchObject([{ id, machine: 'one' }])
    for (const found of [`key=${ended.runs[0]?.api_key}`, `search=${id.slice(0, 8)}`, `repository=${repository}`])
      expect((await second.list(`?${found}`)).runs.map((each) => each.id)).toEqual([id])
    for (const other of ['state=running', 'search=w_nd', 'backend=codex', 'label=night', 'key=none'])
      expect([other, (await second.list(`?${other}`)).runs]).toEqual([other, []])
    const told = () => news.map((line) => JSON.parse(line)).flatMap(({ run }) => (run?.id === id ? [run.state] : []))
    expect(await until(() => told().includes('ended') && told())).toEqual(
      expect.arrayContaining(['running', 'waiting', 'ended']),
    )
    expect(silence.filter((line) => line.includes(id))).toEqual([])
    expect(await second.list()).toMatchObject({ repositories: [repository], checks: ['sh check.sh'] })
    expect(await second.change(id, 'stop')).toMatchObject({ status: 409, body: { error: 'driven_run_over' } })
  })

  it.runIf(IS_FULL)(
    'are queued on a worker that has their repository, and keys and repositories take turns',
    async () => {
      const { url, door, worker, driving, repository } = await createMachines({ orient: [{ hangs: true }, {}] })
      const other = createDriving({})
      const elsewhere = realpathSync(other.repository.root)
      const here = await worker('one')
      const away = await startServer({
        postgres: { url, machine: 'two', deadAfterMs: 20_000 },
        config: { drive: { repositories: [elsewhere] } },
        env: { PATH: other.env.PATH, ...KEYS },
      })
      for (const { context } of [here, away]) await context.drover.begin()
      const [one, two] = [await door('door-1'), await door('door-2')]
      const [first, second] = [clientOf(one, as('first')), clientOf(two, as('second'))]
      const queue = { repository, queue: true }
      const running = await first.start({ goal: 'Show the wind', ...queue })
      await first.reaches(running.id, 'running')
      const later = await first.start({ goal: 'Show the rain', ...queue })
      const fair = await second.start({ goal: 'Show the sun', ...queue })
      const there = await second.start({ goal: 'Show the moon', repository: elsewhere, queue: true })
      expect([running, later, fair, there].map(({ machine }) => machine)).toEqual(['one', 'one', 'one', 'two'])
      await second.reaches(there.id, 'ended')
      expect(other.calls().every(({ prompt }) => prompt.includes('Show the moon'))).toBe(true)
      // Every server shows the queue of every worker, to each key its own.
      const shown = async (server: TestServer, key: string) =>
        ((await server.request('/api/v1/queue', { headers: as(key) })).body as RunQueue).runs.map(({ id }) => id)
      expect(await shown(two, 'first')).toEqual([later.id])
      expect(await shown(one, 'second')).toEqual([fair.id])
      expect((await first.change(running.id, 'stop')).status).toBe(200)
      await Promise.all([first.reaches(later.id, 'ended'), second.reaches(fair.id, 'ended')])
      const orients = driving.calls().filter(({ kind }) => kind === 'orient')
      expect(orients.map(({ prompt }) => /Show the (\w+)/.exec(prompt)?.[1])).toEqual(['wind', 'sun', 'rain'])
      const { body } = await one.request('/api/v1/report', { headers: as('second') })
      expect(
        (body as NightReports).repositories.map(({ machine, report }) => [machine, report.runs[0]?.run_id]),
      ).toEqual(
        expect.arrayContaining([
          ['one', fair.id],
          ['two', there.id],
        ]),
      )
    },
  )

  it.runIf(IS_FULL)(
    'are interrupted when others take their worker for dead, and continue when it comes back',
    async () => {
      const script = { orient: [{ hangs: true }, QUESTION] }
      const { url, door, worker, driving } = await createMachines(script, { deadAfterMs: 2000 })
      await worker('one')
      const client = clientOf(await door('door-1'), as('first'))
      const { id } = await client.start()
      await until(() => driving.calls().length === 1)
      // As if it had been paused for long: another process removes it.
      const [{ name } = {}] = await runSql(url, "SELECT name FROM processes WHERE machine = 'one'")
      await until(async () => {
        await runSql(url, `UPDATE processes SET seen_at = now() - interval '1 hour' WHERE name = '${name}'`)
        return (await runSql(url, `SELECT 1 FROM processes WHERE name = '${name}'`)).length === 0
      })
      const run = await client.reaches(id, 'waiting')
      expect(run.attempts?.map(({ action_kind: kind }) => kind)).toEqual(['orient', 'orient'])
      expect(run.attempts?.[0]?.how).not.toBe('answered')
      expect(await runSql(url, `SELECT count(*)::int AS n FROM driven_run_events WHERE run = '${id}'`)).toEqual([
        { n: driving.records(id).length },
      ])
    },
  )

  it.runIf(IS_FULL)(
    'stay listed when their worker, which has no keys, is killed, and continue when it is started again',
    async () => {
      const { url, door, driving, settings } = await createMachines(
        { orient: [{}], implement: [{ hangs: true }, { edits: { 'wind.txt': 'wind: 23 knots\n' } }] },
        { deadAfterMs: 2000 },
      )
      driving.configure(JSON.stringify({ ...settings, warm: { enabled: false } }))
      const work = (): Serving =>
        startDrover(['work', '--store', url], {
          ...driving.env,
          DROVER_STORE_MACHINE: 'one',
          DROVER_STORE_DEAD_AFTER_SECS: '2',
          // A worker has no clients, and needs no keys.
          DROVER_API_KEYS: '',
        })
      const isReady = (serving: Serving) => until(() => serving.heard.stdout.includes('Press Ctrl-C'))
      const killed = work()
      await isReady(killed)
      const [first, second] = [clientOf(await door('door-1'), as('first')), clientOf(await door('door-2'), as('first'))]
      const { id } = await first.start()
      // Published, which is a moment after it began.
      await until(async () => (await first.show(id)).attempts?.at(-1)?.action_kind === 'implement')
      await until(() => driving.calls().some(({ kind }) => kind === 'implement'))
      killed.child.kill('SIGKILL')
      for (const client of [first, second]) {
        const gone = await client.reaches(id, 'interrupted')
        expect(gone).toMatchObject({ machine: 'one', is_machine_gone: true, choices: [], goal: GOAL })
        expect(gone.attempts?.at(-1)).toMatchObject({ action_kind: 'implement', how: 'unknown' })
        expect((await client.list('?state=interrupted')).runs).toMatchObject([{ id }])
      }
      const before = driving.records(id)
      for (const word of ['stop', 'resume', 'skip']) {
        const { status, body } = await second.change(id, word)
        expect({ status, body }).toMatchObject({ status: 503, body: { error: 'drive_machine_gone' } })
      }
      expect(driving.records(id)).toEqual(before)
      await isReady(work())
      const run = await second.reaches(id, 'ended')
      const started = dataOf(driving.records(id), 'attempt_started')
      expect(run.attempts).toHaveLength(started.length)
      expect(run.attempts?.filter(({ action_kind: kind }) => kind === 'implement').length).toBeGreaterThan(1)
      expect(driving.repository.git('show', `${run.delivered?.branch}:wind.txt`)).toBe('wind: 23 knots\n')
      expect((await first.show(id)).is_machine_gone).toBeUndefined()
    },
  )

  it('are published by the process that drives them if it is alive, and removed when they are old', async () => {
    const { url, open } = await openBoards()
    const [one, other] = [await open('one'), await open('one')]
    const run = {
      id: 'run-1',
      askedBy: 'client',
      apiKey: undefined,
      keyId: undefined,
      repository: '/srv/app',
      createdAt: '2026-01-01',
    }
    const rest = {
      ...{ state: 'running', lastSeq: 1, updatedAt: '2026-01-02', isOver: false, diff: undefined, ...run },
      events: [{ seq: 1, content: '{}' }],
    }
    const publish = ({ board }: typeof one, detail: string, driver: 'this' | 'other' | undefined, more = {}) =>
      board.publish({ ...rest, summary: '{}', detail, driver, ...more })
    const stored = async () => (await one.board.find('run-1', undefined))[0]
    expect(await publish(one, 'driven', 'this')).toBe(true)
    expect(await publish(other, 'seen by another process', 'other')).toBe(false)
    expect(await publish(one, 'older', 'this', { lastSeq: 0 })).toBe(false)
    await runSql(url, 'DELETE FROM processes WHERE name = (SELECT driver FROM driven_runs)')
    expect(await publish(one, 'came back', 'this')).toBe(false)
    expect(await stored()).toMatchObject({ document: 'driven', lastSeq: 1 })
    // Under its new name, after what others ended.
    await runSql(url, 'UPDATE driven_runs SET driver = NULL')
    expect(await stored()).toMatchObject({ isDriven: false, isMachineGone: true })
    expect(await publish(one, 'goes on', 'this')).toBe(true)
    expect(await one.board.events('run-1', 0)).toEqual(['{}'])

    // Whether another key has a run is not revealed, not even by the page after it.
    const ofKey = (name: string) => ({ apiKey: name, keyId: `key_${name}`, createdAt: `2026-01-0${name.length}` })
    expect(await publish(one, 'hers', undefined, { id: 'run-ada', ...ofKey('ada') })).toBe(true)
    expect(await publish(one, 'his', undefined, { id: 'run-bobby', ...ofKey('bobby') })).toBe(true)
    const seen = async (keyId: string | undefined, before?: string) => {
      const query = { keyId, state: undefined, repository: undefined, before, limit: 9 }
      return (await one.board.list(query)).map(({ id }) => id)
    }
    expect(await seen('key_ada')).toEqual(['run-ada'])
    expect(await seen('ada')).toEqual([])
    expect(await seen('key_ada', 'run-bobby')).toEqual([])
    expect(await seen(undefined, 'run-bobby')).toEqual(['run-ada', 'run-1'])
    expect(await one.board.find('run-ada', 'key_bobby')).toEqual([])
    await runSql(url, "DELETE FROM driven_runs WHERE api_key <> ''")

    // Only a run that is over, or whose machine is gone, is removed.
    await runSql(url, 'UPDATE processes SET worker = $1', ['{}'])
    expect(await publish(one, 'waits', undefined)).toBe(true)
    expect(await publish(one, 'has ended', undefined, { id: 'run-2', isOver: true })).toBe(true)
    const removed = async (time: string) => [await one.board.removeOld(time), [...(await one.board.published()).keys()]]
    expect(await removed('2026-01-02')).toEqual([0, ['run-1', 'run-2']])
    expect(await removed('2026-01-03')).toEqual([1, ['run-1']])
    await runSql(url, 'UPDATE processes SET worker = NULL')
    expect(await removed('2026-01-03')).toEqual([1, []])
    expect(await runSql(url, 'SELECT * FROM driven_run_events')).toEqual([])
  })

  it('are told of when their machine is gone, also if none drives them', async () => {
    const { open } = await openBoards()
    const [one, two] = [await open('one'), await open('two')]
    const run = {
      ...{ id: 'run-1', askedBy: 'client', apiKey: undefined, keyId: undefined, repository: '/srv/app', events: [] },
      ...{ state: 'waiting', createdAt: '2026-01-01', updatedAt: '2026-01-02', isOver: false, lastSeq: 0 },
      ...{ summary: '{}', detail: '{}', diff: undefined, driver: undefined },
    }
    expect(await one.board.publish(run)).toBe(true)
    expect(await one.board.publish({ ...run, id: 'run-2', isOver: true })).toBe(true)
    const told: (readonly string[] | undefined)[] = []
    two.board.watch((ids) => told.push(ids))
    await until(() => told.length > 0)
    await one.close()
    await until(() => told.length > 1)
    expect(told).toEqual([undefined, ['run-1']])
  })

  it('are taken by one machine after the time of the setting, and the one that lost them can change nothing', async () => {
    const { url, open } = await openBoards()
    const [one, two, three] = [await open('one'), await open('two'), await open('three')]
    const run = {
      ...{ id: 'run-1', askedBy: 'client', apiKey: undefined, keyId: undefined, repository: '/srv/app' },
      ...{ state: 'running', createdAt: '2026-01-01', updatedAt: '2026-01-02', isOver: false, lastSeq: 2 },
      ...{ summary: '{"backend":"claude"}', detail: '{}', diff: undefined, driver: 'this' as const },
      events: [1, 2].map((seq) => ({ seq, content: '{}' })),
    }
    expect(await one.copies.save('run-1', 'early')).toBe(false)
    expect(await one.board.publish(run)).toBe(true)
    expect([await one.copies.save('run-1', 'copy'), await two.copies.save('run-1', 'not its own')]).toEqual([
      true,
      false,
    ])
    await runSql(url, "DELETE FROM processes WHERE machine = 'one'")
    await runSql(url, 'UPDATE driven_runs SET driver = NULL')
    await runSql(url, "INSERT INTO machines (name, seen_at) VALUES ('one', now() - interval '60 seconds')")
    const left = { id: 'run-1', machine: 'one', repository: '/srv/app', backend: 'claude' }
    expect([await two.copies.left(120), await two.copies.left(30)]).toEqual([[], [left]])
    expect(await two.copies.take({ id: 'run-1', seconds: 120 }, [])).toBe(false)
    const rounds = [{ id: 'run-1', events: 1 }]
    const takes = [two, three].map(({ copies }) => copies.take({ id: 'run-1', seconds: 30 }, rounds))
    expect((await Promise.all(takes)).filter(Boolean)).toHaveLength(1)
    const [taken] = await one.board.find('run-1', undefined)
    expect(taken).toMatchObject({ lastSeq: 1, machine: expect.stringMatching(/^t/) })
    expect(await one.board.events('run-1', 0)).toHaveLength(1)

    expect(await one.board.publish({ ...run, driver: undefined })).toBe(false)
    expect(await one.copies.save('run-1', 'late')).toBe(false)
    expect(await one.copies.movedAway(['run-1', 'run-2'])).toEqual(new Map([['run-1', taken?.machine]]))
    const mine = taken?.machine === 'two' ? two : three
    expect(await mine.copies.movedAway(['run-1'])).toEqual(new Map())
    // It has not arrived yet, if its process ended now.
    expect(await mine.copies.left(30)).toMatchObject([{ id: 'run-1', machine: taken?.machine }])
    expect(await mine.board.publish({ ...run, isOver: true })).toBe(true)
    expect(await mine.copies.read('run-1')).toBeUndefined()
  })

  it.runIf(IS_FULL)('answer requests once, and not after the time in which a machine must take them', async () => {
    const { url, open } = await openBoards()
    const [door, worker] = [(await open('door')).calls, (await open('one')).calls]
    const waiting = async () => (await runSql(url, 'SELECT id FROM run_calls')).length === 1
    const answered = door.ask('one', 'a')
    await until(waiting)
    const [first, second] = await Promise.all([worker.take([]), door.take([])])
    expect([first?.request, second, await worker.take([first?.id ?? ''])]).toEqual(['a', undefined, undefined])
    // As if the answer of PostgreSQL had been lost.
    expect(await worker.take([])).toEqual(first)
    await worker.answer(first?.id ?? '', 'done')
    expect(await answered).toEqual({ is: 'answered', answer: 'done' })

    const late = door.ask('one', 'b')
    await until(waiting)
    await runSql(url, 'UPDATE run_calls SET expires_at = now()')
    expect(await worker.take([])).toBeUndefined()
    const lost = door.ask('one', 'c')
    await until(async () => (await worker.take([]))?.request === 'c')
    await runSql(url, 'DELETE FROM processes WHERE machine = $1', ['one'])
    expect(await Promise.all([late, lost])).toEqual([{ is: 'refused' }, { is: 'unknown' }])
  })
})

/** What processes on these machines share, without servers. */
async function openBoards() {
  const url = await createPostgresDatabase()
  const open = async (machine: string) => {
    const postgres = { url, machine, deadAfterMs: 20_000 }
    const { runs, sessions } = await openStores({ postgres, clock: systemClock, ids: randomIds })
    onTestFinished(() => sessions.close())
    if (runs === undefined) throw new Error('PostgreSQL has runs')
    return { ...runs, close: () => sessions.close() }
  }
  return { url, open }
}
