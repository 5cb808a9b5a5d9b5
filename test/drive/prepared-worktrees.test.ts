/** The worktree of a driven run is prepared, and the checks run once, before any agent is paid. */
import { spawn } from 'node:child_process'
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { createDriving } from '../support/driven-agents.ts'
import { dataOf, runIdIn } from '../support/driven-home.ts'
import { DROVER, ending } from '../support/run-drover.ts'
import { until } from '../support/until.ts'

const GOAL = 'Show the wind in knots'
/** Fails without what the setup installs, and if the wind is not in knots. */
const CHECK = "sh -c 'test -x deps/tool && sh check.sh'"

/** A project whose checks need a dependency that git ignores. */
function createProject(install = 'mkdir -p deps && touch deps/tool && chmod 755 deps/tool') {
  const driving = createDriving()
  const { repository } = driving
  repository.write('.gitignore', 'deps/\n.env.test\nseen\n')
  repository.write('package-lock.json', '{}\n')
  repository.write('install.sh', `${install}\n`)
  repository.commit()
  return driving
}

describe('a driven run in a project with dependencies', () => {
  it('is set up before the first agent, and the next one in the same way without the setup', async () => {
    const driving = createProject('echo ran >> "$LOG" && mkdir -p deps && touch deps/tool && chmod 755 deps/tool')
    const log = join(driving.scratch, 'log')
    Object.assign(driving.env, { LOG: log })
    driving.repository.write('.env.test', 'KEY=1\n')
    const args = ['--setup', 'sh install.sh', '--copy', '.env.test', '--check', CHECK, '--check', 'test -s .env.test']
    const first = await driving.drive(GOAL, ...args)
    expect(first).toMatchObject({ code: 0, stderr: '' })
    const records = driving.records(runIdIn(first.stdout))
    expect(records.map(({ type }) => type).slice(0, 7)).toEqual([
      ...['drive_started', 'preparing', 'preparing', 'prepared', 'baseline_ran', 'baseline_ran', 'baseline_decided'],
    ])
    expect(dataOf(records, 'prepared')).toMatchObject([{ from: 'setup', copied: ['.env.test'], notes: [] }])
    expect(dataOf(records, 'baseline_ran').map(({ passed }) => passed)).toEqual([false, true])
    expect(first.stdout).toContain('  setup: sh install.sh\n')
    const second = await driving.drive('Show the rain in knots', ...args)
    expect(second).toMatchObject({ code: 0, stderr: '' })
    expect(dataOf(driving.records(runIdIn(second.stdout)), 'prepared')).toMatchObject([{ from: 'template' }])
    expect(readFileSync(log, 'utf8')).toBe('ran\n')
    expect((await driving.drive('--list')).stdout).toMatch(
      /^No worktrees.*\n1 prepared copy for new worktrees, 0\.0 MiB: /,
    )
    const { templates } = JSON.parse((await driving.drive('--list', '--json')).stdout)
    expect(templates).toMatchObject([{ files: 1, bytes: 0 }])
    expect(driving.repository.git('status', '--short', '--ignored')).toBe('!! .env.test\n')
  })

  it('shares what is installed already, and tells setup, checks and agents where they are', async () => {
    const driving = createProject()
    driving.repository.write('deps/tool', '')
    const seen = join(driving.scratch, 'seen')
    const check = `sh -c 'echo "$DROVER_WORKTREE $DROVER_BRANCH $DROVER_PORT" >> ${seen}; test -e deps/tool'`
    const ran = await driving.drive(GOAL, '--share', 'deps', '--setup', 'false', '--check', check, '--no-review')
    expect(ran).toMatchObject({ code: 0, stderr: '' })
    const records = driving.records(runIdIn(ran.stdout))
    expect(dataOf(records, 'prepared')).toMatchObject([{ from: 'share' }])
    const [{ place } = { place: undefined }] = dataOf(records, 'drive_started')
    const { root, branch, port } = place as unknown as { root: string; branch: string; port: number }
    expect(new Set(readFileSync(seen, 'utf8').trim().split('\n'))).toEqual(new Set([`${root} ${branch} ${port}`]))
    expect(port % 10).toBe(0)
  })

  it('says what to add if the project has dependencies and no setup is given', async () => {
    const driving = createProject()
    driving.repository.write('package.json', '{ "scripts": { "test": "sh check.sh" } }')
    driving.repository.commit()
    const { code, stderr } = await driving.drive(GOAL, '--no-review')
    expect(code).toBe(0)
    expect(stderr).toMatch(
      /^drover: note: this project uses npm \(package-lock\.json\).*--setup 'npm ci' --check 'npm test'/,
    )
  })

  it('pauses with the output of a setup that fails, and runs it again', async () => {
    const driving = createProject('test -e "$READY" || { echo no network; exit 7; }; mkdir deps')
    const ready = join(driving.scratch, 'ready')
    Object.assign(driving.env, { READY: ready })
    const failed = await driving.drive(GOAL, '--setup', 'sh install.sh', '--no-review')
    expect(failed).toMatchObject({ code: 4, stderr: '' })
    expect(failed.stdout).toContain('  setup sh install.sh ended with exit code 7\n    no network\n')
    expect(failed.stdout).toContain(
      'Paused (setup_failed): the setup failed: sh install.sh; repair it, then continue\n',
    )
    expect(driving.calls()).toEqual([])
    writeFileSync(ready, '')
    expect(await driving.drive(runIdIn(failed.stdout))).toMatchObject({ code: 0, stderr: '' })
  })

  it('is prepared again from its commit if the driver was killed during the setup', { timeout: 60_000 }, async () => {
    const driving = createProject(
      'mkdir deps; : > "$BEGAN"; test -e "$READY" || sleep 60; touch deps/tool; chmod 755 deps/tool',
    )
    const [began, ready] = [join(driving.scratch, 'began'), join(driving.scratch, 'ready')]
    Object.assign(driving.env, { BEGAN: began, READY: ready })
    const args = ['drive', GOAL, '--setup', 'sh install.sh', '--check', CHECK, '--no-review']
    const child = spawn(process.execPath, [DROVER, ...args], {
      cwd: driving.repository.root,
      env: driving.env,
      stdio: ['ignore', 'pipe', 'pipe'],
    })
    const ran = ending(child)
    await until(() => existsSync(began))
    child.kill('SIGKILL')
    const runId = runIdIn((await ran).stdout)
    writeFileSync(ready, '')
    expect(await driving.drive(runId)).toMatchObject({ code: 0, stderr: '' })
    expect(dataOf(driving.records(runId), 'prepared')).toMatchObject([{ from: 'setup' }])
  })

  it.each([
    ['../outside', 'it must stay in the repository'],
    ['.git/config', 'it is part of a git repository'],
  ])('is refused with %s to copy, and nothing is created', async (path, problem) => {
    const driving = createProject()
    const ran = await driving.drive(GOAL, '--copy', path)
    expect(ran).toMatchObject({ code: 2, stdout: '', stderr: expect.stringContaining(problem) })
    expect(driving.repository.git('worktree', 'list').trim().split('\n')).toHaveLength(1)
  })
})

