/** Agents that send their requests to their provider again and again. */
import { spawn } from 'node:child_process'
import { expect, it } from 'vitest'
import { createDriving } from '../support/driven-agents.ts'
import { dataOf, HONEST, runIdIn } from '../support/driven-home.ts'
import { IS_FULL } from '../support/full-counts.ts'
import { DROVER, ending } from '../support/run-drover.ts'
import { until } from '../support/until.ts'

const GOAL = 'Show the wind in knots'

it.each([
  ['claude', 'retry 4 of 10 after 529 overloaded'],
  ['codex', 'Reconnecting... 4/5 (high demand)'],
])('a retry of %s is shown, and not each of them', async (backend, last) => {
  const driving = createDriving({ implement: [{ ...HONEST, retries: 5 }] })
  const ran = await driving.drive(GOAL, '--no-review', '--with', backend)
  expect(ran).toMatchObject({ code: 0, stderr: '' })
  const shown = ran.stdout.split('\n').filter((line) => line.includes('retries since'))
  expect(shown).toHaveLength(3)
  expect(shown[2]).toMatch(new RegExp(`^ {2}${backend} retries since \\S+ \\S+ UTC, 4 times so far: `))
  expect(shown[2]).toContain(last)
  expect(ran.stdout).toContain(`  the provider of ${backend} has answered\n`)
  const retries = dataOf(driving.records(runIdIn(ran.stdout)), 'agent_retries')
  expect(retries.map(({ count, since }) => [count, since])).toEqual([1, 2, 4].map((n) => [n, retries[0]?.since]))
})

it.runIf(IS_FULL)('the status says so while it retries', async () => {
  const driving = createDriving({ implement: [{ retries: 2, hangs: true }] })
  const child = spawn(process.execPath, [DROVER, 'drive', GOAL, '--no-review'], {
    cwd: driving.repository.root,
    env: driving.env,
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const ran = ending(child)
  let shown = ''
  child.stdout.on('data', (text) => (shown += text))
  await until(() => shown.includes('2 times so far'))
  const id = runIdIn(shown)
  const words =
    /claude works on implement, and retries since .{20,30}, 2 times so far: retry 2 of 10 after 529 overloaded/
  const { stdout: status } = await driving.call(['status', id])
  expect(status).toMatch(words)
  expect(status).toMatch(/implement by claude: retries since .{20,30}, 2 times so far: retry 2 of 10/)
  const { verdict } = JSON.parse((await driving.call(['status', id, '--json'])).stdout)
  expect(verdict).toMatchObject({ word: 'running', reason: expect.stringMatching(words) })
  child.kill('SIGINT')
  await ran
  expect((await driving.call(['status', id])).stdout).not.toContain('retries since')
})
