/** Driven runs that meet a budget of the settings. test/drive/limits.test.ts has the limits of providers. */
import { expect, it } from 'vitest'
import { createDriving } from '../support/driven-agents.ts'
import { dataOf, HONEST, runIdIn } from '../support/driven-home.ts'
import { IS_FULL } from '../support/full-counts.ts'
import { createServedDriving } from '../support/served-runs.ts'
import { until } from '../support/until.ts'

const GOAL = 'Show the wind in knots'
const served = (repository: string) => ({
  ...{ drive: { repositories: [repository], checks: ['sh check.sh'] }, warm: { enabled: false } },
})
const settings = (limit: string) => JSON.stringify({ warm: { enabled: false }, budgets: [{ limit }] })

it.runIf(IS_FULL)('pauses with the budget and its reset, and continues under a higher limit', async () => {
  const driving = createDriving({ implement: [HONEST] }, { config: settings('1requests/month') })
  const paused = await driving.drive(GOAL, '--no-review', '--on-limit', 'pause')
  const id = runIdIn(paused.stdout)
  expect(paused.code).toBe(4)
  const reset = /the budget of 1 request per month for all prompts .*it resets at \d{4}-\d\d-01T00:00:00Z/
  expect(dataOf(driving.records(id), 'paused')).toMatchObject([
    { reason: 'budget_spent', message: expect.stringMatching(reset) },
  ])
  expect(paused.stdout).toMatch(reset)
  // Not while nothing has changed.
  expect(await driving.drive(id)).toMatchObject({ code: 4 })
  expect(driving.calls()).toHaveLength(1)
  driving.configure(settings('9requests/month'))
  expect(await driving.drive(id)).toMatchObject({ code: 0 })
})

it('waits until the budget resets, and continues without a person', async () => {
  const driving = createDriving({ implement: [HONEST] }, { config: settings('2requests/day') })
  let now = '2026-11-18T23:59:58.500Z'
  const ran = await driving.call(['drive', GOAL, '--no-review'], {
    clock: { now: () => new Date(now) },
    onOutput: (text) => {
      if (
        text.includes(
          'Waiting until 2026-11-19 00:00:00 UTC: the budget of 2 requests per day for all prompts has nothing left',
        )
      )
        now = '2026-11-19T00:00:02Z'
    },
  })
  expect(ran).toMatchObject({ code: 0, stdout: expect.stringContaining('the budget of 2 requests per day') })
  const records = driving.records(runIdIn(ran.stdout))
  expect(dataOf(records, 'waiting_for_limit')).toHaveLength(1)
  expect(driving.calls()).toHaveLength(3)
})

it('waits in a server, which says for which budget, and continues when it is raised, also while no server runs', async () => {
  const { driving, repository, start } = createServedDriving({ implement: [HONEST] })
  const configure = (limit: string) =>
    driving.configure(JSON.stringify({ ...served(repository), budgets: [{ limit }] }))
  configure('1requests/day')
  const first = await start()
  const { id } = await first.start()
  const budget = { name: 'all prompts', unit: 'requests', period: 'day', limit: 1, used: 1 }
  const { verdict, limit } = await first.reaches(id, 'waiting_for_limit')
  expect(limit).toMatchObject({ backend: 'claude', budget })
  expect(verdict.reason).toMatch(/^the budget of 1 request per day for all prompts has nothing left until/)
  first.child.kill('SIGTERM')
  await first.ended
  configure('2requests/day')
  const second = await start()
  await until(async () => (await second.show(id)).limit?.budget?.limit === 2)
  configure('9requests/day')
  await second.reaches(id, 'ended')
})

it('is stopped in mid-turn by what its agent reports, and pauses', async () => {
  const turn = {
    requests: [
      { input: 40, output: 2 },
      { input: 60, output: 2 },
    ],
    hangs: true,
  }
  const driving = createDriving({ orient: [turn] }, { config: settings('100tokens/month') })
  const ran = await driving.drive(GOAL, '--no-review', '--on-limit', 'pause')
  expect(ran.code).toBe(4)
  expect(dataOf(driving.records(runIdIn(ran.stdout)), 'paused')).toMatchObject([{ reason: 'budget_spent' }])
  const { stdout } = await driving.call(['budgets', '--json'])
  expect(JSON.parse(stdout).budgets).toMatchObject([{ used: 104, reserved: 0, estimated: 0 }])
})
