/** Agents that lie, cheat or never end, and what follows when they are told. */
import { execFileSync } from 'node:child_process'
import { existsSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { RunReader } from '../../src/drive/service/run-reader.ts'
import { systemClock } from '../../src/kit/clock.ts'
import { USER } from '../../src/prompts/caller.ts'
import { locateGit } from '../../src/workspace/git.ts'
import { catchLie, LIES } from '../faults/lies.ts'
import { createDriving } from '../support/driven-agents.ts'
import { dataOf, HONEST, runIdIn } from '../support/driven-home.ts'
import { replaceRepository } from '../support/foreign-repository.ts'
import { temporaryDirectory } from '../support/run-drover.ts'

const GOAL = 'Show the wind in knots'

const NOT_LOGGED_IN = 'Failed to authenticate. API Error: 401 {"type":"error","error":{"type":"authentication_error"}}'

describe('an agent that', () => {
  it.each(LIES.filter(({ isAlike }) => !isAlike).map((lie) => [lie.name, lie] as const))('%s', async (_, lie) => {
    await catchLie(temporaryDirectory(), lie)
  })

  it('corrects itself when it is told: continues', async () => {
    const activities = [{ kind: 'test', command: 'sh check.sh', exit_code: 0, summary: 'Fine.' }]
    const implementation = {
      ...{ result: 'applied', files_changed: ['wind.txt'], activities, uncertainties: [], attempts: 1 },
    }
    const turn = { runs: ['sh check.sh'], outcome: { implementation } }
    const driving = createDriving({ implement: [{ ...HONEST, ...turn }, turn] })
    const { code, stdout } = await driving.drive(GOAL, '--no-review')
    expect(code).toBe(0)
    const claims = dataOf(driving.records(runIdIn(stdout)), 'evidence').at(-1)?.claims
    expect(claims?.map(({ verdict }) => verdict)).toEqual(['observed', 'observed'])
  })

  it('dies: tried again once, then the run pauses', async () => {
    const driving = createDriving({ orient: [{ dies: true }] })
    const { code, stdout } = await driving.drive(GOAL, '--no-review')
    expect(code).toBe(4)
    expect(stdout).toContain('Paused (agent_failed)')
    expect(driving.calls()).toHaveLength(2)
    driving.rewrite({})
    expect(await driving.drive(runIdIn(stdout))).toMatchObject({ code: 0 })
  })

  it('is not logged in: not tried again, and the pause says how to log in', async () => {
    const driving = createDriving({ orient: [{ fails: 'error_during_execution', says: NOT_LOGGED_IN }] })
    const { code, stdout } = await driving.drive(GOAL, '--no-review')
    expect(code).toBe(4)
    expect(stdout).toMatch(
      /^Paused \(agent_failed\): claude failed: .*to log in, run `claude` in a terminal and type \/login/m,
    )
    expect(driving.calls()).toHaveLength(1)
  })

  it('replaces the repository of its worktree: that of the run is used, and no program of the other', async () => {
    const driving = createDriving()
    const ran = join(driving.home, 'ran')
    driving.rewrite({ implement: [{ ...HONEST, runs: [replaceRepository(ran)] }] })
    const stopped = await driving.drive(GOAL, '--no-review')
    // The next agent would run it.
    expect([stopped.code, stopped.stdout]).toEqual([4, expect.stringContaining('filter.bad.clean in .git/config')])
    const [, worktree = ''] = /^Worktree (.*)$/m.exec(stopped.stdout) ?? []
    rmSync(join(worktree, '.git'), { recursive: true })
    driving.repository.git('worktree', 'repair')
    const id = runIdIn(stopped.stdout)
    expect(await driving.drive(id)).toMatchObject({ code: 5 })
    const records = driving.records(id)
    const { claims, flags } = dataOf(records, 'evidence')[0] ?? {}
    expect(claims).toMatchObject([{ subject: 'wind.txt', verdict: 'observed' }])
    expect(flags).toContainEqual({ flag: 'agent_configuration_changed', detail: '.git', path: '.git' })
    const [{ branch } = {}] = dataOf(records, 'delivered')
    expect(driving.repository.git('show', `${branch}:wind.txt`)).toBe('wind: 23 knots\n')
    expect(existsSync(ran)).toBe(false)
  })

  it('replaces the repository and asks: the report, the patch and the list come from that of the run', async () => {
    const driving = createDriving()
    const ran = join(driving.home, 'ran')
    const pause = { reason: 'decision_required', question: 'Why?', destructive_request: null }
    const outcome = { status: 'needs_input', suggested_actions: [], pause }
    driving.rewrite({ orient: [{ ...HONEST, runs: [replaceRepository(ran)], outcome }] })
    const { code, stdout } = await driving.drive(GOAL, '--no-review')
    expect(code).toBe(4)
    const id = runIdIn(stdout)
    const shown = await driving.call(['report', id, '--json'])
    expect(JSON.parse(shown.stdout).changes).toEqual([{ path: 'wind.txt', insertions: 1, deletions: 1 }])
    const git = locateGit({ env: driving.env, cwd: '/' })
    const directory = join(driving.env.DROVER_HOME, 'driven-runs')
    const reader = new RunReader({ directory, git, clock: systemClock, version: '1.0.0', isDrivenHere: () => false })
    const facts = await reader.read(reader.find(id, USER))
    expect((await reader.patch(facts)).patch).toContain('\n+wind: 23 knots\n')
    expect((await reader.detail(facts)).report).toContain('| `wind.txt` | +1 | -1 |')
    expect((await driving.drive('--list')).stdout).toContain('it contains another git repository')
    rmSync(facts.run.workspace_identity.git_dir, { recursive: true })
    expect(JSON.parse((await driving.call(['report', id, '--json'])).stdout).changes).toBeUndefined()
    expect(await driving.drive('--list')).toMatchObject({
      code: 0,
      stdout: expect.stringContaining('git cannot read it'),
    })
    expect(existsSync(ran)).toBe(false)
  })

  it('has files changed while a check runs: the check runs again', async () => {
    const driving = createDriving({}, { config: 'drive:\n  attempts: 0\n  rounds: 0\n' })
    const check = `sh -c "grep knots wind.txt && echo bad > wind.txt"`
    const { code, stdout } = await driving.drive(GOAL, '--no-review', '--check', check)
    expect(code).toBe(3)
    expect(stdout).toContain(`not delivered: the check ${check} ended with exit code 1`)
    expect(dataOf(driving.records(runIdIn(stdout)), 'check_ran').map(({ passed }) => passed)).toEqual([true, false])
  })

  it('has files changed after the checks: they do not count', async () => {
    const driving = createDriving()
    // As if a process that the agent left behind wrote a file just before the commit.
    const git = execFileSync('sh', ['-c', 'command -v git'], { encoding: 'utf8' }).trim()
    const late = `[ -n "$GIT_INDEX_FILE" ] || case "$*" in *' add --all'*) echo bad > wind.txt ;; esac`
    writeFileSync(join(driving.scratch, 'bin', 'git'), `#!/bin/sh\n${late}\nexec ${git} "$@"\n`, { mode: 0o755 })
    const { code, stdout } = await driving.drive(GOAL, '--no-review', '--check', 'sh check.sh')
    expect(code).toBe(3)
    expect(stdout).toContain('the check sh check.sh was not run')
    const report = await driving.call(['report', runIdIn(stdout), '--json'])
    expect(JSON.parse(report.stdout).checks).toEqual([{ command: 'sh check.sh', passed: false, result: 'was not run' }])
  })

  it('removes its worktree: what it cost is recorded all the same', async () => {
    const driving = createDriving({ implement: [{ runs: ['rm -rf "$PWD"'], usage: { output: 70 } }] })
    const { code, stderr, stdout } = await driving.drive(GOAL, '--no-review')
    expect(code).toBe(3)
    expect(stderr).toContain('could not be observed')
    expect(dataOf(driving.records(runIdIn(stdout)), 'attempt_ended').at(-1)).toMatchObject({
      how: 'answered',
      usage: { output_tokens: 70 },
      tree: { is_complete: false },
    })
  })
})

describe('a limit', () => {
  it('pauses the run, and a higher one lets it continue', async () => {
    const driving = createDriving({ orient: [{ usage: { input: 200, output: 100 } }] })
    const { code, stdout } = await driving.drive(GOAL, '--no-review', '--max-tokens', '300')
    expect(code).toBe(4)
    expect(stdout).toMatch(/^Limits: 300 tokens$/m)
    expect(await driving.drive(runIdIn(stdout), '--max-tokens', '100000')).toMatchObject({ code: 0 })
  })

  it('max_tokens ends an agent between two model requests, and what it used counts', async () => {
    const driving = createDriving({ orient: [{ requests: Array(3).fill({ input: 100, output: 50 }), hangs: true }] })
    const { code, stdout } = await driving.drive(GOAL, '--no-review', '--max-tokens', '450')
    expect(code).toBe(4)
    expect(stdout).toContain('Paused (max_tokens)')
    const id = runIdIn(stdout)
    expect(dataOf(driving.records(id), 'attempt_ended')).toMatchObject([
      { how: 'budget', usage: { input_tokens: 300, output_tokens: 150 } },
    ])
    expect(await driving.drive(id)).toMatchObject({ code: 4 })
    expect(driving.calls()).toHaveLength(1)
    driving.rewrite({})
    expect(await driving.drive(id, '--max-tokens', '100000')).toMatchObject({ code: 0 })
    expect(driving.calls()[1]?.resumed).toBeDefined()
  })

  it('max_cost is kept by claude itself, between two model requests', async () => {
    const driving = createDriving({ orient: [{ fails: 'error_max_budget_usd', cost: 0.51 }] })
    const { code, stdout } = await driving.drive(GOAL, '--no-review', '--max-cost', '0.5', '--review-with', 'claude')
    expect(code).toBe(4)
    expect(stdout).toContain('Paused (max_cost)')
    expect(driving.calls().map(({ argv }) => argv[argv.indexOf('--max-budget-usd') + 1])).toEqual(['0.500000'])
  })
})
