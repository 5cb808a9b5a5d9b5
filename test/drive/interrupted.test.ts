/** A driver that is interrupted. test/faults/drive-faults.ts kills it. */
import { spawn } from 'node:child_process'
import { expect, it } from 'vitest'
import { createDriving } from '../support/driven-agents.ts'
import { runIdIn } from '../support/driven-home.ts'
import { DROVER, ending } from '../support/run-drover.ts'
import { until } from '../support/until.ts'

it('ends with 130 when it is interrupted, and goes on later', { timeout: 60_000 }, async () => {
  const driving = createDriving({ orient: [{ pause: 20_000 }, {}] })
  const child = spawn(process.execPath, [DROVER, 'drive', 'Show the wind in knots', '--no-review'], {
    cwd: driving.repository.root,
    env: driving.env,
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const ran = ending(child)
  await until(() => driving.calls().length > 0)
  child.kill('SIGINT')
  const { code, stdout, stderr } = await ran
  expect({ code, stderr }).toEqual({ code: 130, stderr: '' })
  expect(stdout).toContain(`drover drive ${runIdIn(stdout).slice(0, 8)}`)
  expect(await driving.drive(runIdIn(stdout))).toMatchObject({ code: 0 })
})
