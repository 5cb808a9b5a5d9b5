/** How worktrees of a repository are prepared: what its user decided, and a file that the repository brings. */
import { existsSync, readFileSync, rmSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { createDrover } from '../../src/library/drover.ts'
import { createDriving } from '../support/driven-agents.ts'
import { dataOf, runIdIn } from '../support/driven-home.ts'
import { IS_FULL } from '../support/full-counts.ts'
import { hasTerminals, startOnTerminal } from '../support/on-terminal.ts'
import { createServedDriving } from '../support/served-runs.ts'
import { until } from '../support/until.ts'

const GOAL = 'Show the wind in knots'
const CHECK = "sh -c 'test -e deps && sh check.sh'"
const FILE = `setup: ["sh install.sh"]\nchecks: ["${CHECK}"]\n`

type Driving = ReturnType<typeof createDriving>

/** `install.sh` stands for a package manager, and `npm` on PATH runs it. */
function createProject(driving: Driving = createDriving()) {
  const { repository } = driving
  repository.write('.gitignore', 'deps\n')
  repository.write('package.json', '{ "dependencies": { "a": "1" }, "scripts": { "test": "sh check.sh" } }')
  repository.write('package-lock.json', '{}')
  repository.write('install.sh', `echo ran >> '${join(driving.scratch, 'ran')}'; mkdir deps\n`)
  repository.commit()
  const setups = () =>
    existsSync(join(driving.scratch, 'ran')) ? readFileSync(join(driving.scratch, 'ran'), 'utf8') : ''
  return { ...driving, setups }
}

describe('drover init', () => {
  it.runIf(IS_FULL)('proposes what it finds, saves it on request, and driven runs use it', async () => {
    const { call, drive, records, setups } = createProject()
    const shown = await call(['init'])
    expect(shown).toMatchObject({ code: 0, stderr: '' })
    expect(shown.stdout).toBe(
      [
        'This project uses npm (package-lock.json).',
        '  setup   npm ci',
        '  share   node_modules',
        '  checks  npm test',
        'Nothing was saved. drover init --yes saves it.',
        '',
      ].join('\n'),
    )
    expect(JSON.parse((await call(['init', '--json'])).stdout)).toMatchObject({ setup: ['npm ci'], is_saved: false })
    const saved = await call(['init', '--setup', 'sh install.sh', '--check', CHECK])
    expect(saved.stdout).toContain('Saved for this repository')
    const ran = await drive(GOAL, '--no-review')
    expect(ran).toMatchObject({ code: 0, stderr: '' })
    expect(dataOf(records(runIdIn(ran.stdout)), 'prepared')).toMatchObject([{ from: 'setup' }])
    expect(dataOf(records(runIdIn(ran.stdout)), 'check_ran')).toMatchObject([{ command: CHECK, passed: true }])
    expect(setups()).toBe('ran\n')
  })

  it('proposes to copy files with variables for tests, which git ignores', async () => {
    const { call, drive, records, repository } = createProject()
    repository.write('.gitignore', 'deps\n.env*\n!.env.test.example\n')
    repository.write('.env.test.example', '')
    repository.write('package.json', '{ "scripts": { "test": "sh check.sh" } }')
    rmSync(join(repository.root, 'package-lock.json'))
    repository.commit()
    for (const name of ['.env', '.env.test', '.env.test.d/test']) repository.write(name, 'KEY=1\n')
    symlinkSync('.env', join(repository.root, '.env.test.link'))
    const shown = '  copy    .env.test\n  checks  npm test\n'
    expect((await call(['init'])).stdout).toContain(`This project uses npm (package.json).\n${shown}Nothing was saved.`)
    const noted = await drive(GOAL, '--no-review')
    expect(noted.stderr).toContain("and no check is given; add --check 'npm test' --copy .env.test, or run")
    expect(await call(['init', '--yes'])).toMatchObject({ code: 0, stdout: expect.stringContaining(shown) })
    const ran = await drive(GOAL, '--no-review')
    expect(dataOf(records(runIdIn(ran.stdout)), 'prepared')).toMatchObject([{ copied: ['.env.test'] }])
  })

  it.runIf(IS_FULL)('--none prepares nothing, and no run asks or notes anything', async () => {
    const { call, drive } = createProject()
    expect(await call(['init', '--none'])).toMatchObject({ code: 0, stderr: '' })
    expect(await drive(GOAL, '--no-review')).toMatchObject({ code: 0, stderr: '' })
  })

  it.each([
    [['--none', '--setup', 'true'], '--none and --setup'],
    [['--setup', 'a && b'], '"&" needs a shell'],
    [['--copy', '/etc/passwd'], 'it must be relative'],
  ])('refuses %j', async (args, sentence) => {
    const { call } = createProject()
    expect(await call(['init', ...args])).toMatchObject({
      code: 2,
      stdout: '',
      stderr: expect.stringContaining(sentence),
    })
  })

  it('says what to give if it finds nothing', async () => {
    const { call, repository } = createDriving()
    const ran = await call(['init'])
    expect(ran).toMatchObject({ code: 2, stderr: expect.stringContaining('give --setup and --check yourself') })
    expect(ran.stderr).toContain(repository.root)
  })
})

describe('a .drover.yml of the repository', () => {
  it('runs nothing before it is trusted, is used as it was trusted, and not after a change', async () => {
    const { call, drive, repository, records, setups } = createProject()
    repository.write('.drover.yml', FILE)
    repository.commit()
    const before = await drive(GOAL, '--no-review')
    expect(before.stderr).toBe(
      'drover: note: .drover.yml is not used, because you have not trusted it; see "drover trust"\n',
    )
    expect([before.code, setups()]).toEqual([0, ''])
    expect((await call(['trust'])).stdout).toContain('Not trusted, so it is not used.')
    expect((await call(['trust', '--yes'])).stdout).toContain('Trusted:')
    const ran = await drive(GOAL, '--no-review')
    expect([ran.code, ran.stderr, setups()]).toEqual([0, '', 'ran\n'])
    expect(dataOf(records(runIdIn(ran.stdout)), 'prepared')).toMatchObject([{ from: 'setup' }])
    repository.write('.drover.yml', `${FILE}copy: [deps]\n`)
    const changed = await drive(GOAL, '--no-review')
    expect(changed.stderr).toContain(
      '.drover.yml has changed since you trusted it, so it is not used; see "drover trust"\n',
    )
    expect(dataOf(records(runIdIn(changed.stdout)), 'prepared')).toEqual([])
    expect(setups()).toBe('ran\n')
  })

  it.each([
    ['notify: ["curl"]\n', 'notify'],
    ['copy: ["../secret"]\n', 'it must stay in the repository'],
    ['share: ["/etc"]\n', 'it must be relative'],
    ['setup: ["a && b"]\n', '"&" needs a shell'],
    ['setup: [1]\n', 'setup'],
    ['setup: {a: b}\n', 'setup'],
    ['a: &a [x]\nsetup: *a\n', ''],
    ['setup: [\n', ''],
  ])('is refused as %j', async (text, problem) => {
    const { call, repository } = createProject()
    repository.write('.drover.yml', text)
    const ran = await call(['trust', '--yes'])
    expect(ran).toMatchObject({ stdout: '', stderr: expect.stringContaining('.drover.yml') })
    expect(ran.stderr).toContain(problem)
    expect(ran.code).toBeGreaterThan(0)
  })

  it('is refused as a link', async () => {
    const { call, repository, scratch } = createProject()
    symlinkSync(join(scratch, 'script.json'), join(repository.root, '.drover.yml'))
    expect((await call(['trust', '--yes'])).code).toBeGreaterThan(0)
    rmSync(join(repository.root, '.drover.yml'))
    expect(await call(['trust'])).toMatchObject({ code: 2, stderr: expect.stringContaining('has no .drover.yml') })
  })
})

/** The other ways to drive a run. Each returns a function that drives one to its end, and returns its id. */
const FACES = {
  'over HTTP': async () => {
    const { driving, repository, start } = createServedDriving()
    const server = await start()
    const drive = async () => {
      const { id } = await server.start({ repository })
      await server.reaches(id, 'ended')
      return id
    }
    return { driving, drive }
  },
  'by the library': async () => {
    const driving = createDriving()
    const { env, home, repository } = driving
    const drover = createDrover({ home: join(home, '.drover'), cwd: repository.root, env })
    onTestFinished(() => drover.close())
    const drive = async () => (await drover.drive({ goal: GOAL, review: false }).result).run_id
    return { driving, drive }
  },
}

describe.runIf(IS_FULL).each(Object.entries(FACES))('a run that is driven %s', (_, open) => {
  it('is prepared as a file says that is trusted, until it changes, and as drover init has saved', async () => {
    const { driving, drive } = await open()
    const { call, repository, records, setups } = createProject(driving)
    repository.write('.drover.yml', FILE)
    repository.commit()
    const from = async () => dataOf(records(await drive()), 'prepared').map((each) => each.from)
    expect([await from(), setups()]).toEqual([[], ''])
    await call(['trust', '--yes'])
    expect([await from(), setups()]).toEqual([['setup'], 'ran\n'])
    repository.write('.drover.yml', `${FILE}copy: [deps]\n`)
    expect(await from()).toEqual([])
    await call(['init', '--setup', 'sh install.sh', '--check', CHECK])
    expect([await from(), setups()]).toEqual([['template'], 'ran\n'])
  })
})

describe.runIf(hasTerminals)('at a terminal', () => {
  it.runIf(IS_FULL)('drover drive proposes what it finds, and remembers the answer', async () => {
    const driving = createProject()
    const start = (...args: string[]) =>
      startOnTerminal(['drive', ...args], {
        cwd: driving.repository.root,
        env: { ...driving.env, NO_COLOR: '1' },
        columns: 120,
      })
    const first = start(GOAL, '--no-review')
    await first.shows('from now on? [y/n, empty: not now]')
    first.type('n\r')
    expect((await first.ended).code).toBe(0)
    const second = await start(GOAL, '--no-review').ended
    expect(second.code).toBe(0)
    expect(second.seen).not.toContain('from now on?')
  })

  it.runIf(IS_FULL)('a command that names its checks and leaves the run to the server asks nothing', async () => {
    const { repository, env, call, records } = createProject()
    onTestFinished(async () => void (await call(['down'])))
    repository.write('.mcp.json', '{}')
    repository.commit()
    const args = ['drive', GOAL, '--no-review', '--check', 'sh check.sh', '--detach']
    const { code, seen } = await startOnTerminal(args, {
      cwd: repository.root,
      env: { ...env, NO_COLOR: '1' },
      columns: 120,
    }).ended
    expect(code).toBe(0)
    expect(seen).not.toContain('[y/n')
    expect(seen).toContain('add --setup')
    expect(seen).toContain('agents do not use the settings of the project (.mcp.json)')
    await until(() => dataOf(records(runIdIn(seen)), 'delivered')[0])
  })
})
