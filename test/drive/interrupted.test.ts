/** A driver that is interrupted. test/faults/drive-faults.ts kills it. */

import { spawn } from 'node:child_process'
import { existsSync, mkdirSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { createDriving } from '../support/driven-agents.ts'
import { dataOf, runIdIn } from '../support/driven-home.ts'
import { firstOf, IS_FULL } from '../support/full-counts.ts'
import { DROVER, ending } from '../support/run-drover.ts'
import { startDrover } from '../support/serve-drover.ts'
import { until } from '../support/until.ts'

it('ends with 130 when it is interrupted, and continues later', { timeout: 60_000 }, async () => {
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

it.runIf(IS_FULL)('ends with 130 when it is interrupted before an agent has begun', async () => {
  const driving = createDriving()
  const [bin, began] = [join(driving.scratch, 'slow'), join(driving.scratch, 'began')]
  mkdirSync(bin)
  writeFileSync(join(bin, 'git'), `#!/bin/sh\n: > '${began}'\nexec sleep 30\n`, { mode: 0o755 })
  const child = spawn(process.execPath, [DROVER, 'drive', 'Show the wind in knots'], {
    cwd: driving.repository.root,
    env: { ...driving.env, PATH: `${bin}:${driving.env['PATH']}` },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const ran = ending(child)
  await until(() => existsSync(began))
  child.kill('SIGINT')
  expect(await ran).toMatchObject({ code: 130, stdout: '', stderr: 'drover: interrupted before an agent began\n' })
})

it.runIf(IS_FULL)(
  'is said to be interrupted if that was during a check before the work',
  { timeout: 60_000 },
  async () => {
    const driving = createDriving()
    const [began, ended] = [join(driving.scratch, 'began'), join(driving.scratch, 'ended')]
    driving.repository.write('wait.sh', `: > '${began}'\ntest -e '${ended}' || exec sleep 30\n`)
    driving.repository.commit()
    const words = ['drive', 'Show the wind in knots', '--no-review', '--check', 'sh wait.sh']
    const child = spawn(process.execPath, [DROVER, ...words], {
      cwd: driving.repository.root,
      env: driving.env,
      stdio: ['ignore', 'pipe', 'pipe'],
    })
    const ran = ending(child)
    await until(() => existsSync(began))
    child.kill('SIGINT')
    const { code, stdout } = await ran
    const id = runIdIn(stdout)
    expect([code, driving.records(id).at(-1)?.type]).toEqual([130, 'interrupted'])
    const status = await driving.call(['status', id])
    const line = `not driven (interrupted just now): drover drive ${id.slice(0, 8)}`
    expect([stdout, status.stdout]).toEqual([expect.stringContaining(line), expect.stringContaining(line)])
    writeFileSync(ended, '')
    expect(await driving.drive(id)).toMatchObject({ code: 0 })
  },
)

it.each(firstOf(['', 'warm:\n  enabled: false\n']))(
  'continues in a new session if its agent died before it saved the first',
  async (config) => {
    const driving = createDriving({ orient: [{ savesLate: true, dies: true }, {}] }, { config })
    const ran = await driving.drive('Show the wind in knots', '--no-review')
    expect(ran).toMatchObject({ code: 0, stderr: '' })
    const records = driving.records(runIdIn(ran.stdout))
    expect(dataOf(records, 'attempt_ended').slice(0, 3)).toMatchObject([
      { how: 'failed' },
      { how: 'failed', error_code: 'session_expired' },
      { how: 'answered' },
    ])
    const [first, lost, again] = dataOf(records, 'attempt_started')
    expect([first?.resumes, typeof lost?.resumes, again?.resumes]).toEqual([undefined, 'string', undefined])
    expect(again?.purpose).toBe('after_failure')
    // The agent that did not know the session got no prompt.
    expect(driving.calls().filter(({ kind }) => kind === 'orient')).toHaveLength(2)
  },
)

it('counts the time until its driver was killed, and not that until it is continued', async () => {
  const driving = createDriving({ orient: [{ tells: ['I look.'], hangs: true }] })
  const { root } = driving.repository
  const words = ['drive', 'Show the wind in knots', '--root', root, '--no-review', '--max-time', '30m', '--json']
  const driver = startDrover(words, driving.env)
  await until(() => driver.heard.stdout.includes('I look.'))
  const id = runIdIn(driver.heard.stdout)
  const lock = join(driving.runs, id, 'drive.lock')
  const started = driving.records(id).find(({ type }) => type === 'attempt_started')?.at ?? ''
  await until(() => statSync(lock).mtimeMs > Date.parse(started))
  driver.child.kill('SIGKILL')
  await driver.ended
  const livedMs = Date.now() - Date.parse(started)
  driving.rewrite({})
  const clock = { now: () => new Date(Date.now() + 3_600_000) }
  expect(await driving.call(['drive', id], { clock })).toMatchObject({ code: 0 })
  const [unknown] = dataOf(driving.records(id), 'attempt_ended')
  expect(unknown?.how).toBe('unknown')
  expect(unknown?.duration_ms).toBeGreaterThan(0)
  expect(unknown?.duration_ms).toBeLessThanOrEqual(livedMs)
  const shown = JSON.parse((await driving.call(['status', id, '--json'], { clock })).stdout)
  expect(shown.verdict).toMatchObject({ word: 'delivered' })
})
