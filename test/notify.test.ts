/** Notifications: what targets receive, and what happens if they fail. */
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { describe, expect, it, onTestFinished } from 'vitest'
import { openStores } from '../src/executions/store/open-stores.ts'
import { systemClock } from '../src/kit/clock.ts'
import { randomIds } from '../src/kit/ids.ts'
import { type NotifyTarget, toTestEvent } from '../src/notify/notify-event.ts'
import { deliver } from '../src/notify/tell-target.ts'
import type { Outbox } from '../src/store/outbox.ts'
import { HONEST } from './support/driven-home.ts'
import { firstOf, IS_FULL } from './support/full-counts.ts'
import { createPostgresDatabase, POSTGRES_PROGRAMS } from './support/postgres.ts'
import { DROVER, runAt, temporaryDirectory } from './support/run-drover.ts'
import { portOf, serveDrover } from './support/serve-drover.ts'
import { createServedDriving, GOAL, serveRuns } from './support/served-runs.ts'
import { IS_ON_POSTGRES, startServer } from './support/start-server.ts'
import { until } from './support/until.ts'
import { WebhookReceiver } from './support/webhook-receiver.ts'

const SECRET = 'a secret of the receiver'
const QUESTION = { reason: 'decision_required', question: 'Knots or km/h?', destructive_request: null }
const ASKING = { outcome: { status: 'needs_input', pause: QUESTION, suggested_actions: [] } }

async function startReceiver() {
  const receiver = new WebhookReceiver(SECRET)
  const url = await receiver.start()
  onTestFinished(() => receiver.stop())
  const secret_file = join(temporaryDirectory(), 'secret')
  writeFileSync(secret_file, `${SECRET}\n`)
  return { receiver, target: { name: 'hook', type: 'webhook', url, secret_file } as const }
}

type Place = { path: string } | { url: string }

const STORES: [string, () => Promise<Place>][] = [
  ['SQLite', async () => ({ path: join(temporaryDirectory(), 'sessions.db') })],
  ...(POSTGRES_PROGRAMS === undefined
    ? []
    : [['PostgreSQL', async () => ({ url: await createPostgresDatabase() })] as [string, () => Promise<Place>]]),
]

describe('a server that drives runs', () => {
  it('tells its targets of a question and of the end, in order, signed, also through a kill', async () => {
    const { receiver, target } = await startReceiver()
    const { driving, repository, start } = createServedDriving({ orient: [ASKING, {}] })
    const told = join(driving.scratch, 'told.jsonl')
    const command = ['/bin/sh', '-c', `cat >> ${told}`]
    const targets = [
      target,
      { name: 'mine', type: 'command', command, events: ['delivered'] },
      { name: 'none', type: 'command', command, repositories: ['/elsewhere'] },
    ]
    const settings = { drive: { repositories: [repository], checks: ['sh check.sh'] }, warm: { enabled: false } }
    driving.configure(JSON.stringify({ ...settings, notify: { targets } }))
    // The first attempt fails, and the server is killed before the second.
    receiver.answer = (response, count) => void response.writeHead(count === 1 ? 500 : 204).end()
    const first = await start()
    const { id } = await first.start()
    await until(() => receiver.seen.length === 1)
    await until(() => first.heard.stderr.includes('drover will try again'))
    first.child.kill('SIGKILL')
    await first.ended
    const second = await start()
    await until(() => receiver.accepted.length === 1)
    expect(receiver.accepted[0]).toMatchObject({
      isSigned: true,
      type: 'drover.question',
      data: { run_id: id, goal: GOAL, question: 'Knots or km/h?', url: `http://127.0.0.1:${first.port}/#/runs/${id}` },
    })
    expect(receiver.accepted[0]?.data.text).toContain('Knots or km/h?')
    await second.change(id, 'answer', { text: 'Knots.' })
    await until(() => receiver.accepted.length === 2)
    expect(receiver.accepted.map(({ type, isSigned }) => [type, isSigned])).toEqual([
      ['drover.question', true],
      ['drover.delivered', true],
    ])
    expect(receiver.seen.map(({ id: each }) => each).slice(0, 2)).toEqual(Array(2).fill(receiver.accepted[0]?.id))
    // The shell creates the file before it writes into it.
    await until(() => readFileSync(told, 'utf8').endsWith('\n'))
    const lines = readFileSync(told, 'utf8').trim().split('\n')
    expect(lines.map((line) => JSON.parse(line))).toMatchObject([{ event: 'delivered', run_id: id }])
    expect(first.heard.stderr + second.heard.stderr).not.toContain(SECRET)
    expect(first.heard.stderr + second.heard.stderr).not.toContain(target.url)
  })
})

