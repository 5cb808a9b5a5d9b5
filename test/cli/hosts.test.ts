import { spawn } from 'node:child_process'
import { once } from 'node:events'
import {
  chmodSync,
  chownSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { checkChangeReport, checkCliError, checkListReport } from '../../src/contract/reports.ts'
import { HOST_IDS } from '../../src/hosts/host.ts'
import { bundledProgram } from '../support/bundled-program.ts'
import { callMain } from '../support/call-main.ts'
import { firstOf, IS_FULL } from '../support/full-counts.ts'
import { PLAIN_ENV } from '../support/git-repository.ts'
import { createHostWorktree } from '../support/host-worktree.ts'
import { NOWHERE } from '../support/nowhere.ts'
import { hasTerminals, startOnTerminal } from '../support/on-terminal.ts'
import { DROVER, ending, type Ran, runAt } from '../support/run-drover.ts'
import { createRepository } from '../support/temporary-repository.ts'
import { CAN_DROP_PRIVILEGES } from '../support/unprivileged.ts'

const RUN_SKILL = '.claude/skills/drover-run/SKILL.md'
const MANIFEST = '.claude/drover/ownership-manifest.json'

/** A repository that uses these hosts, and drover in it. */
function open(...hosts: string[]) {
  const repository = createRepository()
  const site = createHostWorktree(repository.root)
  for (const host of hosts) mkdirSync(join(repository.root, `.${host}`))
  const drover = (...args: string[]) =>
    callMain(args, { cwd: repository.root, env: PLAIN_ENV, homeDirectory: PLAIN_ENV.HOME })
  return { ...repository, site, drover }
}

const committed = ({ code, stdout, stderr }: Ran) => {
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
  return checkChangeReport(JSON.parse(stdout))
}

/** The error on stderr; stdout must be empty. */
function errorOf({ stderr, stdout, code }: Ran) {
  const error = checkCliError(JSON.parse(stderr))
  expect({ stdout, code, lines: stderr.split('\n').length }).toEqual({ stdout: '', code: error.exit_code, lines: 2 })
  return error
}

const offers = (id: string, ...argv: string[]) => ({
  operation: 'command',
  variants: [{ id, base_argv: ['drover', ...argv], inputs: expect.any(Array) }],
})

describe('drover install, list and uninstall', () => {
  it('print what was changed', async () => {
    const { drover, root } = open('claude')
    const installed = await drover('install')
    expect(installed).toMatchObject({ code: 0, stderr: '' })
    expect(installed.stdout.split('\n')).toEqual([
      'Install result for: claude',
      ...['.adapter-generated', 'ownership-manifest.json'].map((name) => `  wrote .claude/drover/${name}`),
      '  wrote .claude/skills/drover-clarify/SKILL.md',
      '  wrote .claude/skills/drover-clarify/references/decision-interview.md',
      ...['decompose', 'implement', 'propose', 'review', 'run', 'workflow'].map(
        (name) => `  wrote .claude/skills/drover-${name}/SKILL.md`,
      ),
      '  to start in Claude Code: /drover-run',
      '',
    ])
    expect((await drover('list', '--root', join(root, '.claude'))).stdout.split('\n').slice(0, 4)).toEqual([
      'HOST      USED HERE  INSTALLED  CAPABILITIES',
      'agents    no         no         -',
      'claude    yes        yes        7',
      'codex     no         no         -',
    ])
    writeFileSync(join(root, RUN_SKILL), 'Mine')
    const removed = await drover('uninstall')
    expect(removed.stdout).toMatch(
      /^Uninstall result for: claude\n {2}removed [\s\S]* {2}preserved \.claude\/skills\/drover-run\/SKILL\.md because .+\n$/,
    )
    expect(readFileSync(join(root, RUN_SKILL), 'utf8')).toBe('Mine')
  })

  it.each(
    firstOf(
      [
        ['install', 'claude', '--json'],
        ['install', 'claude'],
        ['install', 'claude', '--dry-run'],
        ['install', 'nothing'],
        ['list'],
        ['list', '--json'],
        ['list', 'claude'],
        ['uninstall', '--json'],
        ['uninstall', '--unknown'],
      ],
      5,
    ),
  )('do the same under their short names: %s %s %s', async (...words) => {
    const [first, second] = [open('claude'), open('claude')]
    const short = await first.drover(...words)
    const long = await second.drover('hosts', ...words)
    const toComparable = ({ code, stdout, stderr }: Ran, root: string) => ({
      code,
      stdout: stdout.replaceAll(root, 'ROOT'),
      stderr: stderr
        .replaceAll(root, 'ROOT')
        .replace(/"workspace_identity":"[^"]*"/g, '')
        .replaceAll(`drover hosts ${words[0]}`, `drover ${words[0]}`),
    })
    expect(toComparable(long, second.root)).toEqual(toComparable(short, first.root))
    expect(second.site.tree()).toEqual(first.site.tree())
  })

  it('list the hosts for "drover hosts" alone', async () => {
    const { drover } = open('claude')
    expect(await drover('hosts')).toEqual(await drover('list'))
  })

  it.runIf(IS_FULL)('print JSON reports for all eleven hosts', async () => {
    const { drover, site } = open()
    const report = committed(await drover('install', '--all', '--surface', 'cli', '--json'))
    expect(report).toMatchObject({ hosts: HOST_IDS, transaction_outcome: 'committed' })
    expect(report.written).toHaveLength(152)
    const listed = checkListReport(JSON.parse((await drover('list', '--json')).stdout))
    expect(listed.hosts.map(({ id, installed, capabilities }) => [id, installed, capabilities.length])).toEqual(
      HOST_IDS.map((id) => [id, true, 7]),
    )
    const before = site.tree()
    expect(committed(await drover('install', '--refresh', '--json'))).toMatchObject({ written: [], warnings: [] })
    expect(site.tree()).toEqual(before)
    expect(committed(await drover('uninstall', '--json')).removed).toHaveLength(152)
  })

  it.each([
    ['arguments', ['claude', 'codex']],
    ['one value', ['--tool', 'Claude, codex']],
    ['two values', ['--tool', 'codex', '--tool=claude']],
  ])('accept hosts as %s', async (_, words) => {
    const { drover } = open()
    expect(committed(await drover('install', ...words, '--json')).hosts).toEqual(['claude', 'codex'])
  })

  it('say that nothing was changed', async () => {
    const { drover } = open('claude')
    await drover('install')
    expect((await drover('install')).stdout).toBe(
      'Install result for: claude\n  warning: claude: drover is already installed here and was not changed; run drover hosts install --refresh --tool claude to update it\n  nothing was changed\n',
    )
    expect((await drover('install', '--refresh')).stdout).toBe('Install result for: claude\n  nothing was changed\n')
  })
})

describe('a dry run', () => {
  it('prints what would be changed and why, and changes nothing', async () => {
    const { drover, root, write, site } = open('claude')
    write(RUN_SKILL, 'Mine')
    const before = site.tree()
    const { code, stdout } = await drover('install', '--dry-run')
    expect(code).toBe(0)
    expect(stdout).toMatch(
      /^Install plan for: claude\n(?: {2}would write \.claude\/.*\n){9} {2}would preserve \.claude\/skills\/drover-run\/SKILL\.md because .+\n(?: {2}warning: .+\n)* {2}nothing was changed\n$/,
    )
    expect(site.tree()).toEqual(before)
    expect(readdirSync(join(root, '.git'))).not.toContain('drover')
  })

  it('works for uninstall and refresh', async () => {
    const { drover, root } = open('claude')
    await drover('install')
    rmSync(join(root, RUN_SKILL))
    expect((await drover('install', '--refresh', '--dry-run')).stdout).toBe(
      `Install plan for: claude\n  would write ${RUN_SKILL}\n  nothing was changed\n`,
    )
    const { stdout } = await drover('uninstall', '--dry-run')
    expect(stdout).toContain(`\n  would remove ${MANIFEST}\n`)
    expect(stdout).toContain('\n  would remove the directory .claude/drover if it is empty\n')
    expect(existsSync(join(root, MANIFEST))).toBe(true)
  })

  it('prints a report with the outcome not_committed for programs', async () => {
    const { drover } = open('claude')
    expect(committed(await drover('install', '--dry-run', '--json'))).toMatchObject({
      hosts: ['claude'],
      transaction_outcome: 'not_committed',
      written: [],
      warnings: expect.arrayContaining([`would write ${RUN_SKILL}`]),
    })
  })
})

describe('a usage error', () => {
  it.each<[string, string[], string, RegExp]>(
    firstOf(
      [
        [
          'an unknown host',
          ['install', '--tool', 'clade'],
          'unknown_host_adapter',
          /does not support the host "clade"; did you mean claude\?$/,
        ],
        ['an unknown host to uninstall', ['uninstall', 'emacs'], 'unknown_host_adapter', /"emacs"/],
        ['an empty host', ['install', '--tool', ''], 'host_adapter_required', /--tool names no host/],
        ['a comma', ['uninstall', '--tool', ','], 'host_adapter_required', /--tool names no host/],
        ['no host in a repository without hosts', ['install'], 'host_adapter_required', /no host was detected/],
      ],
      3,
    ),
  )('%s is refused, and offers the list of hosts', async (_, words, code, message) => {
    const { drover, root } = open()
    const error = errorOf(await drover(...words, '--json'))
    expect(error).toMatchObject({ code, message: expect.stringMatching(message), exit_code: 2 })
    expect(error.next).toMatchObject(offers('list-host-adapters', 'list', '--root', root, '--json'))
    expect(error.details).toBe(undefined)
    expect(readdirSync(root)).toEqual(['.git'])
  })

  it.each<[string, string[]]>(
    firstOf(
      [
        ['no surface', ['install', 'kiro']],
        ['no surface among all', ['install', '--tool', 'all']],
        ['an unknown surface', ['install', 'kiro', '--surface', 'web']],
        ['an empty surface', ['install', 'kiro', '--surface', '']],
        ['a surface without kiro', ['install', 'claude', '--surface', 'ide']],
      ],
      3,
    ),
  )('%s is refused, and offers to install kiro', async (_, words) => {
    const { drover, root } = open()
    const error = errorOf(await drover(...words, '--json'))
    expect(error).toMatchObject({ code: 'invalid_adapter_surface', exit_code: 2 })
    expect(error.next).toMatchObject(offers('install-kiro', 'install', '--root', root, '--tool', 'kiro', '--json'))
    expect(error.next.variants[0]?.inputs).toMatchObject([{ name: 'surface', choices: ['ide', 'cli'] }])
    expect(readdirSync(root)).toEqual(['.git'])
  })

  it.each<[string, string[], RegExp]>([
    ['alone', ['kiro'], /--surface cli for the command line$/],
    ['among others', ['claude', 'kiro', 'codex'], /; claude, codex will not be changed until then$/],
  ])('kiro %s without a surface is refused, and nothing is installed', async (_, hosts, message) => {
    const { drover } = open()
    expect(errorOf(await drover('install', ...hosts, '--json')).message).toMatch(message)
  })

  it.each(
    firstOf(
      [
        [['install', '--tools', 'claude'], 'invalid_usage'],
        [['list', 'claude'], 'invalid_usage'],
        [['list', '--root', '/'], 'git_repository_required'],
        [['install', '--root', NOWHERE, '--tool', 'claude'], 'git_repository_required'],
      ],
      2,
    ),
  )('%j is refused before anything is read', async (words, code) => {
    const { drover } = open()
    expect(errorOf(await drover(...words, '--json'))).toMatchObject({ code, exit_code: 2, next: { operation: 'none' } })
  })
})

describe('a repository with broken hosts', () => {
  it('is listed host by host', async () => {
    const { drover, root, write } = open('claude', 'codex', 'cursor')
    await drover('install')
    write(MANIFEST, '{"version": 3}')
    rmSync(join(root, '.codex'), { recursive: true })
    write('.codex', 'a file')
    rmSync(join(root, '.cursor/skills'), { recursive: true })
    symlinkSync('/etc', join(root, '.cursor/skills'))
    mkdirSync(join(root, '.kilocode/drover/ownership-manifest.json'), { recursive: true })
    write('.pi/drover/.adapter-generated', 'generated\n')
    symlinkSync('nowhere', join(root, '.qwen'))
    const { code, stdout } = await drover('list', '--json')
    expect(code).toBe(0)
    const { hosts } = checkListReport(JSON.parse(stdout))
    expect(hosts.map(({ id, detected, installed, warning }) => [id, detected, installed, warning])).toEqual([
      ['agents', false, false, undefined],
      ['claude', true, false, expect.stringMatching(/manifest/)],
      ['codex', false, false, expect.stringMatching(/\.codex is a regular file/)],
      ['copilot', false, false, undefined],
      ['cursor', true, true, expect.stringMatching(/\.cursor\/skills is a symbolic link/)],
      ['kilo', true, false, expect.stringMatching(/is a directory/)],
      ['kiro', false, false, undefined],
      ['opencode', false, false, undefined],
      ['pi', true, false, undefined],
      ['qwen', false, false, expect.stringMatching(/\.qwen is a symbolic link/)],
      ['windsurf', false, false, undefined],
    ])
  })

  it('is not changed if a manifest is invalid', async () => {
    const { drover, root, write, site } = open('claude', 'codex')
    await drover('install', 'claude')
    write(MANIFEST, '{"version": 3}')
    const before = site.tree()
    for (const words of [['install', '--refresh'], ['uninstall']]) {
      const error = errorOf(await drover(...words, '--json'))
      expect(error).toMatchObject({
        code: `${words[0]}_failed`,
        exit_code: 3,
        message: expect.stringContaining(MANIFEST),
        details: { transaction_outcome: 'not_committed', report: { written: [], removed: [] } },
      })
      expect(error.next).toMatchObject(offers('inspect-host-adapters', 'list', '--root', root, '--json'))
    }
    expect(site.tree()).toEqual(before)
  })

  it('has nothing to uninstall', async () => {
    const { drover } = open('claude')
    expect(errorOf(await drover('uninstall', '--json'))).toMatchObject({
      code: 'uninstall_failed',
      message: expect.stringContaining('not installed into any host'),
      exit_code: 3,
    })
  })

  it.skipIf(!CAN_DROP_PRIVILEGES)('cannot be listed if the worktree is not readable', async () => {
    const { root } = open()
    const id = process.getuid?.() === 0 ? 65_534 : undefined
    if (id !== undefined) for (const path of [root, ...everyPath(root)]) chownSync(path, id, id)
    chmodSync(root, 0o300)
    const options = { cwd: '/', env: PLAIN_ENV, ...(id !== undefined && { uid: id, gid: id }) }
    const child = spawn(process.execPath, [DROVER, 'list', '--json', '--root', root], {
      ...options,
      stdio: ['ignore', 'pipe', 'pipe'],
    })
    const ran = await ending(child)
    chmodSync(root, 0o700)
    expect(errorOf(ran)).toMatchObject({
      code: 'list_failed',
      exit_code: 3,
      message: expect.stringMatching(/cannot be listed: .*permission denied \(EACCES\)$/),
      next: offers('retry-list', 'list', '--root', root, '--json'),
    })
  })
})

describe('a directory that is not writable', () => {
  it.skipIf(!CAN_DROP_PRIVILEGES)('leaves all files unchanged', async () => {
    const { root, site } = open('claude')
    const id = process.getuid?.() === 0 ? 65_534 : undefined
    mkdirSync(join(root, '.claude/skills'))
    if (id !== undefined) for (const path of [root, ...everyPath(root)]) chownSync(path, id, id)
    chmodSync(join(root, '.claude/skills'), 0o500)
    const before = site.tree()
    const options = { cwd: root, env: PLAIN_ENV, ...(id !== undefined && { uid: id, gid: id }) }
    const child = spawn(process.execPath, [DROVER, 'install', '--json'], {
      ...options,
      stdio: ['ignore', 'pipe', 'pipe'],
    })
    const error = errorOf(await ending(child))
    expect(error).toMatchObject({
      code: 'install_failed',
      message: expect.stringMatching(/\.claude\/skills\/drover-\w+: permission denied \(EACCES\)$/),
      details: {
        transaction_outcome: 'rolled_back',
        report: { hosts: ['claude'], recovery_artifacts: [], warnings: [] },
      },
    })
    expect(site.tree()).toEqual(before)
    expect(site.records()).toEqual([])
  })
})

describe('a report that cannot be printed', () => {
  it.each<[string, (root: string) => Promise<Ran>]>([
    [
      'closed pipe',
      async (root) => {
        const child = spawn(process.execPath, [DROVER, 'install', '--json'], { cwd: root, env: PLAIN_ENV })
        child.stdout.destroy()
        return await ending(child)
      },
    ],
    [
      'full disk',
      (root) =>
        runAt(root, ['bash', '-c', `exec '${process.execPath}' '${DROVER}' install --json > /dev/full`], PLAIN_ENV),
    ],
  ])('%s: the error says that the change is committed', async (_, start) => {
    const { root, site } = open('claude')
    const { code, stderr } = await start(root)
    expect(code).toBe(3)
    const error = checkCliError(JSON.parse(stderr))
    expect(error).toMatchObject({
      code: 'install_failed',
      message: expect.stringMatching(/^the hosts are installed, but its report could not be printed/),
      details: { transaction_outcome: 'committed' },
    })
    expect(error.details?.report?.written).toHaveLength(10)
    expect(site.tree()).toHaveProperty([RUN_SKILL])
  })
})

describe('two processes at the same time', () => {
  it('take turns, and get the same result', async () => {
    const { drover, site } = open()
    const both = await Promise.all([drover('install', 'claude', '--json'), drover('install', 'claude', '--json')])
    const counts = both.map((ran) => committed(ran).written.length)
    expect(counts.sort()).toEqual([0, 10])
    expect(site.records()).toEqual([])
  })

  it.runIf(IS_FULL)('do not wait forever for each other', async () => {
    const { drover, root } = open('claude')
    const holder = spawn(process.execPath, [bundledProgram('programs/change-and-die'), root, '8', 'wait'], {
      stdio: ['ignore', 'pipe', 'inherit'],
    })
    await once(holder.stdout, 'data')
    expect(errorOf(await drover('install', '--json'))).toMatchObject({
      code: 'install_failed',
      message: expect.stringMatching(/another process is changing the hosts of this repository; run the command again/),
      details: { transaction_outcome: 'not_committed' },
    })
    expect((await drover('install', '--dry-run')).stdout).not.toContain('cut off')
    holder.kill('SIGKILL')
    await once(holder, 'close')
    expect((await drover('install', '--dry-run')).stdout).toContain('  warning: a change of ')
    const { stdout } = await drover('install')
    expect(stdout).toContain('  warning: an earlier change of claude was interrupted; it was undone first\n')
  })
})

describe('an error on a terminal', () => {
  it.runIf(hasTerminals)('lists what happened to the files, why, and the commands that can follow', async () => {
    const { root, write } = open('claude', 'codex')
    const install = () => startOnTerminal(['install'], { cwd: root, env: PLAIN_ENV, columns: 200 }).ended
    write('.codex/drover/ownership-manifest.json', '{}')
    const first = await install()
    expect(first.code).toBe(3)
    expect(first.seen).toMatch(/^Install result for: claude\n {2}nothing was changed\ndrover: the hosts could not be /)
    write(MANIFEST, '{}')
    const { seen } = await install()
    expect(seen).toMatch(
      /^drover: the hosts could not be installed: .*; update drover if a newer release wrote the manifest;\s+otherwise .*\nNext:\n {2}drover list --root .*\n$/,
    )
  })
})

function everyPath(root: string): string[] {
  return readdirSync(root, { recursive: true, encoding: 'utf8' }).map((path) => join(root, path))
}
