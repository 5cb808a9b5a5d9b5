/** Budgets in the store: reserved before, charged once, by all processes together. */
import { setImmediate } from 'node:timers/promises'
import pg from 'pg'
import { expect, it, onTestFinished } from 'vitest'
import { IS_FULL } from '../../../test/support/full-counts.ts'
import { createPostgresDatabase, POSTGRES_PROGRAMS, runSql } from '../../../test/support/postgres.ts'
import { describeStores, type Place, type StoreKind } from '../../../test/support/stores.ts'
import { until } from '../../../test/support/until.ts'
import { agentDisconnected } from '../../agents/warm/faults.ts'
import { type Clock, systemClock } from '../../kit/clock.ts'
import { Fault } from '../../kit/fault.ts'
import { programNotFound } from '../../kit/faults.ts'
import { randomIds } from '../../kit/ids.ts'
import { type Budget, keyScope, toBudget } from '../../prompts/budget-limit.ts'
import type { PromptLike } from '../../prompts/decide-budget.ts'
import type { PromptResult } from '../../prompts/prompt-result.ts'
import { Executions } from '../local-executions.ts'
import { openStores } from './open-stores.ts'
import type { Stores } from './stores.ts'

/** For a slow machine; each waits for PostgreSQL several times. */
const PROMPTS = IS_FULL ? 1000 : 120

const CI = { id: 'key_ci', name: 'ci' }
const LIKE: PromptLike = { keyId: CI.id, backend: 'claude', model: undefined, isFree: false }
const usage = { input_tokens: 10, output_tokens: 5, cached_tokens: 0, reasoning_tokens: 0 }

const budget = (text: string): Budget => toBudget(text, keyScope(CI))

/** Without a cost, that is not known. */
const resultOf = (cost: number | undefined): PromptResult => ({
  ...{ session_id: '', backend: 'claude', exit_code: 0, duration_ms: 7, output: 'x', token_usage: usage },
  ...(cost === undefined ? { model: 'mine' } : { model: 'opus', cost_usd: cost, cost_kind: 'reported' }),
})

/** One process. */
async function open(kind: StoreKind, place: Place, clock: Clock = { now: () => new Date('2026-01-31T12:00:00Z') }) {
  const stores = await kind.openBoth({ place, clock })
  const owner = await stores.sessions.owner()
  const records = new Executions({
    ...{
      openStore: async () => stores.executions,
      owner: async () => owner,
      clock,
      ids: randomIds,
      keep: 'none' as const,
    },
    ...{ onFailure: () => {}, toWarning: String },
  })
  /** Undefined if it was refused. */
  const run = async (budgets: readonly Budget[], cost: number | undefined, work = async () => {}, like = LIKE) => {
    const start = { kind: 'prompt' as const, backend: 'claude', isEphemeral: false, client: CI, onCancel: () => {} }
    const recording = records.begin(start)
    try {
      const reservation = await stores.budgets.reserve({ executionId: recording.id, like, budgets })
      recording.reserved()
      await recording.started()
      await work()
      await recording.end(resultOf(cost))
      return reservation
    } catch (error) {
      await recording.abandon(error)
      if (error instanceof Fault) return undefined
      throw error
    }
  }
  return { stores, records, run }
}

const used = async ({ budgets }: Stores, ...of: Budget[]) =>
  (await budgets.list(of)).map((each) => [each.used, each.reserved, each.lost])

