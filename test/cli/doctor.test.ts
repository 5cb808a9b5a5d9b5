import { spawn } from 'node:child_process'
import { once } from 'node:events'
import {
  chmodSync,
  cpSync,
  existsSync,
  globSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { dirname, join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { gatherFindings } from '../../scripts/doctor-findings.ts'
import type { DoctorReport } from '../../src/contract/reports.shape.ts'
import { checkCliError } from '../../src/contract/reports.ts'
import { systemClock } from '../../src/kit/clock.ts'
import { takeLock } from '../../src/kit/files/lock.ts'
import { saveTemplate } from '../../src/workspace/prepare/templates.ts'
import { doctorMachine, fakeGh, type Machine, reportIn } from '../support/doctor-machine.ts'
import { FAKE_AGENT, installFakeAgents } from '../support/fake-agent.ts'
import { firstOf, IS_FULL } from '../support/full-counts.ts'
import { createHostWorktree, diskOfKilled, install } from '../support/host-worktree.ts'
import { NOWHERE } from '../support/nowhere.ts'
import { PROTOCOL_SCHEMA, protocolValidator } from '../support/protocol-schema.ts'
import { DROVER, runAt, temporaryDirectory, temporaryDirectoryForAll } from '../support/run-drover.ts'
import { hasSandbox, skipWithoutSandbox } from '../support/sandbox.ts'
import { isRunning, program } from '../support/test-command.ts'
import { CAN_DROP_PRIVILEGES } from '../support/unprivileged.ts'

const ROOT = join(import.meta.dirname, '..', '..')
const ALL_RIGHTS = `echo '{"pull":true,"triage":true,"push":true,"maintain":false,"admin":false}'`
const GOOD_GH = fakeGh({ version: 'echo "gh version 2.94.0 (2026-01-20)"', api: ALL_RIGHTS })
const OWN_VERSION = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')).version

function writeConfig({ home }: Machine, yaml: string): void {
  mkdirSync(join(home, '.drover'), { recursive: true })
  writeFileSync(join(home, '.drover', 'config.yaml'), yaml)
}

/** A session database with 20 sessions that no process has open. */
async function makeSessions({ home }: Machine): Promise<string> {
  const path = join(home, '.drover', 'sessions.db')
  const child = spawn(process.execPath, [program('session-work.ts'), path, '20'], { stdio: 'ignore' })
  await once(child, 'close')
  return path
}

/** What a setup installed, for the next worktree. */
async function makeTemplate({ home, cwd }: Machine): Promise<void> {
  writeFileSync(join(cwd, 'deps'), Buffer.alloc(1536 * 1024))
  const { signal } = new AbortController()
  const template = { home: join(home, '.drover', 'templates'), key: '0'.repeat(64), repository: join(cwd, '.git') }
  await saveTemplate({ ...template, root: cwd, entries: ['deps'], setupMs: 1, clock: systemClock, signal })
  rmSync(join(cwd, 'deps'))
}

async function startRun(machine: Machine, ...args: string[]): Promise<string> {
  const { stdout, stderr } = await machine.drover('run', '--json', '--goal-file', join(machine.home, 'goal'), ...args)
  if (stderr !== '') throw new Error(stderr)
  return JSON.parse(stdout).run_id
}

const within = ({ cwd }: Machine, ...path: string[]) => join(cwd, '.git', 'drover', ...path)

/** A machine without problems. */
async function healthyMachine(machine: Machine): Promise<void> {
  machine.realGit()
  const { git, write, commit } = machine.repository()
  write('a.txt', 'a')
  commit()
  git('remote', 'add', 'origin', 'git@github.com:ada/weather.git')
  machine.program('gh', GOOD_GH)
  machine.program('drover', `exec '${process.execPath}' '${DROVER}' "$@"`)
  machine.program('claude', 'echo "2.1.197 (Claude Code)"')
  machine.program('codex', 'echo "codex-cli 0.166.0"')
  machine.env['IS_SANDBOX'] = '1'
  machine.env['OPENAI_API_KEY'] = 'made up'
  mkdirSync(join(machine.home, '.claude'))
  writeFileSync(join(machine.home, '.claude', '.credentials.json'), '')
  writeConfig(
    machine,
    'unified_flags:\n  command_timeout_secs: 600\nbackends:\n  gemini:\n    enabled: false\ndrive:\n  checks: [git --version]\n',
  )
  writeFileSync(join(machine.home, 'goal'), 'Show the wind in knots')
  await makeSessions(machine)
  await makeTemplate(machine)
  await startRun(machine)
  mkdirSync(join(machine.cwd, '.claude'))
  await machine.drover('install')
}

/** Machines by name, each with its own problems. */
const MACHINES: Record<string, (machine: Machine) => unknown> = {
  'no problems': healthyMachine,

  'broken hosts': async (machine) => {
    machine.realGit()
    machine.repository()
    const site = createHostWorktree(machine.cwd)
    await install(site, ['claude', 'copilot', 'pi', 'qwen', 'windsurf'])
    site.write('.claude/skills/drover-run/SKILL.md', 'edited')
    mkdirSync(join(site.root, '.codex'))
    site.write('.cursor/drover/ownership-manifest.json', '{"version": 1}')
    site.write('.github/copilot/drover/.adapter-generated', 'edited')
    site.write('.opencode/commands/drover-run.md', 'mine')
    site.write('.kiro/drover/.adapter-generated', 'generated\n')
    renameSync(join(site.root, '.pi/skills/drover-run'), join(site.root, '.pi/elsewhere'))
    symlinkSync('../elsewhere', join(site.root, '.pi/skills/drover-run'))
    rmSync(join(site.root, '.qwen/drover/.adapter-generated'))
    await install(site, ['windsurf'], { disk: diskOfKilled(1, ['linkSync']) }).catch(() => undefined)
    await install(site, ['kilo'], { disk: diskOfKilled(3, ['linkSync']) }).catch(() => undefined)
    mkdirSync(join(site.root, `.drover-recovery-${'0'.repeat(32)}`))
  },

  'broken runs': async (machine) => {
    machine.realGit()
    const { git, write, commit } = machine.repository()
    write('a.txt', 'a')
    commit()
    writeFileSync(join(machine.home, 'goal'), 'Show the wind in knots')
    writeConfig(machine, 'drive:\n  checks: [nosuch --all]\n')
    const elsewhere = join(dirname(machine.cwd), 'elsewhere')
    git('worktree', 'add', '--quiet', elsewhere)
    await startRun(machine, '--root', elsewhere)
    rmSync(elsewhere, { recursive: true })
    const damaged = await startRun(machine)
    writeFileSync(within(machine, 'runs', damaged, 'journal.jsonl'), '{}\n')
    mkdirSync(within(machine, 'cache'))
    for (const path of [within(machine), within(machine, 'runs')]) chmodSync(path, 0o755)
  },

  'no programs': (machine) => {
    // The worktree exists, but cannot be found without git.
    mkdirSync(join(machine.cwd, '.git'))
  },

  'no repository': (machine) => {
    machine.realGit()
    machine.program('gh', fakeGh({ version: 'echo "gh version DEV"', auth: 'exit 1' }))
    machine.env['DROVER_HOME'] = 'relative'
  },

  'old programs': (machine) => {
    machine.program('git', 'case "$*" in *rev-parse*) echo --path-format=absolute;; *) echo git version 2.30.9;; esac')
    machine.program('gh', fakeGh({ version: 'echo "gh version 2.93.9 (2026-01-01)"' }))
    machine.program('drover', 'echo drover 0.0.1')
    machine.program('claude', 'echo "2.0.9 (Claude Code)"')
    machine.program('codex', 'echo "codex-cli 0.166.0"')
    machine.program('gemini', 'exit 1')
    writeConfig(machine, 'backends:\n  gemini:\n    allowed_tools: Bash\n')
  },

  'broken files': async (machine) => {
    machine.realGit()
    const { git } = machine.repository()
    git('remote', 'add', 'origin', 'https://github.com/ada/weather')
    machine.program('gh', fakeGh({ version: 'exit 1', api: `echo '{"pull":true,"push":false}'` }))
    writeConfig(machine, 'server:\n  port: none\ncolour: red\n')
    mkdirSync(join(machine.home, '.drover', 'config.yaml.lock'))
    const sessions = await makeSessions(machine)
    writeFileSync(sessions, Buffer.alloc(8192, 'x'))
    mkdirSync(within(machine))
    writeFileSync(within(machine, 'runs'), '')
  },

  'half broken files': async (machine) => {
    machine.realGit()
    const { git } = machine.repository()
    git('remote', 'add', 'origin', 'https://github.com/ada/weather')
    machine.program('gh', fakeGh({ version: 'echo 2.95.0', api: 'exit 1' }))
    machine.env['DROVER_CONFIG'] = `${NOWHERE}/config.yaml`
    const sessions = await makeSessions(machine)
    spoilFreePages(sessions)
    chmodSync(sessions, 0o644)
    mkdirSync(join(machine.home, '.drover', 'owners'), { recursive: true })
    writeFileSync(join(machine.home, '.drover', 'owners', `${'0'.repeat(32)}.lock`), '')
    symlinkSync(machine.home, within(machine))
  },

  'no home': (machine) => {
    const file = join(machine.cwd, 'home')
    writeFileSync(file, '')
    machine.env['DROVER_HOME'] = join(file, 'drover')
  },

  'programs that hang': (machine) => {
    for (const name of ['git', 'gh', 'drover', 'claude', 'gemini']) machine.program(name, 'exec sleep 600')
    machine.env['PATH'] = `${machine.env['PATH']}:/usr/bin:/bin`
  },
}

/** A wrong count in the header: the database still opens. */
function spoilFreePages(path: string): void {
  const bytes = readFileSync(path)
  bytes.writeUInt32BE(bytes.readUInt32BE(36) + 5, 36)
  writeFileSync(path, bytes)
}

const machinesDirectory = temporaryDirectoryForAll()
const diagnosed = new Map<string, Promise<{ machine: Machine; report: DoctorReport }>>()

/** Each machine is created and checked once. */
function diagnose(name: string) {
  const known = diagnosed.get(name)
  if (known !== undefined) return known
  const directory = join(machinesDirectory, name.replaceAll(' ', '-'))
  mkdirSync(directory)
  const machine = doctorMachine(directory)
  const made = (async () => {
    await MACHINES[name]?.(machine)
    return { machine, report: reportIn(await machine.drover('doctor', '--json')) }
  })()
  diagnosed.set(name, made)
  return made
}

/** The disk of the tests may be small. */
const isAboutDisk = (code: string) => code === 'disk_low' || code === 'disk_full'

type Row = [code: string, machine: string, says: RegExp, host?: string]

const ROWS: readonly Row[] = [
  ['repository_ok', 'no problems', /^\/.*\/no-problems\/cwd$/],
  ['repository_empty', 'broken hosts', /^no commit yet; make a first commit$/],
  ['checks_saved', 'no problems', /^checks: git --version$/],
  ['checks_none', 'broken hosts', /nothing would be tested; run drover init to choose them$/],
  ['check_not_runnable', 'broken runs', /there is no program nosuch; .*; correct it with drover init$/],
  ['repository_missing', 'no repository', /cwd is not inside a git worktree; name a worktree with --root/],
  ['repository_unusable', 'no programs', /^git was not found/],
  ['repository_unusable', 'old programs', /^git version 2.30.9 is too old/],
  ['repository_unusable', 'programs that hang', /did not end within 10000 ms/],
  [
    'adapter_manifest_unreadable',
    'broken hosts',
    /ownership-manifest.json: .*; update drover if a newer release wrote the manifest; otherwise restore the manifest/,
    'cursor',
  ],
  ['adapter_not_detected', 'no problems', /^drover is not installed there$/, 'cursor'],
  [
    'adapter_not_installed',
    'broken hosts',
    /^used here, but drover is not installed; run drover hosts install --tool codex$/,
    'codex',
  ],
  [
    'adapter_not_installed',
    'broken hosts',
    /drover is not installed, and a file is in the way: \.opencode\/commands\/drover-run\.md; /,
    'opencode',
  ],
  [
    'adapter_not_installed',
    'broken hosts',
    /^\.kiro\/drover\/\.adapter-generated exists but .* does not, .* --surface ide\|cli/,
    'kiro',
  ],
  ['adapter_inspection_unavailable', 'broken hosts', /^\.pi\/skills\/drover-run\/.* cannot be inspected/, 'pi'],
  [
    'adapter_modified',
    'broken hosts',
    /^1 file is edited or missing: .*drover-run\/SKILL\.md; run drover hosts install --tool claude --refresh/,
    'claude',
  ],
  ['adapter_modified', 'broken hosts', /was edited, .*; delete \.github\/copilot\/.* by hand/, 'copilot'],
  [
    'adapter_refresh_required',
    'broken hosts',
    /adapter-generated is missing; run drover hosts install --tool qwen --refresh$/,
    'qwen',
  ],
  ['adapter_healthy', 'no problems', /^8 managed files$/, 'claude'],
  ['adapter_healthy', 'broken hosts', /^15 managed files$/, 'windsurf'],
  ['install_settled', 'no problems', /^no install was interrupted$/],
  [
    'install_interrupted',
    'broken hosts',
    /^a change of \d+ steps was interrupted.*; run drover doctor --clear-interrupted$/,
    'kilo',
  ],
  ['install_interrupted', 'broken hosts', /^\.drover-recovery-0{32} looks like .*, then delete it$/],
  ['legacy_unknown_residue', 'broken runs', /\.git\/drover\/cache was not created by drover; inspect it/],
  ['legacy_unknown_residue', 'half broken files', /\.git\/drover is a symbolic link; /],
  ['runstore_exposed', 'broken runs', /; run chmod 700 \/.*\/\.git\/drover$/],
  ['runstore_durability_full', 'no problems', /^files in \/.*\/\.git\/drover\/runs survive a power failure$/],
  ['runstore_durability_full', 'half broken files', /^files in \/.*\/\.git survive a power failure$/],
  ['runs_readable', 'no problems', /^1 run is readable$/],
  ['runs_readable', 'broken hosts', /^no runs yet$/],
  ['run_unreadable', 'broken runs', /journal\.jsonl is invalid: .*; restore it from a backup/],
  ['run_worktree_gone', 'broken runs', /^run \S+ is active, but \/.*\/elsewhere no longer exists; /],
  [
    'runstore_unusable',
    'broken files',
    /runs is a regular file; fix that first$|it is a regular file; fix that first$/,
  ],
  ['github_cli_unavailable', 'no programs', /^gh is not in PATH; install it/],
  ['github_cli_version_unknown', 'no repository', /^gh does not report its version; /],
  ['github_cli_version_unknown', 'programs that hang', /^gh does not report its version; /],
  ['github_cli_rest_fallback_required', 'old programs', /^gh 2\.93\.9; update gh/],
  ['github_cli_compatible', 'no problems', /^gh 2\.94\.0$/],
  ['github_auth_unavailable', 'no repository', /; run gh auth login --hostname github\.com$/],
  ['github_auth_unavailable', 'programs that hang', /^not logged in/],
  ['github_auth_available', 'no problems', /^logged in to github\.com$/],
  ['github_issue_permissions_ok', 'no problems', /^ada\/weather: read true, triage true, write true$/],
  ['github_issue_permissions_limited', 'broken files', /^ada\/weather: read true, triage false, write false; ask/],
  ['github_issue_permissions_unknown', 'half broken files', /^the permissions in ada\/weather could not be read; /],
  ['node_supported', 'no problems', new RegExp(`^Node ${process.versions.node}$`)],
  ['git_supported', 'no problems', /^git \d+\.\d+\.\d+ \(\/.*\/bin\/git\)$/],
  ['git_missing', 'no programs', /^git is not in PATH; install git/],
  ['git_too_old', 'old programs', /^git 2\.30\.9 .*; install git 2\.31\.0 or later$/],
  ['git_version_unknown', 'programs that hang', /^git version did not end within 10000 ms/],
  ['drover_on_path', 'no problems', new RegExp(`/bin/drover is drover ${OWN_VERSION}$`)],
  ['sandbox_missing', 'no programs', /^there is no sandbox on this machine: bwrap is not in PATH; install bubblewrap/],
  ['drover_not_on_path', 'no programs', /^drover is not in PATH; run npm install --global \. in the clone of drover/],
  ['drover_other_version', 'old programs', /drover is drover 0\.0\.1; this is drover /],
  ['drover_other_version', 'programs that hang', /drover does not report its version/],
  ['config_valid', 'no problems', /\/\.drover\/config\.yaml$/],
  ['config_valid', 'no programs', /config\.yaml does not exist, so every setting has its default value$/],
  ['config_warning', 'old programs', /^backends\.gemini\.allowed_tools has no effect/],
  ['config_invalid', 'broken files', /config\.yaml:2:\d+: server\.port .*; correct it/],
  ['config_invalid', 'broken files', /config\.yaml:3:\d+: .*colour.*; correct it/],
  [
    'config_unreadable',
    'half broken files',
    new RegExp(`^DROVER_CONFIG names ${NOWHERE}/config\\.yaml, which does not exist`),
  ],
  ['config_unreadable', 'no repository', /^DROVER_HOME must be an absolute path/],
  ['home_writable', 'no problems', /\/home\/\.drover is writable$/],
  ['home_writable', 'no programs', /\/home\/\.drover does not exist yet$/],
  ['home_unwritable', 'no home', /\/home is not a directory; correct its permissions, .* DROVER_HOME$/],
  [
    'templates_kept',
    'no problems',
    /^\/.*\/home\/\.drover\/templates: 1 template, 1\.5 MiB; to free the space, run rm -r \/.*templates; the next/,
  ],
  ['sessions_healthy', 'no problems', /sessions\.db: 20 sessions, \d+\.\d MiB$/],
  ['sessions_healthy', 'no programs', /sessions\.db does not exist yet$/],
  ['sessions_damaged', 'half broken files', /sessions\.db: .*; restore a backup/],
  ['sessions_unusable', 'broken files', /sessions\.db is not a usable session file: it is not a database; /],
  ['sessions_exposed', 'half broken files', /sessions\.db is accessible to other users; run chmod 600 \//],
  ['session_owners_left', 'half broken files', /^a process died while using sessions; run drover sessions list/],
  ['lock_usable', 'no problems', /^changes of the configuration: free$/],
  ['lock_usable', 'no problems', /^changes of hosts: free$/],
  ['lock_unusable', 'broken files', /config\.yaml\.lock .*: it is a directory; delete it if no drover is running; /],
  ['agent_ready', 'no problems', /^claude \(\/.*\/bin\/claude\) 2\.1\.197$/],
  ['agent_ready', 'no problems', /^codex \(\/.*\/bin\/codex\) 0\.166\.0$/],
  [
    'agent_cost_unknown',
    'no problems',
    /^--max-cost cannot count codex: .+; name one: drover config set backends\.codex\.model MODEL$/,
  ],
  [
    'agent_login_missing',
    'old programs',
    /^claude has no login that drover can see; to log in, run `claude` .* \/login/,
  ],
  ['agent_login_missing', 'old programs', /^codex has no login .*; to log in, run `codex login` in a terminal/],
  ['agent_login_missing', 'old programs', /^gemini has no login .*; to log in, run `gemini` .* GEMINI_API_KEY$/],
  ['agent_disabled', 'no problems', /^gemini is disabled$/],
  [
    'agents_missing',
    'no programs',
    /^no agent is installed, .*; install one, .* npm install --global @anthropic-ai\/claude-code/,
  ],
  [
    'agent_not_installed',
    'no programs',
    /^claude: .*the default backend; install it with npm install --global @anthropic-ai\/claude-code, .*default_backend NAME$/,
  ],
  [
    'agent_not_installed',
    'no programs',
    /^codex: the program codex was not found; install it with npm install --global @openai\/codex, .*backends\.codex\.enabled false$/,
  ],
  ['agent_silent', 'programs that hang', /^claude \(\/.*\) did not answer --version within 10 seconds; /],
  ['agent_version_unknown', 'old programs', /^gemini \(\/.*\) does not report its version: it exited with 1; /],
  ['agent_older_than_tried', 'old programs', /^claude \(\/.*\) is 2\.0\.9; drover was tested with 2\.1\.197; update/],
  [
    'agent_quirk',
    'old programs',
    /^codex 0\.166\.0: it retries forever .*; set a limit for all prompts with drover config set /,
  ],
  ['check_failed', 'no repository', /^the check of sessions failed: DROVER_HOME must be an absolute path$/],
]

const kinds = (await gatherFindings()).flatMap((group) => group.kinds)

describe('a finding', () => {
  it.each(ROWS)('%s is reported for the machine with %s', async (code, name, says, host = '-') => {
    const { report } = await diagnose(name)
    const kind = kinds.find((each) => each.code === code)
    const same = report.checks.filter((check) => check.code === code && check.host_id === host)
    expect(same).toContainEqual(
      expect.objectContaining({ status: kind?.status, name: kind?.name, detail: expect.stringMatching(says) }),
    )
  })

  /** These cannot be arranged here; the tests of their files cover them. */
  const ELSEWHERE = [
    ...['node_too_old', 'runstore_durability_limited', 'runstore_unwritable', 'run_busy'],
    ...[
      'disk_low',
      'disk_full',
      'store_rights_missing',
      'store_outdated',
      'labels_missing',
      'agent_answers',
      'agent_fails',
      'sandbox_enforced',
    ],
  ]

  it('of every kind has a test', () => {
    const found = [...new Set([...ROWS.map(([code]) => code), ...ELSEWHERE])]
    expect(found.toSorted()).toEqual(kinds.map(({ code }) => code).toSorted())
  })

  it('of every kind is gathered once', () => {
    const sources = globSync('src/cli/doctor/**/*.ts', { cwd: ROOT }).map((file) =>
      readFileSync(join(ROOT, file), 'utf8'),
    )
    const defined = sources.flatMap((source) => [...source.matchAll(/^ {2}\w+: (?:ok|warning|problem)\(/gm)])
    expect(new Set(kinds.map(({ code }) => code)).size).toBe(defined.length)
    expect(kinds).toHaveLength(defined.length)
  })

  it('of a problem says what to do', () => {
    expect(kinds.filter(({ status, todo }) => status !== 'ok' && todo === undefined)).toEqual([])
  })
})

describe('the report', () => {
  const validate = protocolValidator().compile(PROTOCOL_SCHEMA)

  it.each(firstOf(Object.keys(MACHINES), 4))('for the machine with %s is a valid doctorReport', async (name) => {
    expect(validate((await diagnose(name)).report)).toBe(true)
  })

  it('has a fixed order', async () => {
    const { report } = await diagnose('no problems')
    const checks = report.checks.filter(({ code }) => !isAboutDisk(code))
    const codes = checks.map(({ code, host_id }) => (host_id === '-' ? code : host_id))
    expect(codes).toEqual([
      'repository_ok',
      'checks_saved',
      ...['agents', 'claude', 'codex', 'copilot', 'cursor', 'kilo', 'kiro', 'opencode', 'pi', 'qwen', 'windsurf'],
      'install_settled',
      'runstore_durability_full',
      'runs_readable',
      'github_cli_compatible',
      'github_auth_available',
      'github_issue_permissions_ok',
      'node_supported',
      'git_supported',
      'drover_on_path',
      'sandbox_missing',
      'config_valid',
      'home_writable',
      'templates_kept',
      'sessions_healthy',
      'lock_usable',
      'lock_usable',
      'agent_ready',
      'agent_ready',
      'agent_cost_unknown',
      'agent_disabled',
    ])
  })

  it('contains the durability of the run storage', async () => {
    const { report } = await diagnose('no problems')
    expect(report.checks.filter((check) => 'durability' in check)).toEqual([
      expect.objectContaining({
        code: 'runstore_durability_full',
        durability: { level: 'file_and_directory_fsync', file_sync: true, directory_sync: true },
      }),
    ])
  })

  it('skips hosts and runs outside of a repository, and makes all other checks', async () => {
    const { report } = await diagnose('no programs')
    const names = [...new Set(report.checks.map(({ name }) => name))]
    expect(names).toEqual([
      'repository',
      'github_cli',
      'node',
      'git',
      'drover',
      'sandbox',
      'configuration',
      'directory',
      'session store',
      'lock',
      'agent',
    ])
  })

  it('has an error if --root is not inside a worktree', async () => {
    const { machine } = await diagnose('no problems')
    const report = reportIn(await machine.drover('doctor', '--json', '--offline', '--root', machine.home))
    expect(report.checks[0]).toMatchObject({ code: 'repository_unusable', status: 'error' })
  })

  it('is about the worktree of --root', async () => {
    const { machine } = await diagnose('no problems')
    const argv = [process.execPath, DROVER, 'doctor', '--json', '--offline', '--root', join(machine.cwd, '.claude')]
    const report = reportIn(await runAt(machine.home, argv, machine.env))
    expect(report.checks[0]).toMatchObject({ code: 'repository_ok', detail: machine.cwd })
    expect(report.checks.some(({ code }) => code.startsWith('github_auth'))).toBe(false)
  })
})

describe('drover doctor', () => {
  it('changes nothing', async () => {
    const { machine } = await diagnose('no problems')
    const snapshot = () =>
      [machine.home, machine.cwd].flatMap((directory) =>
        readdirSync(directory, { recursive: true, encoding: 'utf8' })
          .toSorted()
          .map((name) => {
            const { mode, size, mtimeMs } = statSync(join(directory, name))
            // The durability check writes and removes a file here.
            const isProbed = name === '.git/drover/runs'
            return { name, mode, size, mtimeMs: isProbed ? 0 : mtimeMs }
          }),
      )
    const before = snapshot()
    expect((await machine.drover('doctor')).code).toBe(0)
    expect(snapshot()).toEqual(before)
  })

  it('prints the findings by group, and a summary', async () => {
    const { machine } = await diagnose('no problems')
    const { code, stdout, stderr } = await machine.drover('doctor', '--strict')
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
    const lines = stdout.replaceAll(machine.cwd, 'CWD').replaceAll(machine.home, 'HOME').split('\n')
    expect(lines.slice(0, 15)).toEqual([
      'Repository',
      '  ok      CWD',
      '  ok      checks: git --version',
      '',
      'Hosts',
      '  ok      agents, codex, copilot, cursor, kilo, kiro, opencode, pi, qwen, windsurf: drover is not installed there',
      '  ok      claude: 8 managed files',
      '  ok      no install was interrupted',
      '',
      'Runs',
      '  ok      files in CWD/.git/drover/runs survive a power failure',
      '  ok      1 run is readable',
      '',
      'GitHub',
      '  ok      gh 2.94.0',
    ])
    expect(lines.slice(-3)).toEqual(['', '0 errors, 1 warning.', ''])
  })

  it('tries the sandbox of this machine', async (test) => {
    skipWithoutSandbox(test)
    const { machine } = await diagnose('no problems')
    const env = { ...machine.env, PATH: `${machine.env['PATH']}:${process.env['PATH']}` }
    const { checks } = reportIn(
      await runAt(machine.cwd, [process.execPath, DROVER, 'doctor', '--json', '--offline'], env),
    )
    expect(checks).toContainEqual(expect.objectContaining({ code: 'sandbox_enforced', status: 'ok' }))
  })

  it('prints what to do below each problem', async () => {
    const { machine } = await diagnose('no programs')
    const { stdout } = await machine.drover('doctor')
    expect(stdout).toContain('  error   git is not in PATH (git_missing)\n          → install git, or correct PATH\n')
    expect(stdout).toMatch(/\n\n2 errors, 7 warnings\.\n$/)
  })

  it.each<[string, number]>(
    firstOf(
      [
        ['no problems', 0],
        ['no repository', 3],
        ['broken hosts', 3],
        ['old programs', 3],
      ],
      2,
    ),
  )('exits on the machine with %s with %d if --strict is given', async (name, code) => {
    const { machine } = await diagnose(name)
    expect((await machine.drover('doctor', '--strict', '--offline', '--json')).code).toBe(code)
    expect((await machine.drover('doctor', '--offline')).code).toBe(0)
  })

  it.each([[['--nope']], [['extra']], [['--root']]])('refuses %j like the other commands on hosts', async (args) => {
    const { machine } = await diagnose('no programs')
    const { code, stdout, stderr } = await machine.drover('doctor', '--json', ...args)
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' })
    expect(checkCliError(JSON.parse(stderr))).toMatchObject({ code: 'invalid_usage', exit_code: 2 })
  })

  it.runIf(IS_FULL)('reports a busy run, and does not wait for it', async () => {
    const { machine } = await diagnose('no problems')
    const [run = ''] = readdirSync(within(machine, 'runs'))
    using _lock = await takeLock({ path: within(machine, 'runs', run, 'run.lock'), mode: 'exclusive' })
    const { checks } = reportIn(await machine.drover('doctor', '--json', '--offline'))
    expect(checks).toContainEqual(expect.objectContaining({ code: 'run_busy', status: 'warning' }))
    expect(checks).not.toContainEqual(expect.objectContaining({ code: 'runs_readable' }))
  })

  it.runIf(IS_FULL)('exits when interrupted, and kills the programs it has started', async () => {
    const machine = doctorMachine(temporaryDirectory())
    const pid = join(machine.home, 'pid')
    machine.program('claude', `echo $$ > '${pid}.new'; mv '${pid}.new' '${pid}'; exec sleep 600`)
    machine.env['PATH'] = `${machine.env['PATH']}:/usr/bin:/bin`
    const child = spawn(process.execPath, [DROVER, 'doctor'], { cwd: machine.cwd, env: machine.env, stdio: 'ignore' })
    await expect.poll(() => existsSync(pid), { timeout: 20_000 }).toBe(true)
    child.kill('SIGINT')
    expect((await once(child, 'close'))[0]).toBe(130)
    expect(isRunning(Number(readFileSync(pid, 'utf8')))).toBe(false)
  })

  it('reports a held lock', async () => {
    const { machine } = await diagnose('no problems')
    using _lock = await takeLock({ path: within(machine, 'hosts', 'lock'), mode: 'exclusive' })
    const { checks } = reportIn(await machine.drover('doctor', '--json', '--offline'))
    expect(checks).toContainEqual(
      expect.objectContaining({ code: 'lock_usable', detail: 'changes of hosts: held by a running process' }),
    )
  })

  it.skipIf(!CAN_DROP_PRIVILEGES)('reports that the run storage is not writable', async () => {
    const machine = await openToNobody()
    const { checks } = reportIn(await machine.droverAsNobody('doctor', '--json', '--offline'))
    expect(checks).toContainEqual(
      expect.objectContaining({
        code: 'runstore_unwritable',
        status: 'error',
        detail: expect.stringMatching(/^\/.*\/\.git is not writable: permission denied \(EACCES\); check/),
      }),
    )
  })
})

/** A machine whose user can read everything and write nothing, even if the tests run as root. */
async function openToNobody() {
  const directory = temporaryDirectory()
  const machine = doctorMachine(directory)
  machine.realGit()
  machine.repository()
  const config = join(machine.home, 'gitconfig')
  writeFileSync(config, '[safe]\n\tdirectory = *\n')
  chmodSync(directory, 0o755)
  chmodSync(join(machine.cwd, '.git'), 0o555)
  const isRoot = process.getuid?.() === 0
  const drop = isRoot ? ['/usr/bin/setpriv', '--reuid=65534', '--regid=65534', '--clear-groups'] : []
  const env = { ...machine.env, GIT_CONFIG_GLOBAL: config }
  const droverAsNobody = (...args: string[]) => runAt(machine.cwd, [...drop, process.execPath, DROVER, ...args], env)
  return { ...machine, droverAsNobody }
}

describe('--clear-interrupted', () => {
  const recovery = ({ cwd }: Machine) => readdirSync(cwd).filter((name) => name.startsWith('.drover-recovery-'))

  it('prints what was interrupted, undoes it, and reports the rest', async () => {
    const machine = doctorMachine(temporaryDirectory())
    machine.realGit()
    machine.repository()
    const site = createHostWorktree(machine.cwd)
    site.write('.claude/mine.md', 'mine')
    const before = site.tree()
    await install(site, ['claude'], { disk: diskOfKilled(3, ['linkSync']) }).catch(() => undefined)
    const unclaimed = `.drover-recovery-${'0'.repeat(32)}`
    mkdirSync(join(machine.cwd, unclaimed))
    expect(recovery(machine)).toHaveLength(2)
    const { code, stdout, stderr } = await machine.drover('doctor', '--clear-interrupted', '--json', '--offline')
    expect(code).toBe(0)
    expect(stderr.split('\n')).toEqual([
      expect.stringMatching(/^drover: found: a change of \d+ steps was interrupted: /),
      expect.stringMatching(/^drover: found: \.drover-recovery-0{32} looks like a recovery folder/),
      'drover: an earlier change of claude was interrupted; it was undone first',
      'drover: 1 of 2 cleared',
      '',
    ])
    const left = JSON.parse(stdout).checks.filter((each: { code: string }) => each.code === 'install_interrupted')
    expect(left).toHaveLength(1)
    expect(recovery(machine)).toEqual([unclaimed])
    rmSync(join(machine.cwd, unclaimed), { recursive: true })
    expect(site.tree()).toEqual(before)
  })

  it.runIf(IS_FULL)('does nothing without an interrupted install', async () => {
    const { machine } = await diagnose('no problems')
    const { stderr } = await machine.drover('doctor', '--clear-interrupted', '--offline')
    expect(stderr).toBe('drover: no install was interrupted, nothing to clear\n')
  })

  it('needs a repository', async () => {
    const machine = doctorMachine(temporaryDirectory())
    machine.realGit()
    const { code, stdout, stderr } = await machine.drover('doctor', '--clear-interrupted', '--json')
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' })
    expect(checkCliError(JSON.parse(stderr)).code).toBe('git_repository_required')
  })

  it.runIf(IS_FULL)('waits for a running change, then reports lock_busy', async () => {
    const { machine } = await diagnose('broken hosts')
    const copy = doctorMachine(temporaryDirectory())
    copy.realGit()
    cpSync(machine.cwd, copy.cwd, { recursive: true, verbatimSymlinks: true })
    using _lock = await takeLock({ path: within(copy, 'hosts', 'lock'), mode: 'exclusive' })
    const { code, stderr } = await copy.drover('doctor', '--clear-interrupted', '--json')
    expect(code).toBe(3)
    expect(stderr).toContain('lock_busy')
    expect(recovery(copy)).toEqual(recovery(machine))
    const { checks } = reportIn(await copy.drover('doctor', '--json', '--offline'))
    expect(checks.filter(({ name }) => name === 'interrupted installs')).toEqual([
      expect.objectContaining({ code: 'install_settled', detail: 'another process is changing hosts right now' }),
    ])
  })
})

describe('drover doctor --try', () => {
  /** Agents that answer, in their own format, and print their version. */
  function machineWithAgents(): Machine {
    const machine = doctorMachine(temporaryDirectory())
    installFakeAgents(join(machine.home, '..', 'bin'))
    machine.env['PATH'] = `${machine.env['PATH']}:/usr/bin:/bin`
    machine.env['DROVER_DRIVE_SANDBOX'] = 'off'
    return machine
  }

  const tried = ({ checks }: DoctorReport) =>
    checks.filter(({ code }) => /^agent_(?:answers|fails|login)/.test(code)).map(({ code, detail }) => [code, detail])

  it.runIf(IS_FULL)('sends a prompt to each installed agent, and reports which answer', async () => {
    const machine = machineWithAgents()
    rmSync(join(machine.home, '..', 'bin', 'gemini'))
    machine.program('codex', 'case "$1" in --version) echo codex-cli 0.166.0;; *) exit 3;; esac')
    expect(tried(reportIn(await machine.drover('doctor', '--json', '--offline', '--try')))).toEqual([
      [
        'agent_answers',
        expect.stringMatching(/^claude works: it answered ".+" in \d+\.\d s( for \$\S+)?, outside of the sandbox$/),
      ],
      ['agent_fails', expect.stringMatching(/^codex failed: .*exit code 3/)],
    ])
  })

  it('sends it only to those that are named, and says before what it costs', async () => {
    const machine = machineWithAgents()
    const { code, stdout, stderr } = await machine.drover('doctor', '--offline', '--try', 'claude', 'gemini')
    expect([code, stderr]).toEqual([0, 'drover: sending one short prompt to claude, gemini each; it costs 2 prompts\n'])
    expect(stdout).toMatch(/claude works: it answered [\s\S]* outside of\s+the\s+sandbox/)
    expect(stdout).toContain('gemini works')
    expect(stdout).not.toContain('codex works')
  })

  it.runIf(hasSandbox)('tries an agent inside of the sandbox, where a driven run puts it', async () => {
    const machine = machineWithAgents()
    machine.env['DROVER_DRIVE_SANDBOX'] = 'on'
    machine.env['DROVER_SANDBOX_READ'] = dirname(FAKE_AGENT)
    // Its own directory is hidden in a sandbox.
    machine.program('codex', `test "$1" = --version && exit\ntest -e "${machine.home}/.drover/seen" && exit 3\nexit 4`)
    mkdirSync(join(machine.home, '.drover'), { mode: 0o700 })
    writeFileSync(join(machine.home, '.drover', 'seen'), '')
    const args = ['doctor', '--json', '--offline', '--try', 'claude', 'codex']
    // Doctor works anywhere, a sandbox does not.
    const report = reportIn(await runAt(machine.home, [process.execPath, DROVER, ...args], machine.env))
    expect(tried(report)).toEqual(
      expect.arrayContaining([
        ['agent_answers', expect.stringMatching(/^claude works: .*, inside of the sandbox$/)],
        ['agent_fails', expect.stringMatching(/^codex failed: .*exit code 4/)],
      ]),
    )
  })

  it.runIf(IS_FULL)('says how to log in', async () => {
    const machine = machineWithAgents()
    machine.env['FAKE_AGENT_SCRIPT'] = JSON.stringify({ fail: 401 })
    const ran = await machine.drover('doctor', '--json', '--offline', '--try', 'codex', '--strict')
    expect(ran.code).toBe(3)
    expect(tried(JSON.parse(ran.stdout))).toContainEqual([
      'agent_fails',
      expect.stringMatching(/^codex failed: .*401.*; to log in, run `codex login` in a terminal/),
    ])
  })

  it.each([
    ['an unknown agent', ['--try', 'claud'], /no backend "claud".*did you mean claude\?/],
    ['an agent without --try', ['claude'], /naming agents needs --try: drover doctor --try claude/],
  ])('refuses %s', async (_name, args, message) => {
    const { code, stdout, stderr } = await doctorMachine(temporaryDirectory()).drover('doctor', ...args)
    expect([code === 0, stdout]).toEqual([false, ''])
    expect(stderr).toMatch(message)
  })
})
