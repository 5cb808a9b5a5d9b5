/** What is delivered passes its checks in a clean checkout of the commit, and nothing that only the worktree has counts. */

import { spawn } from 'node:child_process'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { createDriving } from '../support/driven-agents.ts'
import { type DrivenTurn, dataOf, HONEST, runIdIn } from '../support/driven-home.ts'
import { firstOf, IS_FULL } from '../support/full-counts.ts'
import { DROVER, ending } from '../support/run-drover.ts'
import { until } from '../support/until.ts'

const GOAL = 'Show the wind in knots'
const NO_ROUNDS = ['--no-review', '--rounds', '0']

function createProject(turn: DrivenTurn = HONEST) {
  const driving = createDriving({ implement: [turn] })
  driving.repository.write('.gitignore', 'built/\ndeps/\n')
  driving.repository.write('package-lock.json', '{}\n')
  driving.repository.write('install.sh', 'mkdir -p deps && touch deps/tool\n')
  driving.repository.commit()
  return driving
}

describe('a delivery', () => {
  it('is checked in a clean checkout with its own ports, prepared in the same way and removed afterwards', async () => {
    const driving = createProject()
    const seen = join(driving.scratch, 'seen')
    const note = `echo "$PWD $DROVER_WORKTREE $DROVER_BRANCH $DROVER_PORT" >> ${seen}`
    const check = `sh -c '${note}; test -e deps/tool && sh check.sh'`
    const ran = await driving.drive(GOAL, '--setup', 'sh install.sh', '--check', check, ...NO_ROUNDS)
    expect(ran).toMatchObject({ code: 0, stderr: '' })
    expect(ran.stdout).toContain('  in a clean checkout: check sh -c')
    const records = driving.records(runIdIn(ran.stdout))
    const [delivered] = dataOf(records, 'delivered')
    const { commit, branch } = delivered ?? {}
    expect(dataOf(records, 'delivery_checked')).toMatchObject([
      { commit, result: 'passed', checks: [{ command: check, passed: true, exit_code: 0 }] },
    ])
    const lines = readFileSync(seen, 'utf8').trim().split('\n')
    const [[place, root, , port] = [], [other, otherRoot, otherBranch, otherPort] = []] = [
      lines.at(-2),
      lines.at(-1),
    ].map((line) => line?.split(' '))
    expect([place, other, otherBranch]).toEqual([root, otherRoot, branch])
    expect(otherRoot).not.toBe(root)
    expect(Number(otherPort) % 10).toBe(0)
    expect(otherPort).not.toBe(port)
    expect(existsSync(otherRoot ?? '')).toBe(false)
    expect(driving.repository.git('worktree', 'list').trim().split('\n')).toHaveLength(1)
  })

  const NEEDED: readonly [string, DrivenTurn, string][] = [
    [
      'files that git ignores',
      { edits: { 'wind.txt': 'wind: 23 knots\n' }, writes: { 'built/knots': '' } },
      "sh -c 'test -e wind.txt -a -e built/knots || grep m/s wind.txt'",
    ],
    [
      'a file in info/exclude',
      { ...HONEST, runs: ['echo knots > helper && echo helper >> "$(git rev-parse --git-path info/exclude)"'] },
      "sh -c 'test -e helper || grep m/s wind.txt'",
    ],
    [
      'a file with skip-worktree',
      {
        edits: { 'sun.txt': 'sun\n' },
        runs: ['git update-index --skip-worktree wind.txt && echo "wind: 23 knots" > wind.txt'],
      },
      'sh check.sh',
    ],
    [
      'a file that is assumed unchanged',
      {
        edits: { 'sun.txt': 'sun\n' },
        runs: ['git update-index --assume-unchanged wind.txt && echo "wind: 23 knots" > wind.txt'],
      },
      'sh check.sh',
    ],
  ]
  it.each(firstOf(NEEDED))('is refused if its checks need %s', async (_, turn, check) => {
    const driving = createProject(turn)
    const ran = await driving.drive(GOAL, '--check', check, ...NO_ROUNDS)
    expect(ran.code).toBe(3)
    expect(ran.stdout).toMatch(
      /^Commit [0-9a-f]{12} on branch drover\/show-the-wind.*, not delivered\nnot delivered: the check .* passes in the worktree and fails in a clean checkout of the commit, which lacks files that are not committed: /m,
    )
    const id = runIdIn(ran.stdout)
    const records = driving.records(id)
    const [{ branch, commit } = {}] = dataOf(records, 'delivered')
    expect(dataOf(records, 'delivery_checked')).toMatchObject([{ commit, result: 'failed' }])
    expect(driving.repository.git('rev-parse', `${branch}`).trim()).toBe(commit)
    // Lines are wrapped, and paths have any length.
    expect(ran.stdout.replaceAll('\n', ' ')).toMatch(
      /The worktree .* stays: its checks fail in a clean checkout of the commit\./,
    )
    expect(ran.stdout).not.toContain('drover merge')
    const report = await driving.call(['report', id])
    expect(report.stdout).toContain('in a clean checkout of the commit; it passes in the worktree')
  })

  it.runIf(IS_FULL)(
    'is refused with the output of a setup that only works in the worktree, and keeps no template of it',
    async () => {
      const driving = createProject({ ...HONEST, edits: { ...HONEST.edits, 'package-lock.json': '{ }\n' } })
      driving.repository.write('install.sh', 'grep -q "{}" package-lock.json || { echo no such version; exit 5; }\n')
      driving.repository.commit()
      const ran = await driving.drive(GOAL, '--setup', 'sh install.sh', '--check', 'sh check.sh', ...NO_ROUNDS)
      expect(ran.code).toBe(3)
      expect(ran.stdout).toContain(
        'in a clean checkout: setup sh install.sh ended with exit code 5\n    no such version\n',
      )
      expect(ran.stdout).toContain(
        'not delivered: in a clean checkout of the commit, the setup sh install.sh ended with',
      )
    },
  )

  it.runIf(IS_FULL)('opens no pull request if its checks fail in a clean checkout', async () => {
    const driving = createProject({ ...HONEST, writes: { 'built/knots': '' } })
    driving.installGitHub({})
    const check = "sh -c 'test -e built/knots || grep m/s wind.txt'"
    const ran = await driving.drive(GOAL, '--check', check, '--deliver', 'pr', ...NO_ROUNDS)
    expect(ran.code).toBe(3)
    expect(dataOf(driving.records(runIdIn(ran.stdout)), 'delivered')).toMatchObject([{ as: 'none' }])
  })

  it.runIf(IS_FULL)('with a check that fails already is not checked again', async () => {
    const driving = createProject()
    const ran = await driving.drive(GOAL, '--check', 'false', ...NO_ROUNDS)
    expect(ran.code).toBe(3)
    expect(dataOf(driving.records(runIdIn(ran.stdout)), 'delivery_checked')).toMatchObject([
      { result: 'skipped', reason: expect.stringContaining('in the worktree, the check false ended with exit code 1') },
    ])
  })

  it.runIf(IS_FULL)('is checked again if its driver was killed meanwhile', { timeout: 60_000 }, async () => {
    const driving = createProject()
    const [began, ready] = [join(driving.scratch, 'began'), join(driving.scratch, 'ready')]
    const wait = `case "$PWD" in */clean-*) test -e ${ready} || { touch ${began}; sleep 60; };; esac`
    const args = ['drive', GOAL, '--check', `sh -c '${wait}; sh check.sh'`, ...NO_ROUNDS]
    const child = spawn(process.execPath, [DROVER, ...args], {
      cwd: driving.repository.root,
      env: driving.env,
      stdio: ['ignore', 'pipe', 'pipe'],
    })
    const ran = ending(child)
    await until(() => existsSync(began))
    child.kill('SIGKILL')
    const runId = runIdIn((await ran).stdout)
    expect(dataOf(driving.records(runId), 'delivery_checked')).toEqual([])
    writeFileSync(ready, '')
    expect(await driving.drive(runId)).toMatchObject({ code: 0, stderr: '' })
    expect(dataOf(driving.records(runId), 'delivery_checked')).toMatchObject([{ result: 'passed' }])
    expect(driving.repository.git('worktree', 'list').trim().split('\n')).toHaveLength(1)
  })
})