describe('checks before the work', () => {
  it('that cannot run pause it before the first agent', async () => {
    const driving = createProject()
    const ran = await driving.drive(GOAL, '--check', 'npm-tset')
    expect(ran).toMatchObject({ code: 4 })
    expect(ran.stdout).toMatch(/Paused \(baseline_failed\): the check npm-tset cannot run: .*not found/)
    expect(driving.calls()).toEqual([])
    expect(await driving.drive(runIdIn(ran.stdout), '--check', 'true')).toMatchObject({ code: 0 })
  })

  it('that fail pause it if the baseline is required, until they are repaired', async () => {
    const driving = createProject()
    const ran = await driving.drive(GOAL, '--check', 'sh check.sh', '--baseline', 'require', '--no-review')
    expect(ran.code).toBe(4)
    expect(ran.stdout).toContain('before the work, these checks fail: sh check.sh;')
    expect(driving.calls()).toEqual([])
    expect(await driving.drive(runIdIn(ran.stdout), '--baseline', 'note')).toMatchObject({ code: 0, stderr: '' })
  })

  it('are skipped on request', async () => {
    const driving = createProject()
    const ran = await driving.drive(GOAL, '--check', 'sh check.sh', '--baseline', 'skip', '--no-review')
    expect(ran.code).toBe(0)
    expect(dataOf(driving.records(runIdIn(ran.stdout)), 'baseline_ran')).toEqual([])
  })

  it('that passed and fail at the end are called a regression', async () => {
    const driving = createProject()
    const check = "sh -c 'grep m/s wind.txt'"
    const ran = await driving.drive(GOAL, '--check', check, '--no-review', '--rounds', '0')
    expect(ran.code).toBe(3)
    const report = await driving.call(['report', runIdIn(ran.stdout)])
    expect(report.stdout).toContain('it passed before the work')
  })
})

it('leaves nothing of a template that was removed', async () => {
  const driving = createProject()
  await driving.drive(GOAL, '--setup', 'sh install.sh', '--no-review')
  rmSync(join(driving.home, '.drover', 'templates'), { recursive: true })
  const again = await driving.drive('Show the rain in knots', '--setup', 'sh install.sh', '--no-review')
  expect(dataOf(driving.records(runIdIn(again.stdout)), 'prepared')).toMatchObject([{ from: 'setup' }])
})