describeStores('budgets', (kind) => {
  it('are overshot by at most one prompt of each agent that runs, and show what the usage shows', async () => {
    const place = await kind.newPlace()
    const first = await open(kind, place)
    const processes = [first, await open(kind, place), await open(kind, place)]
    const dollar = budget('1usd/day')
    const [agents, cost] = [4, 0.03]
    let started = 0
    // On three processes, with four agents each.
    const prompts = processes.flatMap(({ run }) =>
      Array.from({ length: agents }, async () => {
        for (let prompt = 0; prompt < PROMPTS / 12; prompt += 1)
          if ((await run([dollar], cost)) !== undefined) started += 1
      }),
    )
    await Promise.all(prompts)
    const [[spent = 0, reserved] = []] = await used(first.stores, dollar)
    expect(reserved).toBe(0)
    expect(spent).toBe(Math.round(started * cost * 1_000_000))
    expect(spent).toBeGreaterThanOrEqual(1_000_000)
    expect(spent).toBeLessThanOrEqual(1_000_000 + processes.length * agents * cost * 1_000_000)
    const { totals } = await first.stores.executions.usage({ since: '2026-01-01', until: '2026-01-31' })
    expect(totals.cost_usd).toBeCloseTo(spent / 1_000_000, 9)
  }, 120_000)

  it('let as many of many prompts at once start as fit, on several processes', async () => {
    const place = await kind.newPlace()
    const first = await open(kind, place)
    const processes = [first, await open(kind, place), await open(kind, place)]
    const dollar = budget('1usd/day')
    let [running, most, cost] = [0, 0, 0.3]
    const costs: number[] = []
    const work = async () => {
      running += 1
      most = Math.max(most, running)
      await setImmediate()
      running -= 1
    }
    const ask = async (index: number) => {
      cost += 0.0001
      const own = Math.round(cost * 1_000_000) / 1_000_000
      const reservation = await processes[index % processes.length]?.run([dollar], own, work)
      if (reservation !== undefined) costs.push(own)
    }
    await Promise.all(Array.from({ length: PROMPTS }, (_, index) => ask(index)))
    const [[spent = 0, reserved] = []] = await used(first.stores, dollar)
    expect([reserved, spent]).toEqual([0, Math.round(costs.reduce((sum, each) => sum + each, 0) * 1_000_000)])
    expect(costs.length).toBeGreaterThan(0)
    expect(spent).toBeLessThanOrEqual(1_000_000 + most * Math.max(...costs) * 1_000_000)
    const { totals } = await first.stores.executions.usage({ since: '2026-01-01', until: '2026-01-31' })
    expect(totals.cost_usd).toBeCloseTo(spent / 1_000_000, 9)
  }, 120_000)

  it('all have to have something left, and a refusal reserves nothing', async () => {
    const { stores, run } = await open(kind, await kind.newPlace())
    const [one, two] = [budget('9usd/day'), budget('1requests/once')]
    expect(await run([two, one], 2)).toBeDefined()
    expect(await run([two, one], 2)).toBeUndefined()
    expect(await used(stores, one, two)).toEqual([
      [2_000_000, 0, 0],
      [1, 0, 0],
    ])
  })

  it('are not charged for a prompt that fails before its agent starts', async () => {
    const { stores, run } = await open(kind, await kind.newPlace())
    const of = [budget('1requests/once'), budget('9usd/day'), budget('9Mtokens/day'), budget('9minutes/day')]
    const fail = (error: Error) => () => Promise.reject(error)
    for (const error of [programNotFound({ program: 'claude' }), agentDisconnected({ method: 'initialize' })])
      expect(await run(of, 0, fail(error))).toBeUndefined()
    expect(await used(stores, ...of)).toEqual(of.map(() => [0, 0, 0]))
    // It had the prompt, so no one knows what it has done.
    await run(of, 0, fail(agentDisconnected({ method: 'session/prompt' })))
    expect((await used(stores, ...of)).slice(0, 2)).toEqual([
      [1, 0, 0],
      [250_000, 0, 250_000],
    ])
  })

  it.each([
    ['an agent fails to start that answers in place of another one', programNotFound({ program: 'codex' })],
    ['no one waits for the end of a prompt', undefined],
  ])('are charged what was reserved if %s', async (_, error) => {
    const { stores, records } = await open(kind, await kind.newPlace())
    const of = [budget('9requests/once'), budget('9usd/day')]
    const start = { kind: 'prompt' as const, backend: 'claude', isEphemeral: false, client: CI, onCancel: () => {} }
    const recording = records.begin(start)
    await stores.budgets.reserve({ executionId: recording.id, like: LIKE, budgets: of })
    recording.reserved()
    await recording.started()
    recording.handedTo('codex')
    await recording.abandon(error)
    expect(await used(stores, ...of)).toEqual([
      [1, 0, 0],
      [250_000, 0, 250_000],
    ])
    const { totals } = await stores.executions.usage({ since: '2026-01-01', until: '2026-01-31' })
    expect(totals.executions).toBe(1)
  })

  it('reserve what prompts of the key used before', async () => {
    const { run } = await open(kind, await kind.newPlace())
    const dollars = budget('9usd/day')
    const amount = async () => (await run([dollars], 0.5))?.amounts.get(dollars.id)
    expect([await amount(), await amount()]).toEqual([250_000, 500_000])
  })

  it('charge each prompt of unknown cost what the first one was charged, and refuse the one past the limit', async () => {
    const { stores, run } = await open(kind, await kind.newPlace())
    const dollar = budget('1usd/day')
    const shown = []
    for (const _ of [1, 2, 3, 4]) {
      expect(await run([dollar], undefined)).toBeDefined()
      shown.push(...(await used(stores, dollar)))
    }
    expect(shown).toEqual([250_000, 500_000, 750_000, 1_000_000].map((amount) => [amount, 0, amount]))
    expect(await run([dollar], undefined)).toBeUndefined()
  })

  it('let as many prompts of unknown cost start at once as fit, on several processes', async () => {
    const place = await kind.newPlace()
    const processes = [await open(kind, place), await open(kind, place)] as const
    const dollar = budget('1usd/day')
    // After these, a reservation that they lower would let all start.
    for (const _ of [1, 2]) await processes[0].run([budget('9usd/day')], undefined)
    const { promise: released, resolve: release } = Promise.withResolvers<void>()
    let [running, refused] = [0, 0]
    const work = async () => {
      running += 1
      await released
    }
    const prompts = Array.from({ length: 12 }, async (_, at) => {
      const reservation = await processes[at % 2]?.run([dollar], undefined, work)
      if (reservation === undefined) refused += 1
    })
    await until(async () => running + refused === 12)
    expect([running, refused]).toEqual([2, 10])
    expect(await used(processes[1].stores, dollar)).toEqual([[500_000, 500_000, 500_000]])
    release()
    await Promise.all(prompts)
    expect(await used(processes[1].stores, dollar)).toEqual([[1_000_000, 0, 1_000_000]])
  })

  it('reserve the known cost of other prompts for one of unknown cost, and next to nothing for one that is free', async () => {
    const { run } = await open(kind, await kind.newPlace())
    const dollars = budget('9usd/day')
    const amount = async (cost: number | undefined, like = LIKE) =>
      (await run([dollars], cost, async () => {}, like))?.amounts.get(dollars.id)
    await amount(0.5)
    expect([await amount(undefined), await amount(undefined), await amount(undefined)]).toEqual(Array(3).fill(500_000))
    const mine = { ...LIKE, model: 'mine' }
    expect([await amount(undefined, mine), await amount(undefined, { ...mine, isFree: true })]).toEqual([500_000, 1])
  })

  it('stop a prompt that has used what is left, and charge it once', async () => {
    const { stores, run } = await open(kind, await kind.newPlace())
    const dollars = budget('1usd/day')
    const { promise: stopped, resolve } = Promise.withResolvers<unknown>()
    const reserve = stores.budgets.reserve.bind(stores.budgets)
    const other = await reserve({ executionId: 'exec_other', like: LIKE, budgets: [dollars] })
    expect(await other.raise(new Map([[dollars.id, 600_000]]))).toBeUndefined()
    await run([dollars], 0.4, async () => {
      expect(await used(stores, dollars)).toEqual([[0, 850_000, 0]])
      resolve(await other.raise(new Map([[dollars.id, 800_000]])))
    })
    expect(await stopped).toMatchObject({ code: 'budget_full' })
    expect(await used(stores, dollars)).toEqual([[400_000, 800_000, 0]])
  })

  it('keep what was used under another limit, and count each period apart', async () => {
    const place = await kind.newPlace()
    let now = new Date('2026-01-31T23:59:00Z')
    const { stores, run } = await open(kind, place, { now: () => now })
    await run([budget('1usd/day')], 1)
    expect(await run([budget('1usd/day')], 1)).toBeUndefined()
    expect(await used(stores, budget('5usd/day'))).toEqual([[1_000_000, 0, 0]])
    // It ends on the next day, and is charged to the day on which it began.
    await run([budget('5usd/day')], 2, async () => {
      now = new Date('2026-02-01T00:01:00Z')
    })
    expect(await used(stores, budget('5usd/day'))).toEqual([[0, 0, 0]])
    now = new Date('2026-01-31T23:59:00Z')
    expect(await used(stores, budget('5usd/day'))).toEqual([[3_000_000, 0, 0]])
  })

  it('stay readable, whatever agents say', async () => {
    const { stores, run } = await open(kind, await kind.newPlace())
    const tokens = budget('999999999Mtokens/once')
    const dollars = budget('999999999Musd/once')
    for (const cost of [1e9, 1e300, -1]) await run([dollars, tokens], cost)
    expect(await used(stores, dollars)).toEqual([[Number.MAX_SAFE_INTEGER, 0, 0]])
    expect(await run([dollars], 1)).toBeUndefined()
  })

  it('give nothing away if rows were damaged, or removed while a prompt ran', async () => {
    const place = await kind.newPlace()
    const { stores, run } = await open(kind, place)
    const requests = budget('3requests/once')
    await place.query(`INSERT INTO budgets (budget, period, used, lost) VALUES ('${requests.id}', 'once', -9, -9)`)
    for (const id of [requests.id, 'nonsense'])
      await place.query(`INSERT INTO budget_reservations (execution_id, budget, period, owner, amount)
        VALUES ('exec_damaged', '${id}', 'once', 'nobody', -9)`)
    expect(await used(stores, requests)).toEqual([[0, 0, 0]])
    expect(await run([requests], 0)).toBeDefined()
    expect(await used(stores, requests)).toEqual([[1, 0, 0]])
    await run([requests], 0, async () => void (await place.query('DELETE FROM budgets')))
    expect(await used(stores, requests)).toEqual([[1, 0, 0]])
    await stores.executions.loseAllOf('nobody')
    expect(await place.query('SELECT * FROM budget_reservations')).toEqual([])
    for (const _ of [2, 3]) expect(await run([requests], 0)).toBeDefined()
    expect(await run([requests], 0)).toBeUndefined()
  })

  it('charge what a process had reserved that others find dead', async () => {
    const place = await kind.newPlace({ deadAfterMs: 400 })
    const { stores } = await open(kind, place)
    const dollars = budget('1usd/day')
    const asked = { executionId: 'exec_dead', like: LIKE, budgets: [dollars] }
    await stores.budgets.reserve(asked)
    await stores.executions.loseAllOf(await stores.sessions.owner())
    expect(await used(stores, dollars)).toEqual([[250_000, 0, 250_000]])
    await stores.executions.loseAllOf(await stores.sessions.owner())
    expect(await used(stores, dollars)).toEqual([[250_000, 0, 250_000]])
  })
})

it.skipIf(POSTGRES_PROGRAMS === undefined)('prompts that wait for a budget leave connections for others', async () => {
  const url = await createPostgresDatabase()
  const options = { clock: systemClock, ids: randomIds, postgres: { url, machine: 'here', deadAfterMs: 20_000 } }
  const stores = await openStores(options)
  onTestFinished(() => stores.sessions.close())
  const requests = budget('99requests/once')
  const ask = (number: number) =>
    stores.budgets.reserve({ executionId: `exec_${number}`, like: LIKE, budgets: [requests] })
  await ask(0)
  const other = new pg.Client({ connectionString: url })
  await other.connect()
  onTestFinished(() => other.end())
  await other.query('BEGIN; SELECT used FROM drover.budgets FOR UPDATE')
  const waiting = Array.from({ length: 30 }, (_, index) => ask(index + 1))
  const waits = "SELECT 1 FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND datname = current_database()"
  // Not by this connection: in a transaction, it would see the same each time.
  await until(async () => (await runSql(url, waits)).length > 0)
  await stores.sessions.checkWritable()
  await other.query('COMMIT')
  expect(await Promise.all(waiting)).toHaveLength(30)
})
