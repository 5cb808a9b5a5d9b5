/** A run that is started in a folder of a repository: agents and checks work in that folder of the worktree. */

import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { callMain } from '../support/call-main.ts'
import { createDriving } from '../support/driven-agents.ts'
import { dataOf, HONEST, runIdIn } from '../support/driven-home.ts'
import { IS_FULL } from '../support/full-counts.ts'

const GOAL = 'Show the wind in knots'
/** Passes only in the folder. */
const CHECK = `sh -c 'test "$(basename "$PWD")" = web && sh check.sh'`

function createProject() {
  const driving = createDriving({ implement: [{ ...HONEST, runs: ['pwd'] }] })
  driving.repository.write('web/wind.txt', 'wind: 12 m/s\n')
  driving.repository.write('web/check.sh', "grep 'knots$' wind.txt\n")
  driving.repository.commit()
  const surroundings = { env: driving.env, homeDirectory: driving.home }
  const driveIn = (folder: string, ...args: string[]) =>
    callMain(['drive', ...args], { ...surroundings, cwd: join(driving.repository.root, folder) })
  return { driving, driveIn }
}

it.runIf(IS_FULL)('works in that folder, checks it there, and says so', async () => {
  const { driving, driveIn } = createProject()
  const ran = await driveIn('web', GOAL, '--check', CHECK)
  expect(ran).toMatchObject({ code: 0, stderr: '' })
  expect(ran.stdout).toMatch(/^Folder web: agents and checks work there$/m)
  const id = runIdIn(ran.stdout)
  const records = driving.records(id)
  const [{ place } = {}] = dataOf(records, 'drive_started')
  expect(place).toMatchObject({ kind: 'worktree', folder: 'web' })
  expect(dataOf(records, 'evidence')).toMatchObject([
    { claims: [{ subject: 'web/wind.txt', verdict: 'observed' }], flags: [] },
  ])
  expect(dataOf(records, 'delivery_checked')).toMatchObject([{ result: 'passed' }])
  const [{ branch = '' } = {}] = dataOf(records, 'delivered')
  expect(driving.repository.git('diff', '--name-only', 'main', branch)).toBe('web/wind.txt\n')
  expect(driving.calls().every(({ prompt }) => prompt.includes('The current directory is the folder `web`'))).toBe(true)
  expect((await driving.call(['report', id])).stdout).toContain('Folder: `web`.')
  expect((await driving.call(['status', id])).stdout).toContain('folder web: agents and checks work there')
})

it.runIf(IS_FULL)('works in that folder in place, too', async () => {
  const { driving, driveIn } = createProject()
  const ran = await driveIn('web', GOAL, '--in-place', '--check', CHECK, '--no-review')
  expect(ran).toMatchObject({ code: 0, stderr: '' })
  expect(driving.repository.git('status', '--short')).toBe(' M web/wind.txt\n')
})

it('is refused in a folder that the last commit does not have, and leaves nothing', async () => {
  const { driving, driveIn } = createProject()
  mkdirSync(join(driving.repository.root, 'new'))
  const ran = await driveIn('new', GOAL)
  const stderr = expect.stringContaining('the folder new is not part of the last commit')
  expect(ran).toMatchObject({ code: 2, stdout: '', stderr })
  expect(driving.repository.git('worktree', 'list').trim().split('\n')).toHaveLength(1)
  expect(driving.repository.git('branch', '--list', 'drover/*')).toBe('')
})