describe('a store that is full', () => {
  /** As a full disk would, but only for notifications. */
  function fill(path: string): () => void {
    const database = new DatabaseSync(path)
    database.exec("CREATE TRIGGER full BEFORE INSERT ON outbox BEGIN SELECT RAISE(ABORT, 'no space'); END")
    return () => {
      database.exec('DROP TRIGGER full')
      database.close()
    }
  }

  it.runIf(IS_FULL)('loses neither a run nor its notification, even if the server is killed meanwhile', async () => {
    const { receiver, target } = await startReceiver()
    const { driving, repository, start } = createServedDriving({ orient: [ASKING, {}] })
    const drive = { repositories: [repository], checks: ['sh check.sh'] }
    driving.configure(JSON.stringify({ drive, notify: { targets: [target] } }))
    const first = await start()
    const empty = fill(join(driving.home, '.drover', 'sessions.db'))
    const { id } = await first.start()
    await until(() => first.heard.stderr.includes('no one could be notified of a run yet'))
    expect(await first.reaches(id, 'waiting')).toMatchObject({ waits_for: { question: 'Knots or km/h?' } })
    first.child.kill('SIGKILL')
    await first.ended
    const second = await start()
    await until(() => second.heard.stderr.includes('no one could be notified of a run yet'))
    empty()
    await until(() => receiver.accepted.length === 1)
    await second.change(id, 'answer', { text: 'Knots.' })
    await until(() => receiver.accepted.length === 2)
    expect(receiver.accepted.map(({ type }) => type)).toEqual(['drover.question', 'drover.delivered'])
  })

  it.runIf(IS_FULL)('delays what an agent asks for', async () => {
    const { receiver, target } = await startReceiver()
    const server = await startServer({
      agents: 'warm',
      config: { warm: { enabled: true }, notify: { targets: [target] } },
    })
    await server.context.drover.begin()
    const empty = fill(join(server.home, 'sessions.db'))
    const body = { prompt: '{"ask":"Bash"}', backend: 'claude', workdir: server.workdir, approval_mode: 'always' }
    await server.request('/api/v1/prompt', { method: 'POST', body: { ...body, detach: true } })
    await until(() => server.logged.some(({ message }) => message.includes('of what an agent asks for yet')))
    empty()
    await until(() => receiver.accepted.length === 1)
  })
})

describe('an agent that asks for permission', () => {
  const PUBLIC = 'https://drover.example.com'

  it('is announced with its question and a link to the page of its execution', async () => {
    const { receiver, target } = await startReceiver()
    const server = await startServer({
      agents: 'warm',
      server: { public_url: PUBLIC },
      config: { warm: { enabled: true }, notify: { targets: [target] } },
    })
    await server.context.drover.begin()
    const order = JSON.stringify({ ask: 'Bash' })
    const body = { prompt: order, backend: 'claude', workdir: server.workdir, approval_mode: 'always', detach: true }
    const { body: started } = await server.request('/api/v1/prompt', { method: 'POST', body })
    const { execution_id: id } = started as { execution_id: string }
    await until(() => receiver.accepted.length === 1)
    const [told] = receiver.accepted
    expect(told).toMatchObject({
      isSigned: true,
      type: 'drover.approval',
      data: {
        ...{ execution_id: id, tool_name: 'Bash', title: 'An agent asks for permission: Bash', text: 'echo asked' },
        url: `${PUBLIC}/#/executions/${id}`,
      },
    })
    // What it names can be answered.
    const answered = `/api/v1/executions/${id}/approvals/${told?.data['approval_id']}`
    expect((await server.request(answered, { method: 'POST', body: { decision: 'deny' } })).status).toBe(200)
  })

  it.runIf(IS_FULL)('in a driven run is announced for the repository of the run', async () => {
    const { receiver, target } = await startReceiver()
    const script = { implement: [{ asks: 'make wind', ...HONEST }] }
    const { server, repository, start, post, reaches } = await serveRuns(script, {
      config: { warm: { enabled: true }, notify: { targets: [{ ...target, events: ['approval'] }] } },
      drive: { approval_mode: 'always' },
    })
    await server.context.drover.begin()
    const { id } = await start()
    await until(() => receiver.accepted.length === 1)
    const { execution_id, approval_id, ...told } = receiver.accepted[0]?.data ?? {}
    expect(told).toMatchObject({ repository, text: 'make wind' })
    const path = `/api/v1/executions/${execution_id}/approvals/${approval_id}`
    expect((await post(path, { decision: 'allow' })).status).toBe(200)
    expect(await reaches(id, 'ended')).toMatchObject({ verdict: { word: 'delivered' } })
  })
})

