/** A driver that is killed again and again: the run still ends, and every call of an agent is an attempt that is shown. */
import { spawn } from 'node:child_process'
import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import type { DriveEvent } from '../../src/drive/record/event.shape.ts'
import { createDriving } from '../support/driven-agents.ts'
import { dataOf, runIdIn } from '../support/driven-home.ts'
import { DROVER, ending } from '../support/run-drover.ts'
import { until } from '../support/until.ts'

it('goes on after it was killed at any record, without losing or repeating one', { timeout: 180_000 }, async () => {
  const driving = createDriving({ orient: [{ pause: 300 }], review: [{ pause: 300 }] })
  const runs = join(driving.repository.root, '.git', 'drover', 'runs')
  const runId = () => (existsSync(runs) ? (readdirSync(runs).find((name) => name.length === 36) ?? '') : '')
  const records = (): DriveEvent[] => {
    const id = runId()
    return id !== '' && existsSync(join(runs, id, 'drive.jsonl')) ? driving.records(id) : []
  }
  const start = (args: readonly string[]) => {
    const child = spawn(process.execPath, [DROVER, 'drive', ...args], {
      cwd: driving.repository.root,
      env: driving.env,
      stdio: 'ignore',
    })
    return { child, ended: new Promise<void>((resolve) => child.on('close', () => resolve())) }
  }
  const before: string[] = []
  for (const added of [2, 2, 3, 2]) {
    const count = records().length
    const { child, ended } = start(runId() === '' ? ['Show the wind in knots', '--check', 'sh check.sh'] : [runId()])
    await until(() => records().length >= count + added || child.exitCode !== null)
    child.kill('SIGKILL')
    await ended
    const now = records().map((each) => JSON.stringify(each))
    expect(now.slice(0, before.length)).toEqual(before)
    before.splice(0, before.length, ...now)
  }
  await start([runId()]).ended
  const all = records()
  const attempts = dataOf(all, 'attempt_started')
  expect(dataOf(all, 'delivered')).toMatchObject([{ as: 'branch' }])
  expect(attempts.map(({ attempt }) => attempt)).toEqual(attempts.map((_, at) => at + 1))
  expect(dataOf(all, 'attempt_ended').map(({ attempt }) => attempt)).toEqual(attempts.map(({ attempt }) => attempt))
  expect(dataOf(all, 'attempt_ended').some(({ how }) => how === 'unknown')).toBe(true)
  const submitted = dataOf(all, 'outcome_submitted').map(({ action_id }) => action_id)
  expect(submitted).toHaveLength(new Set(submitted).size)
  // A call is paid for; an attempt that was killed before its agent got the prompt has none.
  expect(driving.calls().length).toBeLessThanOrEqual(attempts.length)
  const resumed = dataOf(all, 'attempt_started').filter(({ purpose }) => purpose === 'after_unknown_end')
  expect(resumed.length).toBeGreaterThan(0)
})

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
