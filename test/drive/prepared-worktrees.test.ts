/** The worktree of a driven run is prepared, and the checks run once, before any agent is paid. */

import { execFileSync, spawn, spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { READS_ENVIRONMENTS } from '../../src/kit/process/process-tree.ts'
import { createDriving } from '../support/driven-agents.ts'
import { dataOf, runIdIn } from '../support/driven-home.ts'
import { firstOf, IS_FULL } from '../support/full-counts.ts'
import { DROVER, ending } from '../support/run-drover.ts'
import { CAN_MOUNT, fill, withSmallDisk } from '../support/small-disk.ts'
import { isRunning } from '../support/test-command.ts'
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
    const first = await driving.drive(GOAL, ...args, '--no-review')
    expect(first).toMatchObject({ code: 0, stderr: '' })
    const records = driving.records(runIdIn(first.stdout))
    expect(records.map(({ type }) => type).slice(0, 8)).toEqual([
      ...[
        'drive_started',
        'boundary_set',
        'preparing',
        'preparing',
        'prepared',
        'baseline_ran',
        'baseline_ran',
        'baseline_decided',
      ],
    ])
    expect(dataOf(records, 'prepared')).toMatchObject([{ from: 'setup', copied: ['.env.test'], notes: [] }])
    expect(dataOf(records, 'baseline_ran').map(({ passed }) => passed)).toEqual([false, true])
    expect(first.stdout).toContain('  setup: sh install.sh\n')
    const second = await driving.drive('Show the rain in knots', ...args, '--no-review')
    expect(second).toMatchObject({ code: 0, stderr: '' })
    expect(dataOf(driving.records(runIdIn(second.stdout)), 'prepared')).toMatchObject([{ from: 'template' }])
    expect(readFileSync(log, 'utf8')).toBe('ran\n')
    expect((await driving.drive('--list')).stdout).toMatch(/^No worktrees.*\n1 template for new worktrees, 0\.0 MiB: /)
    const { templates } = JSON.parse((await driving.drive('--list', '--json')).stdout)
    expect(templates).toMatchObject([{ files: 1, bytes: 0 }])
    expect(driving.repository.git('status', '--short', '--ignored')).toBe('!! .env.test\n')
  })

  it.runIf(IS_FULL)('shares what is installed already, and tells setup, checks and agents where they are', async () => {
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
    // The last one is the clean checkout.
    const places = readFileSync(seen, 'utf8').trim().split('\n').slice(0, -1)
    expect(new Set(places)).toEqual(new Set([`${root} ${branch} ${port}`]))
    expect(port % 10).toBe(0)
  })

  it.runIf(IS_FULL)('says what to add if the project has dependencies and no setup is given', async () => {
    const driving = createProject()
    driving.repository.write('package.json', '{ "scripts": { "test": "sh check.sh" } }')
    driving.repository.commit()
    const { code, stderr } = await driving.drive(GOAL, '--no-review')
    expect(code).toBe(0)
    expect(stderr).toMatch(
      /^drover: note: this project uses npm \(package-lock\.json\).*--setup 'npm ci' --check 'npm test'/,
    )
    expect(await driving.call(['config', 'set', 'drive.checks', 'sh check.sh'])).toMatchObject({ code: 0 })
    const checked = await driving.drive(GOAL, '--no-review')
    expect(checked.stderr).toMatch(/a new worktree has nothing installed; add --setup 'npm ci', or run/)
  })

  it.runIf(IS_FULL)('pauses with the output of a setup that fails, and runs it again', async () => {
    const driving = createProject('test -e "$READY" || { echo no network; exit 7; }; mkdir deps')
    const ready = join(driving.scratch, 'ready')
    Object.assign(driving.env, { READY: ready })
    const failed = await driving.drive(GOAL, '--setup', 'sh install.sh', '--no-review')
    expect(failed).toMatchObject({ code: 4, stderr: '' })
    expect(failed.stdout).toContain('  setup sh install.sh ended with exit code 7\n    no network\n')
    expect(failed.stdout).toContain(
      'Paused (setup_failed)\nwaits for you: the setup failed: sh install.sh; repair it, or correct it with --setup, then continue\n',
    )
    expect(driving.calls()).toEqual([])
    writeFileSync(ready, '')
    expect(await driving.drive(runIdIn(failed.stdout))).toMatchObject({ code: 0, stderr: '' })
  })

  it.runIf(IS_FULL)(
    'is prepared again from its commit if the driver was killed during the setup',
    { timeout: 60_000 },
    async () => {
      const driving = createProject(
        'mkdir deps; test -e "$READY" || { echo $$ > "$BEGAN"; sleep 60; }; touch deps/tool; chmod 755 deps/tool',
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
      const setup = Number(await until(() => existsSync(began) && readFileSync(began, 'utf8').trim()))
      child.kill('SIGKILL')
      const runId = runIdIn((await ran).stdout)
      expect(isRunning(setup)).toBe(true)
      writeFileSync(ready, '')
      expect(await driving.drive(runId)).toMatchObject({ code: 0, stderr: '' })
      expect(isRunning(setup)).toBe(!READS_ENVIRONMENTS)
      expect(dataOf(driving.records(runId), 'prepared')).toMatchObject([{ from: 'setup' }])
    },
  )

  it.runIf(IS_FULL)(
    'runs beside another one: each has its worktree and its ports, and one template is left',
    async () => {
      // Each setup waits for the other one.
      const driving = createProject(
        ': > "$BOTH/$DROVER_PORT"; until test "$(ls "$BOTH" | wc -l)" -ge 2; do sleep 0.02; done; mkdir deps; pwd > deps/tool; chmod 755 deps/tool',
      )
      const both = join(driving.scratch, 'both')
      mkdirSync(both)
      const start = (goal: string) => {
        const args = ['drive', goal, '--setup', 'sh install.sh', '--check', CHECK, '--no-review']
        const env = { ...driving.env, BOTH: both }
        return ending(spawn(process.execPath, [DROVER, ...args], { cwd: driving.repository.root, env }))
      }
      const runs = await Promise.all([start(GOAL), start('Show the rain in knots')])
      expect(runs).toMatchObject([0, 0].map((code) => ({ code, stderr: '' })))
      const records = runs.map(({ stdout }) => driving.records(runIdIn(stdout)))
      expect(records.map((each) => dataOf(each, 'prepared'))).toMatchObject([[{ from: 'setup' }], [{ from: 'setup' }]])
      const places = records.map((each) => dataOf(each, 'drive_started')[0]?.place as { root: string; port: number })
      expect(new Set(places.flatMap(({ root, port }) => [root, port])).size).toBe(4)
      expect(readdirSync(both).toSorted()).toEqual(places.map(({ port }) => String(port)).toSorted())
      expect(readdirSync(join(driving.home, '.drover', 'templates'))).toEqual([expect.stringMatching(/^[0-9a-f]{64}$/)])
      const next = await driving.drive(
        GOAL,
        '--setup',
        'sh install.sh',
        '--check',
        `sh -c 'test "$(cat deps/tool)" = "$PWD"'`,
      )
      expect(dataOf(driving.records(runIdIn(next.stdout)), 'baseline_ran')).toMatchObject([{ passed: true }])
      expect(driving.repository.git('status', '--short', '--ignored')).toBe('')
    },
  )

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
  const CANNOT_RUN = [
    ['a program that is missing', './npm-tset', 'program not found: ./npm-tset'],
    ['a program of a shell', "sh -c 'gti status'", 'there is no program gti; did you mean git?'],
    ['a command of npm', 'npm tset', 'npm has no command tset; did you mean test?'],
    ['a program of a script', 'npm run lint', 'there is no program gti; did you mean git?'],
  ] as const
  it.each(firstOf(CANNOT_RUN, 2))('that cannot run pause it before the first agent: %s', async (_, check, problem) => {
    const driving = createProject()
    driving.repository.write('package.json', '{ "scripts": { "check": "sh check.sh", "lint": "gti grep TODO" } }')
    driving.repository.commit()
    const ran = await driving.drive(GOAL, '--check', check)
    expect(ran.code).toBe(4)
    expect(ran.stdout).toContain(`Paused (baseline_failed)\nwaits for you: the check ${check} cannot run: ${problem}`)
    expect(ran.stdout).toMatch(/^ {2}drover drive \S+ --check "COMMAND"/m)
    expect(ran.stdout).not.toContain('--no-sandbox')
    expect(driving.calls()).toEqual([])
  })

  it.runIf(IS_FULL)('that could not run are corrected when the run continues', async () => {
    const driving = createProject()
    const ran = await driving.drive(GOAL, '--check', './npm-tset', '--no-review')
    expect(ran.code).toBe(4)
    expect(await driving.drive(runIdIn(ran.stdout), '--check', 'true')).toMatchObject({ code: 0 })
  })

  it.each([
    ['a check', ['--check', 'gti status']],
    ['a check without a baseline', ['--check', 'gti status', '--baseline', 'skip']],
    ['a setup', ['--setup', 'gti status', '--check', 'true']],
  ])('are refused before anything is created if the program of %s does not exist', async (_, flags) => {
    const driving = createProject()
    const ran = await driving.drive(GOAL, ...flags)
    const stderr = expect.stringContaining('"gti status" cannot run: there is no program gti; did you mean git?')
    expect(ran).toMatchObject({ code: 2, stdout: '', stderr })
    expect(driving.repository.git('worktree', 'list').trim().split('\n')).toHaveLength(1)
    expect(driving.calls()).toEqual([])
  })

  it.each([
    ['a check', ['--setup', 'true', '--check', 'npm run chekc'], 'npm has no script chekc; did you mean check?'],
    ['the tests', ['--check', 'npm test'], 'npm has no script test; if a setup'],
    ['a setup', ['--setup', 'npm run chekc', '--check', 'true'], 'npm has no script chekc; did you mean check?'],
  ])('are refused, and nothing is left, if package.json lacks the script of %s', async (_, flags, problem) => {
    const driving = createProject()
    driving.repository.write('package.json', '{ "scripts": { "check": "sh check.sh" } }')
    driving.repository.commit()
    const ran = await driving.drive(GOAL, ...flags)
    expect(ran).toMatchObject({ code: 2, stdout: '', stderr: expect.stringContaining(`cannot run: ${problem}`) })
    expect(driving.repository.git('worktree', 'list').trim().split('\n')).toHaveLength(1)
  })

  it.runIf(IS_FULL)('that fail pause it if the baseline is required, until they are repaired', async () => {
    const driving = createProject()
    const ran = await driving.drive(GOAL, '--check', 'sh check.sh', '--baseline', 'require', '--no-review')
    expect(ran.code).toBe(4)
    expect(ran.stdout).toContain('before the work, these checks fail: sh check.sh;')
    expect(driving.calls()).toEqual([])
    expect(await driving.drive(runIdIn(ran.stdout), '--baseline', 'note')).toMatchObject({ code: 0, stderr: '' })
  })

  it('that fail pause it with what they printed, until the worktree is prepared with what they need', async () => {
    const driving = createProject()
    driving.repository.write('.env.test', 'KEY=1\n')
    const check = ['--check', "sh -c 'test -s .env.test || { echo KEY is missing; exit 9; }'", '--baseline', 'require']
    const paused = await driving.drive(GOAL, '--setup', 'sh install.sh', ...check, '--no-review')
    expect(paused).toMatchObject({ code: 4, stderr: '' })
    expect(paused.stdout).toMatch(/before the work: check sh -c .* ended with exit code 9\n {4}KEY is missing\n/)
    expect(paused.stdout).toMatch(
      /these checks fail: .*; repair them, bring in what they need with --setup or --copy, /,
    )
    expect(paused.stdout).not.toContain('--no-sandbox')
    const runId = runIdIn(paused.stdout)
    expect((await driving.call(['status', runId])).stdout).toMatch(/ended with exit code 9\n {4}KEY is missing\n/)
    const report = (await driving.call(['report', runId])).stdout
    expect(report).toMatch(
      /\*\*failed\*\* \| ended with exit code 9 before the work \|(.|\n)*```text\nKEY is missing\n/,
    )
    expect(await driving.drive(runId, '--copy', '.env.test')).toMatchObject({ code: 0, stderr: '' })
    expect(dataOf(driving.records(runId), 'prepared')).toMatchObject([{ copied: [] }, { copied: ['.env.test'] }])
  })

  it.runIf(IS_FULL)('leave no changes in the work, and the run says what was put back', async () => {
    const driving = createProject()
    const status = join(driving.scratch, 'status')
    driving.rewrite({ orient: [{ runs: [`git status --short > ${status}`] }] })
    const check = `sh -c 'echo changed > check.sh; rm rain.test.js; mkdir -p out && echo new > out/new; echo kept > seen; git add --all'`
    const setup = `sh -c 'echo two > sun.test.js'`
    const ran = await driving.drive(GOAL, '--setup', setup, '--check', check, '--no-review', '--rounds', '0')
    const put_back = ['check.sh', 'out/new', 'rain.test.js']
    expect(dataOf(driving.records(runIdIn(ran.stdout)), 'baseline_ran')).toMatchObject([{ passed: true, put_back }])
    expect(ran.stdout).toContain(
      `  note: the check writes ${put_back.join(', ')}, which is put back: add what it creates to .gitignore\n`,
    )
    expect(readFileSync(status, 'utf8')).toBe(' M sun.test.js\n')
  })

  it.runIf(IS_FULL)('are skipped on request', async () => {
    const driving = createProject()
    const ran = await driving.drive(GOAL, '--check', 'sh check.sh', '--baseline', 'skip', '--no-review')
    expect(ran.code).toBe(0)
    expect(dataOf(driving.records(runIdIn(ran.stdout)), 'baseline_ran')).toEqual([])
  })

  it.runIf(IS_FULL)('that passed and fail at the end are called a regression', async () => {
    const driving = createProject()
    const check = "sh -c 'grep m/s wind.txt'"
    const ran = await driving.drive(GOAL, '--check', check, '--no-review', '--rounds', '0')
    expect(ran.code).toBe(3)
    const report = await driving.call(['report', runIdIn(ran.stdout)])
    expect(report.stdout).toContain('it passed before the work')
  })
})

const hasPython = spawnSync('python3', ['-m', 'venv', '--help']).status === 0

it.skipIf(!IS_FULL || !hasPython)(
  'checks the worktree, whatever the active virtual environment has installed',
  async () => {
    const driving = createProject(
      'python3 -m venv --without-pip .venv; for d in .venv/lib/python3*/site-packages; do echo "$PWD/lib" > $d/wind.pth; done',
    )
    const { repository, scratch, env } = driving
    repository.write('.gitignore', '.venv/\n__pycache__/\n')
    repository.write('lib/wind.py', "UNIT = 'm/s'\n")
    repository.write('check.py', "import sys, wind\nassert wind.UNIT == 'knots', wind.__file__\nprint(sys.prefix)\n")
    repository.commit()
    driving.rewrite({ implement: [{ edits: { 'lib/wind.py': "UNIT = 'knots'\n" } }] })
    const venv = join(scratch, 'venv')
    execFileSync('python3', ['-m', 'venv', '--without-pip', venv], { env })
    const lib = join(repository.root, 'lib')
    execFileSync('sh', ['-c', `for d in ${venv}/lib/python3*/site-packages; do echo ${lib} > $d/wind.pth; done`])
    Object.assign(env, { VIRTUAL_ENV: venv, PATH: `${join(venv, 'bin')}:${env.PATH}`, PYTHONPATH: lib })
    const args = ['--setup', 'sh install.sh', '--check', '.venv/bin/python check.py', '--no-review', '--rounds', '0']
    const ran = await driving.drive(
      GOAL,
      ...args,
      '--check',
      `python3 -c "import sys; sys.exit(sys.prefix == '${venv}')"`,
    )
    expect(ran).toMatchObject({ code: 0, stderr: '' })
    const [checked] = dataOf(driving.records(runIdIn(ran.stdout)), 'delivery_checked')
    expect(checked?.checks[0]?.output).toMatch(/\/clean-[0-9a-f]{4}\/weather\/\.venv\n$/)
  },
)

it.runIf(IS_FULL && CAN_MOUNT)('pauses a run on a full disk, and continues it when there is space', async () => {
  await withSmallDisk(async (disk) => {
    const driving = createProject('mkdir -p deps && head -c 3000000 /dev/zero > deps/tool && chmod 755 deps/tool')
    Object.assign(driving.env, { DROVER_HOME: join(disk, 'home') })
    const args = ['--setup', 'sh install.sh', '--check', CHECK, '--no-review']
    const driveOnFullDisk = async (goal: string, freeBytes: number) => {
      const [space, filler] = [join(disk, 'space'), join(disk, 'filler')]
      writeFileSync(space, Buffer.alloc(freeBytes))
      fill(filler)
      rmSync(space)
      const paused = await driving.drive(goal, ...args)
      rmSync(filler)
      expect(paused).toMatchObject({ code: 4, stderr: '' })
      const runId = runIdIn(paused.stdout)
      expect(driving.calls().filter(({ prompt }) => prompt.includes(goal))).toEqual([])
      expect(await driving.drive(runId)).toMatchObject({ code: 0, stderr: '' })
      return { said: paused.stdout, from: dataOf(driving.records(runId), 'prepared').map((each) => each.from) }
    }
    const setup = await driveOnFullDisk(GOAL, 1_500_000)
    expect(setup).toEqual({
      said: expect.stringMatching(/No space left on device(?:.|\n)*Paused \(setup_failed\)/),
      from: ['setup'],
    })
    const copy = await driveOnFullDisk('Show the rain in knots', 1_500_000)
    expect(copy).toEqual({
      said: expect.stringMatching(
        /Paused \(setup_failed\)(?:.|\n)*could\s+not\s+be\s+prepared:\s+ENOSPC:\s+no\s+space\s+left/,
      ),
      from: ['template'],
    })
  })
})

it.runIf(IS_FULL)('leaves nothing of a template that was removed', async () => {
  const driving = createProject()
  await driving.drive(GOAL, '--setup', 'sh install.sh', '--no-review')
  rmSync(join(driving.home, '.drover', 'templates'), { recursive: true })
  const again = await driving.drive('Show the rain in knots', '--setup', 'sh install.sh', '--no-review')
  expect(dataOf(driving.records(runIdIn(again.stdout)), 'prepared')).toMatchObject([{ from: 'setup' }])
})