it.each(firstOf(STORES))('a budget in %s is announced near its end, and when it is spent', async (_, place) => {
  const { receiver, target } = await startReceiver()
  const where = await place()
  const server = await startServer({
    ...('url' in where && { postgres: where }),
    config: { budgets: [{ limit: '5requests/day' }], notify: { targets: [{ ...target, events: ['budget'] }] } },
  })
  // A server with PostgreSQL has begun already.
  if ('path' in where && !IS_ON_POSTGRES) await server.context.drover.begin()
  const prompt = async () =>
    (
      await server.request('/api/v1/prompt', {
        method: 'POST',
        body: { prompt: 'x', backend: 'claude', workdir: server.workdir },
      })
    ).status
  for (const _prompt of [1, 2, 3, 4]) expect(await prompt()).toBe(200)
  await until(() => receiver.accepted.length === 1)
  expect(await prompt()).toBe(200)
  await until(() => receiver.accepted.length === 2)
  expect(await prompt()).toBe(402)
  const name = 'all prompts, 5 requests/day'
  expect(receiver.accepted.map(({ type, data }) => [type, data['title'], data['level']])).toEqual([
    ['drover.budget', `Budget at 80 %: ${name}`, 'near'],
    ['drover.budget', `Budget spent: ${name}`, 'spent'],
  ])
})

it.skipIf(!IS_FULL || POSTGRES_PROGRAMS === undefined)(
  'two servers with one outbox deliver each event once, in the order of its run',
  async () => {
    const { receiver, target } = await startReceiver()
    const url = await createPostgresDatabase()
    const config = join(temporaryDirectory(), 'config.yaml')
    writeFileSync(config, JSON.stringify({ notify: { targets: [target] } }))
    const serve = (machine: string) =>
      serveDrover(['--port', '0'], { DROVER_CONFIG: config, DROVER_STORE_URL: url, DROVER_STORE_MACHINE: machine })
    await Promise.all([serve('one'), serve('two')].map(portOf))
    const events = Array.from({ length: 60 }, (_, at) => ({
      ...{ id: `msg_${at}`, target: 'hook', stream: `run-${at % 5}` },
      body: JSON.stringify({ ...toTestEvent(`msg_${at}`, '2026-01-01T00:00:00Z', ''), data: { at } }),
    }))
    const { outbox, sessions } = await openStores({
      ...{ clock: systemClock, ids: randomIds, postgres: { url, machine: 'three', deadAfterMs: 20_000 } },
    })
    onTestFinished(() => sessions.close())
    // Each is accepted, so that both servers are busy.
    receiver.answer = (response) => void setTimeout(() => response.writeHead(204).end(), 20)
    await outbox.add(events)
    await until(async () => (await outbox.count())[0]?.waiting === 0)
    const accepted = receiver.accepted.map(({ data }) => Number(data['at']))
    expect(accepted.toSorted((a, b) => a - b)).toEqual(events.map((_, at) => at))
    for (const run of [0, 1, 2, 3, 4]) {
      const own = accepted.filter((at) => at % 5 === run)
      expect(own).toEqual(own.toSorted((a, b) => a - b))
    }
  },
)

describe('drover notify', () => {
  it.runIf(IS_FULL)('tests a target, and lists what waits', async () => {
    const { receiver, target } = await startReceiver()
    const home = temporaryDirectory()
    const config = join(home, 'config.yaml')
    const dead = { name: 'dead', type: 'slack', url: 'http://127.0.0.1:2/services/T000/SECRET' }
    writeFileSync(config, JSON.stringify({ notify: { targets: [target, dead] } }))
    const drover = (...args: string[]) =>
      runAt(home, [process.execPath, DROVER, ...args], { HOME: home, DROVER_CONFIG: config })
    expect(await drover('notify', 'test', 'hook')).toMatchObject({ code: 0, stdout: 'hook accepted a notification.\n' })
    expect(receiver.accepted).toMatchObject([{ isSigned: true, data: { is_test: true } }])
    const failed = await drover('notify', 'test', 'dead')
    expect(failed.code).not.toBe(0)
    expect(failed.stderr).toContain('dead did not accept a notification: ECONNREFUSED')
    expect(failed.stderr).not.toContain('SECRET')
    expect((await drover('notify', 'test', 'nobody')).stderr).toContain('use hook, dead')
    expect((await drover('notify', 'list')).stdout).toMatch(/hook +webhook +all +0 +0\ndead +slack +all +0 +0/)
    expect((await drover('config', 'show')).stdout).not.toContain('SECRET')
  })
})

describe('a target', () => {
  const places = { env: {}, cwd: '/', clock: { now: () => new Date() } }

  it.each<[string, (receiver: WebhookReceiver, target: NotifyTarget) => void, object | undefined]>([
    ['accepts', () => {}, undefined],
    ['fails', (to) => (to.answer = (response) => void response.writeHead(503).end()), { problem: 'it answered 503' }],
    [
      'is gone for good',
      (to) => (to.answer = (response) => void response.writeHead(410).end()),
      { problem: 'it answered 410', isFinal: true },
    ],
    [
      'redirects to loopback',
      (to, { url = '' }) =>
        (to.answer = (response) => void response.writeHead(307, { location: `${url}/inside` }).end()),
      { problem: 'it redirects (307), which is not followed' },
    ],
    ['hangs', (to) => (to.answer = () => {}), { problem: 'no answer within 10 s' }],
  ])('that %s', async (_name, prepare, problem) => {
    const { receiver, target } = await startReceiver()
    prepare(receiver, target)
    expect(await deliver(target, toTestEvent('msg_1', '2026-01-01T00:00:00Z', ''), places)).toEqual(problem)
    expect(receiver.seen).toHaveLength(1)
  })

  it('whose secret is missing is not told anything', async () => {
    const { receiver, target } = await startReceiver()
    const missing = { ...target, secret_file: '/nowhere/secret' }
    expect(await deliver(missing, toTestEvent('msg_1', 'x', ''), places)).toEqual({ problem: 'file_missing' })
    expect(receiver.seen).toEqual([])
  })
})

describe('the outbox', () => {
  async function open(place: Place, clock: { now: () => Date }) {
    const stores = await openStores({
      ...{ clock, ids: randomIds },
      ...('path' in place ? place : { postgres: { url: place.url, machine: randomIds.hex(4), deadAfterMs: 20_000 } }),
    })
    onTestFinished(() => stores.sessions.close())
    return stores.outbox
  }

  it.each(STORES)(
    'of two servers in %s gives each event to one of them, in order, and again after a kill',
    async (_name, place) => {
      let now = Date.parse('2026-01-01T00:00:00Z')
      const where = await place()
      const clock = { now: () => new Date(now) }
      const servers = [await open(where, clock), await open(where, clock)] as const
      const entries = Array.from({ length: 40 }, (_, at) => ({
        ...{ id: `msg_${at}`, target: 'hook', stream: `run-${at % 4}`, body: `${at}` },
      }))
      await servers[0].add(entries)
      await servers[1].add(entries)
      const got: string[] = []
      const work = async (outbox: Outbox) => {
        for (let entry = await outbox.take('hook'); entry !== undefined; entry = await outbox.take('hook')) {
          got.push(entry.body)
          await outbox.delivered(entry)
        }
      }
      await Promise.all(servers.map(work))
      await servers.map(work)[0]
      expect(got.toSorted()).toEqual(entries.map(({ body }) => body).toSorted())
      for (const stream of [0, 1, 2, 3]) {
        const own = got.map(Number).filter((at) => at % 4 === stream)
        expect(own).toEqual(own.toSorted((a, b) => a - b))
      }
      // One that was taken by a process that died is due again, and the next of its stream waits for it.
      await servers[0].add(
        [1, 2].map((at) => ({ id: `late_${at}`, target: 'hook', stream: 'run', body: `late ${at}` })),
      )
      expect(await servers[0].take('hook')).toMatchObject({ body: 'late 1', attempts: 1 })
      expect(await servers[1].take('hook')).toBeUndefined()
      now += 20_001
      const again = await servers[1].take('hook')
      expect(again).toMatchObject({ body: 'late 1', attempts: 1 })
      if (again !== undefined) await servers[1].postpone(again, 3_600_000)
      // The clock is set back by a day: nothing waits for a day.
      now -= 86_400_000
      expect(await servers[0].take('hook')).toMatchObject({ body: 'late 1', attempts: 2 })
      expect(await servers[0].take('another')).toBeUndefined()
      expect(await servers[0].count()).toEqual([{ target: 'hook', waiting: 2, failed: 0 }])
    },
  )

  it.each(STORES)(
    'in %s knows what was delivered for a week, or for as long as it is about something',
    async (_, place) => {
      let now = Date.parse('2026-01-01T00:00:00Z')
      const outbox = await open(await place(), { now: () => new Date(now) })
      const announce = async () => {
        const entry = { target: 'hook', stream: 'x', body: 'x' }
        await outbox.add([
          { ...entry, id: 'of a run' },
          { ...entry, id: 'of a month', endsAt: '2026-02-01T00:00:00Z' },
        ])
        const taken: string[] = []
        for (let next = await outbox.take('hook'); next !== undefined; next = await outbox.take('hook')) {
          taken.push(next.id)
          await outbox.delivered(next)
        }
        return taken
      }
      expect(await announce()).toEqual(['of a run', 'of a month'])
      now += 7 * 86_400_000
      expect(await announce()).toEqual([])
      now += 1000
      expect(await announce()).toEqual(['of a run'])
      now = Date.parse('2026-02-01T00:00:01Z')
      expect(await announce()).toContain('of a month')
    },
  )
})
