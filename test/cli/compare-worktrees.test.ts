import { execFileSync } from 'node:child_process'
import {
  appendFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { beforeEach, describe, expect, it } from 'vitest'
import { type AgentHome, createAgentHome, hangingAgent } from '../support/agent-home.ts'
import { replaceRepository } from '../support/foreign-repository.ts'
import { firstOf, IS_FULL } from '../support/full-counts.ts'
import type { Repository } from '../support/git-repository.ts'
import { hasSandbox } from '../support/sandbox.ts'
import { createRepository } from '../support/temporary-repository.ts'
import { isRunning } from '../support/test-command.ts'

let home: AgentHome
let repository: Repository

beforeEach(() => {
  home = createAgentHome()
  repository = createRepository()
  repository.write('a', 'one\n')
  repository.write('sub/b', 'one\n')
  repository.commit()
})

/** An agent that does what the script says in its directory. */
function teach(name: string, script: string): void {
  writeFileSync(
    join(home.path, 'bin', name),
    `#!/bin/sh\n[ "$1" = --version ] && exec echo 1.2.3\ncat > /dev/null\n${script}\necho "${name} is done"\n`,
    {
      mode: 0o755,
    },
  )
}

/** Most tests are about something else, and a sandbox takes time to start. */
const env = { DROVER_DRIVE_SANDBOX: 'off' }
const drover = (...args: string[]) => home.drover(['compare', ...args], { cwd: repository.root, env })
const compare = (...args: string[]) => drover('--worktrees', '--backends', 'claude,codex', 'Show the wind', ...args)

async function reportOf(ran: ReturnType<typeof compare>) {
  const { code, stdout, stderr } = await ran
  return { code, stderr, report: JSON.parse(stdout) }
}

const branches = () =>
  repository.git('branch', '--list', 'drover/*', '--format=%(refname:short)').split('\n').filter(Boolean)
const worktrees = () => {
  const directory = join(home.path, '.drover', 'worktrees')
  return existsSync(directory) ? readdirSync(directory) : []
}

describe('drover compare --worktrees', () => {
  it('gives each agent a worktree, and shows the sizes and the checks', async () => {
    teach('claude', 'echo two >> a; echo new > n')
    teach('codex', 'echo two > a')
    const check = `sh -c 'pwd; grep -q one a'`
    const { code, stdout, stderr } = await compare('--check', check, '--check', 'true')
    expect({ code, stderr }).toMatchObject({ code: 0, stderr: expect.stringMatching(/^codex: true passed/m) })
    expect(stdout).toMatch(
      /^AGENT +STATE +FILES +ADDED +REMOVED +CHECKS +TIME +TOKENS\nclaude +completed +2 +\+2 +-0 +2 passed +\S+ m?s +-\ncodex +completed +1 +\+1 +-1 +1 of 2 failed +\S+ m?s +-$/m,
    )
    expect(stdout).toMatch(
      /^codex: sh -c .* failed with exit code 1\n {2}\/.*\/worktrees\/show-the-wind-codex-[0-9a-f]{8}\//m,
    )
    expect(stdout).toContain('drover compare --keep NAME')
    expect(repository.git('status', '--porcelain')).toBe('')
    expect(worktrees()).toHaveLength(2)
  })

  it.runIf(IS_FULL)('prints only the answers with --quiet', async () => {
    for (const name of ['claude', 'codex']) teach(name, 'echo two >> a')
    const { stdout } = await compare('--quiet', '--check', 'true')
    expect(stdout).toBe('claude\nclaude is done\n\ncodex\ncodex is done\n')
    expect(await drover('--drop', '--quiet')).toMatchObject({ code: 0, stdout: '', stderr: '' })
  })

  it.runIf(IS_FULL)('runs no checks for an agent that failed without a change', async () => {
    teach('claude', 'echo two >> a; exit 3')
    teach('codex', 'exit 3')
    const { code, stdout } = await compare('--check', 'true')
    expect(code).toBe(1)
    expect(stdout).toMatch(/^claude +failed +1 +\+1 +-0 +1 passed .*\ncodex +failed +0 +- +- +- /m)
  })

  it('prints the changes of an agent with new files, also when they are kept', async () => {
    teach('claude', 'echo new > n')
    teach('codex', ':')
    await compare()
    const diff = async (name: string) => await drover('--diff', name)
    const open = await diff('claude')
    expect(open.stdout).toMatch(/^diff --git a\/n b\/n\nnew file mode [\s\S]*\n\+new\n$/)
    await drover('--keep', 'claude')
    expect((await diff('claude')).stdout).toBe(open.stdout)
    expect(await diff('codex')).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('has no work of codex: it changed nothing\n'),
    })
    expect((await diff('gemini')).stderr).toContain('name one of claude, codex')
  })

  it('names branches and commits for the first line of the prompt, not for what is attached', async () => {
    teach('claude', 'echo two >> a')
    repository.write('secret.txt', 'the password')
    const args = ['--worktrees', '--backends', 'claude', '--keep', 'claude', '--attach', 'secret.txt']
    await drover(...args, 'Fix\nand more')
    expect(branches()).toEqual([expect.stringMatching(/^drover\/fix-claude-[0-9a-f]{8}$/)])
    expect(repository.git('log', '-1', '--format=%s', branches()[0] ?? '').trim()).toBe('Fix')
  })

  it('shows what would run in the worktrees, and lists no dry run', async () => {
    const { code, stdout, stderr } = await compare('--check', 'true', '--dry-run')
    expect(code).toBe(0)
    expect(stdout).toContain('acceptEdits')
    expect(stderr).toContain(`its own worktree of ${repository.root}`)
    expect(stderr).toContain('checks in each worktree: true')
    expect((await drover('--list')).stdout).toContain('No comparisons are kept')
    expect(worktrees()).toEqual([])
  })

  it('prints everything as JSON', async () => {
    teach('claude', 'echo two >> a')
    teach('codex', ':')
    const { code, report } = await reportOf(compare('--check', "sh -c 'echo seen; exit 3'", '--json'))
    expect(code).toBe(0)
    const base = repository.git('rev-parse', 'HEAD').trim()
    expect(report.results[0].worktree).toEqual({
      name: 'claude',
      repository: repository.root,
      path: expect.stringContaining('.drover/worktrees/show-the-wind-claude-'),
      branch: expect.stringMatching(/^drover\/show-the-wind-claude-[0-9a-f]{8}$/),
      base,
      files: 1,
      insertions: 1,
      deletions: 0,
      changes: [{ path: 'a', insertions: 1, deletions: 0 }],
      checks: [
        {
          command: "sh -c 'echo seen; exit 3'",
          passed: false,
          exit_code: 3,
          duration_ms: expect.any(Number),
          output: 'seen\n',
          output_truncated: false,
        },
      ],
    })
    expect(report.results[1].worktree).toMatchObject({ name: 'codex', files: 0 })
    expect(report.results[1].worktree.path).toBeUndefined()
    expect(worktrees()).toHaveLength(1)
  })

  it.runIf(IS_FULL)(
    'works in the same directory of the worktree, and warns of changes that are not committed',
    async () => {
      teach('claude', 'pwd > where; git rev-parse --show-toplevel > ../top')
      teach('codex', ':')
      appendFileSync(join(repository.root, 'a'), 'mine\n')
      const args = ['compare', '--worktrees', '--backends', 'claude,codex', 'x', '--json']
      // As in a hook of git, which must not lead the agents back to the repository.
      const env = { GIT_DIR: join(repository.root, '.git'), GIT_WORK_TREE: repository.root }
      const ran = home.drover(args, { cwd: join(repository.root, 'sub'), env })
      const { report, stderr } = await reportOf(ran)
      expect(report.results[0].worktree.changes).toMatchObject([{ path: 'sub/where' }, { path: 'top' }])
      const { path } = report.results[0].worktree
      expect(readFileSync(join(path, 'top'), 'utf8').trim()).toBe(path)
      expect(stderr).toContain('1 changed file is not committed')
    },
  )

  it.runIf(IS_FULL)('keeps the work of one agent as a branch at once, and drops the others', async () => {
    teach('claude', 'echo two >> a')
    teach('codex', 'echo three >> a')
    const { code, stdout } = await compare('--keep', 'codex')
    expect(code).toBe(0)
    const [branch = ''] = branches()
    expect(branches()).toHaveLength(1)
    expect(stdout).toContain(`Kept codex as the branch ${branch}`)
    const [, commit = ''] = /Dropped claude\. To get it back: git branch NAME ([0-9a-f]{12})/.exec(stdout) ?? []
    expect(repository.git('show', `${commit}:a`)).toBe('one\ntwo\n')
    expect(repository.git('show', `${branch}:a`)).toBe('one\nthree\n')
    expect(repository.git('log', '-1', '--format=%s', branch).trim()).toBe('Show the wind')
    expect(worktrees()).toEqual([])
    expect(repository.git('worktree', 'list').trim().split('\n')).toHaveLength(1)
  })

  it('compares, keeps and drops with the repository, whatever an agent put in its place', async () => {
    const ran = join(home.path, 'ran')
    teach('claude', `echo two >> a; ${replaceRepository(ran)}`)
    teach('codex', replaceRepository(ran))
    const { code, report } = await reportOf(compare('--json'))
    expect(code).toBe(0)
    expect(report.results).toMatchObject([
      { worktree: { changes: [{ path: 'a', insertions: 1, deletions: 0 }] } },
      { worktree: { files: 0, path: expect.any(String) } },
    ])
    const { stdout } = await drover('--keep', 'claude')
    expect(stdout).toMatch(
      /^Kept claude as .*\nDropped codex, which changed nothing\.\nLeft claude in .*: it contains another/,
    )
    expect(repository.git('show', `${branches()[0]}:a`)).toBe('one\ntwo\n')
    expect(worktrees()).toHaveLength(1)
    expect(existsSync(ran)).toBe(false)
  })

  it.runIf(IS_FULL)('keeps the answers and the work if an agent breaks or deletes its .git', async () => {
    teach('claude', 'echo x > .git')
    teach('codex', 'echo two >> a; rm .git')
    const { code, report } = await reportOf(compare('--json'))
    expect(code).toBe(0)
    expect(report.results).toMatchObject([{ worktree: { files: 0 } }, { worktree: { files: 1 } }])
    const { stdout } = await drover('--drop')
    const [, commit = ''] = /codex.*git branch NAME ([0-9a-f]{12})/.exec(stdout) ?? []
    expect(repository.git('show', `${commit}:a`)).toBe('one\ntwo\n')
  })

  it.runIf(IS_FULL)('keeps the answers if a worktree cannot be removed', async () => {
    teach('claude', 'git worktree lock .')
    teach('codex', 'echo two >> a')
    const { code, report, stderr } = await reportOf(compare('--json'))
    expect(code).toBe(0)
    expect(stderr).toContain('could not be removed: git worktree failed')
    expect(report.results).toMatchObject([{ worktree: { path: expect.any(String) } }, { worktree: { files: 1 } }])
  })

  it.runIf(IS_FULL)('fails if a check of what is kept fails, and keeps it anyway', async () => {
    teach('claude', 'echo two >> a')
    teach('codex', 'echo three >> a')
    const { code, report } = await reportOf(compare('--keep', 'codex', '--check', 'false', '--json'))
    expect(code).toBe(1)
    expect(report).toMatchObject({
      kept: { name: 'codex', branch: branches()[0] },
      dropped: [{ name: 'claude' }],
      left: [],
    })
  })

  it.runIf(IS_FULL)('drops nothing if there is nothing to keep', async () => {
    teach('claude', 'echo two >> a')
    teach('codex', ':')
    const { code, stderr, stdout } = await compare('--keep', 'codex')
    expect(code).toBe(1)
    expect(stderr).toContain('codex changed nothing')
    expect(stdout).toContain('claude is done')
    expect(worktrees()).toHaveLength(1)
  })

  it('leaves nothing behind after Ctrl-C', async () => {
    const pidFile = join(home.path, 'pids')
    teach('claude', 'echo two >> a')
    home.teach('codex', { hangAfter: 'init', pidFile })
    const args = ['compare', '--worktrees', '--backends', 'claude,codex', 'Show the wind']
    const { child, ended } = home.start(args, { cwd: repository.root, env })
    const agent = await hangingAgent(pidFile)
    expect(worktrees()).toHaveLength(2)
    child.kill('SIGINT')
    expect(await ended).toMatchObject({ code: 130 })
    expect(isRunning(agent)).toBe(false)
    expect(worktrees()).toEqual([])
    expect(branches()).toEqual([])
    expect(repository.git('worktree', 'list').trim().split('\n')).toHaveLength(1)
  })

  it.runIf(IS_FULL)('does not report a session that an agent left for a worktree that is removed', async () => {
    const pidFile = join(home.path, 'pids')
    home.teach('gemini', { hangAfter: 'init', pidFile })
    const args = ['compare', '--worktrees', '--backends', 'gemini', 'Show the wind']
    const { child, ended } = home.start(args, { cwd: repository.root, env })
    await hangingAgent(pidFile)
    child.kill('SIGINT')
    const { code, stderr } = await ended
    expect({ code, left: worktrees() }).toEqual({ code: 130, left: [] })
    expect(stderr).not.toContain('stored a session')
  })

  it('leaves nothing behind after Ctrl-C during a check, and says how to look at it and to start again', async () => {
    teach('claude', 'echo two >> a')
    teach('codex', 'echo two >> a')
    const pidFile = join(home.path, 'check')
    const check = `sh -c 'echo "{\\"agent\\": $$, \\"hangs\\": true}" > ${pidFile}; exec sleep 60'`
    const args = ['compare', '--worktrees', '--backends', 'claude,codex', 'Show the wind', '--check', check]
    const { child, ended } = home.start(args, { cwd: repository.root, env })
    const pid = await hangingAgent(pidFile)
    child.kill('SIGINT')
    const { code, stderr } = await ended
    expect(code).toBe(130)
    expect(isRunning(pid)).toBe(false)
    expect([...worktrees(), ...branches()]).toEqual([])
    expect(stderr).toMatch(
      /drover: canceled; "drover compare --show [0-9a-f]{8}" shows what had ended; to start again, run the same command\n$/,
    )
    const [, commit = ''] = /dropped claude\. To get it back: git branch NAME ([0-9a-f]{12})/.exec(stderr) ?? []
    expect(repository.git('show', `${commit}:a`)).toContain('two')
  })

  it.each(
    firstOf([
      { during: 'a check', option: '--check', dropped: ['claude', 'codex', 'gemini'] },
      { during: 'a setup', option: '--setup', dropped: undefined },
    ]),
  )('is recorded as canceled after Ctrl-C during $during, with what was dropped', async ({ option, dropped }) => {
    teach('claude', 'echo two >> a')
    teach('codex', 'echo three >> a')
    teach('gemini', 'echo four >> a')
    const pidFile = join(home.path, 'hangs')
    const hangs = `echo "{\\"agent\\": $$, \\"hangs\\": true}" > ${pidFile}; exec sleep 60`
    // The check of claude passes, that of codex is canceled.
    const command = option === '--check' ? `sh -c 'grep -q two a || { ${hangs}; }'` : `sh -c '${hangs}'`
    const args = ['compare', '--worktrees', '--backends', 'claude,codex,gemini', 'Show the wind', '--json']
    args.push(option, command, ...(dropped === undefined ? [] : ['--check', 'true']))
    const kept = { ...env, DROVER_EXECUTIONS_KEEP: 'results' }
    const { child, ended } = home.start(args, { cwd: repository.root, env: kept })
    await hangingAgent(pidFile)
    child.kill('SIGINT')
    const { code, stdout, stderr } = await ended
    expect({ code, stderr }).toMatchObject({ code: 130, stderr: expect.not.stringContaining('internal error') })
    const listed = await home.drover(['ps', '--all', '--json'])
    expect(JSON.parse(listed.stdout).executions.find(({ kind }: { kind: string }) => kind === 'compare')).toMatchObject(
      {
        state: 'cancelled',
        workdir: repository.root,
      },
    )
    const report = stdout === '' ? {} : JSON.parse(stdout)
    expect([report.canceled, report.dropped?.map(({ name }: { name: string }) => name)]).toEqual([
      dropped && true,
      dropped,
    ])
    if (dropped === undefined) return
    expect(report.results).toMatchObject([
      { worktree: { name: 'claude', files: 1, checks: [{ passed: true }, { passed: true }] } },
      { worktree: { name: 'codex', checks: [{ unfinished: 'canceled' }, { unfinished: 'not_run' }] } },
      { worktree: { name: 'gemini', checks: [{ unfinished: 'not_run' }, { passed: false, unfinished: 'not_run' }] } },
    ])
    expect(report.results[0].worktree).not.toHaveProperty('path')
    const { stdout: shown } = await drover('--show', report.execution_id)
    expect(shown).toMatch(/^[0-9a-f]{8} canceled, just now: /)
    expect(shown).toMatch(/\nclaude +completed +1 +\+1 +-0 +2 passed +\d.* dropped\n/)
    expect(shown).toMatch(/\ncodex +completed +1 +\+1 +-0 +1 canceled, 1 not run /)
    expect((await drover('--list')).stdout).toMatch(/└ gemini +completed +not run +dropped\n/)
  })

  it.runIf(IS_FULL)(
    'names what it cannot remove, without the control characters and lines that an agent has chosen',
    async () => {
      teach('claude', `git init -q "$(printf 'wind\\033[31m\\ndrover: x')"`)
      teach('codex', ':')
      const pidFile = join(home.path, 'check')
      const check = `sh -c 'echo "{\\"agent\\": $$, \\"hangs\\": true}" > ${pidFile}; exec sleep 60'`
      const args = ['compare', '--worktrees', '--backends', 'claude,codex', 'Show the wind', '--check', check]
      const { child, ended } = home.start(args, { cwd: repository.root, env })
      await hangingAgent(pidFile)
      child.kill('SIGINT')
      const { stderr } = await ended
      expect(stderr).toMatch(/^drover: warning: .* could not be removed: .* inside: wind\[31m\n {2}drover: x/m)
      expect(stderr).not.toContain('\u001b')
    },
  )

  it.runIf(IS_FULL)('leaves worktrees that can be dropped if drover is killed', async () => {
    const pidFile = join(home.path, 'pids')
    teach('claude', 'echo two >> a')
    home.teach('codex', { hangAfter: 'init', pidFile })
    const args = ['compare', '--worktrees', '--backends', 'claude,codex', 'Show the wind']
    const { child, ended } = home.start(args, { cwd: repository.root, env })
    const agent = await hangingAgent(pidFile)
    child.kill('SIGKILL')
    await ended
    process.kill(agent, 'SIGKILL')
    expect((await drover('--drop')).stdout).toMatch(/Dropped codex, which changed nothing/)
    expect([...worktrees(), ...branches()]).toEqual([])
  })

  it.runIf(IS_FULL)('prepares each worktree, with one setup for all of them', async () => {
    repository.write('.gitignore', 'deps\n')
    repository.commit()
    const log = join(home.path, 'setups')
    const setup = `sh -c 'echo "$DROVER_PORT" >> ${log}; echo installed > deps'`
    const { code, stderr } = await compare('--setup', setup, '--check', 'grep installed deps')
    expect([code, readFileSync(log, 'utf8')]).toEqual([0, expect.stringMatching(/^\d+0\n$/)])
    expect(stderr).toContain('codex: copying what an earlier setup installed')
    expect(worktrees()).toEqual([])
  })

  it.each([
    { named: [], ran: ['test -f changed'] },
    { named: ['--check', 'true'], ran: ['true'] },
  ])('runs the checks of the settings, or those named: $named', async ({ named, ran }) => {
    for (const name of ['claude', 'codex']) teach(name, 'touch changed')
    const args = ['compare', '--worktrees', '--backends', 'claude,codex', 'x', '--json', ...named]
    const env = { DROVER_DRIVE_CHECKS: 'test -f changed' }
    const { report } = await reportOf(home.drover(args, { cwd: repository.root, env }))
    type Result = { worktree: { checks: { command: string }[] } }
    const commands = report.results.map(({ worktree }: Result) => worktree.checks.map(({ command }) => command))
    expect(commands).toEqual([ran, ran])
  })

  it.runIf(IS_FULL)('tells setup, agents and checks where they are', async () => {
    const log = join(home.path, 'places')
    const tell = (who: string) => `echo "${who} $DROVER_WORKTREE $DROVER_BRANCH $DROVER_PORT [$VIRTUAL_ENV]" >> ${log}`
    for (const name of ['claude', 'codex']) teach(name, `${tell('agent')}; touch changed`)
    const commands = ['--setup', `sh -c '${tell('setup')}; touch new'`, '--check', `sh -c '${tell('check')}'`]
    const args = ['compare', '--worktrees', '--sequential', '--backends', 'claude,codex', 'x', '--json', ...commands]
    const others = { VIRTUAL_ENV: '/elsewhere', DROVER_WORKTREE: '/elsewhere', DROVER_PORT: '1' }
    const { report } = await reportOf(home.drover(args, { cwd: repository.root, env: { ...env, ...others } }))
    const told = readFileSync(log, 'utf8').trimEnd().split('\n')
    const ports = told.slice(0, 2).map((line) => line.split(' ')[3])
    expect(new Set(ports).size).toBe(2)
    expect(ports).not.toContain('1')
    const places: string[] = report.results.map(
      ({ worktree }: { worktree: { path: string; branch: string } }, at: number) =>
        `${worktree.path} ${worktree.branch} ${ports[at]} []`,
    )
    expect(told).toEqual(['setup', 'agent', 'check'].flatMap((who) => places.map((place) => `${who} ${place}`)))
  })

  it.runIf(IS_FULL)('starts no agent if the setup fails, and leaves no worktree', async () => {
    const { code, stdout, stderr } = await compare('--setup', `sh -c 'echo no network; exit 7'`)
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' })
    expect(stderr).toContain('ended with exit code 7:\nno network')
    expect([...worktrees(), ...branches()]).toEqual([])
  })

  it.each([
    ['a check without worktrees', ['x', '--check', 'true'], '--check needs --worktrees'],
    ['a setup without worktrees', ['x', '--setup', 'true'], '--setup needs --worktrees'],
    ['a file outside of the repository', ['x', '--worktrees', '--copy', '../x'], 'it must stay in the repository'],
    ['a check without a program', ['x', '--worktrees', '--check', 'nmp test'], 'there is no program nmp'],
    ['a setup without a program', ['x', '--worktrees', '--setup', 'nmp ci', '--check', 'y'], 'no program nmp'],
    ['a check that needs a shell', ['x', '--worktrees', '--check', 'a && b'], '"&" needs a shell'],
    ['an unknown name', ['x', '--worktrees', '--backends', 'claude,codex', '--keep', 'gemini'], 'one of claude, codex'],
    ['--drop with --keep', ['--drop', '--keep', 'codex'], 'cannot be used together'],
  ])('refuses %s before anything is started', async (_name, args, sentence) => {
    for (const name of ['claude', 'codex']) teach(name, ':')
    const { code, stdout, stderr } = await drover(...args)
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' })
    expect(stderr).toContain(sentence)
    expect(worktrees()).toEqual([])
    expect((await drover('--list')).stdout).toContain('No comparisons are kept')
  })

  it('starts no agent if the setup has not installed the program of a check', async () => {
    for (const name of ['claude', 'codex']) teach(name, `touch ${home.path}/began`)
    const { code, stderr } = await compare('--setup', 'true', '--check', 'nmp test')
    expect({ code, stderr }).toMatchObject({ code: 2, stderr: expect.stringContaining('there is no program nmp') })
    expect([existsSync(join(home.path, 'began')), worktrees(), branches()]).toEqual([false, [], []])
  })

  it.runIf(IS_FULL)(
    'lets agents work in another directory and gives them a schema, but not in a directory of the repository',
    async () => {
      repository.write('sub/schema.json', '{"type": "object"}')
      const other = home.folder('other')
      const asking = ['--worktrees', '--backends', 'claude,codex', '--schema', 'sub/schema.json', '--dry-run', 'x']
      const { stdout } = await drover(...asking, '--add-dir', other)
      expect(stdout.split(`--add-dir ${other}`)).toHaveLength(2)
      expect(stdout).toContain(`sandbox_workspace_write.writable_roots=["${other}"]`)
      for (const part of ['--json-schema', 'Answer with one JSON object']) expect(stdout).toContain(part)
      for (const name of ['claude', 'codex']) teach(name, 'echo two >> a')
      for (const shared of ['sub', '.', '..']) {
        const refused = await compare('--add-dir', shared)
        expect(refused.stderr).toContain('cannot be an additional directory')
      }
      expect(worktrees()).toEqual([])
      const { code, report } = await reportOf(compare('--add-dir', other, '--json'))
      expect([code, report.warnings]).toEqual([
        ...[0, [expect.stringContaining(`all agents work in ${other}`), expect.stringContaining('not committed')]],
      ])
    },
  )

  it('needs a repository with a commit', async () => {
    const cwd = join(home.path, 'plain')
    mkdirSync(cwd)
    const args = ['compare', '--worktrees', '--backends', 'claude,codex', 'x']
    expect((await home.drover(args, { cwd })).stderr).toContain('is not inside a git worktree; name one with --workdir')
    createRepository({ at: cwd })
    expect((await home.drover(args, { cwd })).stderr).toContain('make a first commit')
    expect(worktrees()).toEqual([])
  })
})

describe('drover compare --keep, later', () => {
  it.each(firstOf(['auto', 'none']))('changes nothing while the comparison runs (executions.keep %s)', async (keep) => {
    const pidFile = join(home.path, 'pids')
    teach('claude', 'echo two >> a')
    home.teach('codex', { hangAfter: 'init', pidFile })
    const args = ['compare', '--worktrees', '--backends', 'claude,codex', 'Show the wind']
    const running = { cwd: repository.root, env: { ...env, DROVER_EXECUTIONS_KEEP: keep } }
    const { ended } = home.start(args, running)
    await hangingAgent(pidFile)
    const { group } = JSON.parse(
      readFileSync(join(home.path, '.drover', 'worktrees', worktrees()[0] ?? '', 'worktree.json'), 'utf8'),
    )
    const short = group.slice('exec_'.length, 'exec_'.length + 8)
    const says = `comparison ${short} is still running; wait for its end with "drover logs -f ${short}" and try again`
    for (const act of [['--drop'], ['--keep', 'codex'], ['--keep', 'claude', '--comparison', short]]) {
      expect(await drover(...act)).toMatchObject({ code: 1, stdout: '', stderr: expect.stringContaining(says) })
    }
    expect(worktrees()).toHaveLength(2)
    const names = worktrees()
    for (const more of [[], ['--discard']]) {
      const refused = await home.drover(['worktrees', 'remove', ...names, ...more], running)
      expect(refused).toMatchObject({ code: 1, stdout: '', stderr: expect.stringContaining(says) })
      expect(worktrees()).toEqual(names)
    }
    const { stdout } = await home.drover(['worktrees', 'list', '--json'], running)
    expect(JSON.parse(stdout).worktrees).toMatchObject([{ state: 'in_use' }, { state: 'in_use' }])
    const reset = JSON.parse((await home.drover(['reset', '--dry-run', '--json'], running)).stdout)
    expect(reset).toMatchObject({ removed: [], kept: [{ reason: 'a comparison is running in it' }, {}] })
    expect(await home.drover(['cancel', short], running)).toMatchObject({ code: 0 })
    await ended
    expect(worktrees()).toEqual([])
  })

  it.runIf(IS_FULL)('keeps one of the last comparison and drops the others', async () => {
    teach('claude', 'echo two >> a')
    teach('codex', 'echo three >> a')
    await compare()
    const { code, stdout } = await drover('--keep', 'claude')
    expect(code).toBe(0)
    expect(stdout).toMatch(
      /^Kept claude as the branch drover\/show-the-wind-claude-[0-9a-f]{8} \([0-9a-f]{12}\)\.\nDropped codex/,
    )
    expect(worktrees()).toEqual([])
    expect(branches()).toHaveLength(1)
    expect(await drover('--keep', 'claude')).toMatchObject({
      code: 1,
      stderr: expect.stringContaining(`claude was kept as the branch ${branches()[0]}\n`),
    })
  })

  it.runIf(IS_FULL)('drops all', async () => {
    teach('claude', 'echo two >> a')
    teach('codex', 'echo three >> a')
    await compare()
    expect((await drover('--keep', 'gemini')).stderr).toContain('name one of claude, codex')
    const { code, report } = await reportOf(drover('--drop', '--json'))
    expect(code).toBe(0)
    expect(report).toMatchObject({ dropped: [{ name: 'claude' }, { name: 'codex' }], left: [] })
    expect([...worktrees(), ...branches()]).toEqual([])
  })

  it.runIf(IS_FULL)('needs the repository, which --workdir names from elsewhere', async () => {
    teach('claude', 'echo two >> a')
    teach('codex', 'echo three >> a')
    await compare()
    const cwd = join(home.path, 'elsewhere')
    mkdirSync(cwd)
    const elsewhere = (...args: string[]) => home.drover(['compare', '--drop', ...args], { cwd })
    expect((await elsewhere()).stderr).toContain('is not inside a git worktree; name one with --workdir')
    expect(await elsewhere('--workdir', repository.root)).toMatchObject({ code: 0 })
    expect(worktrees()).toEqual([])
  })

  it.runIf(IS_FULL)('leaves what it cannot commit, and says so', async () => {
    teach('claude', 'echo two >> a')
    teach('codex', `git init --quiet "$(printf 'nested\\nKept x')"`)
    const { report } = await reportOf(compare('--json'))
    expect(report.results[1].worktree.path).toBeDefined()
    const { code, stdout } = await drover('--keep', 'claude')
    expect(code).toBe(1)
    expect(stdout).toMatch(/Left codex in .*: .*other git repositories inside: nested\n {2}Kept x\//)
    expect(worktrees()).toHaveLength(1)
  })
})

describe('drover worktrees', () => {
  const worktreesCommand = (...args: string[]) => home.drover(['worktrees', ...args], { cwd: home.path })

  it('lists what drover has created, and what would be lost', async () => {
    expect(await worktreesCommand()).toMatchObject({ code: 0, stdout: 'No worktrees found.\n' })
    teach('claude', 'echo two >> a')
    teach('codex', 'echo three >> a')
    await compare()
    const { stdout } = await worktreesCommand()
    expect(stdout).toMatch(
      /^NAME +CREATED +STATE\nshow-the-wind-claude-\S+ +just now +it has changes that are not committed\n {2}claude of the comparison [0-9a-f]{8}: \/.*\n/,
    )
    const { worktrees: listed } = JSON.parse((await worktreesCommand('list', '--json')).stdout)
    expect(listed).toMatchObject([
      { label: 'claude', state: 'uncommitted_changes', repository: repository.root, title: 'Show the wind' },
      { label: 'codex' },
    ])
  })

  it('removes only what loses nothing, unless it is told to discard', async () => {
    teach('claude', 'echo two >> a')
    teach('codex', 'echo three >> a; git -c user.name=x -c user.email=x@y.z commit --quiet --all --message=Mine')
    await compare()
    const kept = await worktreesCommand('remove', 'show-the-wind-claude', 'show-the-wind-codex')
    expect(kept).toMatchObject({ code: 1, stderr: expect.stringContaining('changes that are not committed') })
    expect(kept.stdout).toMatch(
      /^Removed show-the-wind-codex-\S+\. Its work is on the branch drover\/show-the-wind-codex-/,
    )
    expect(worktrees()).toHaveLength(1)
    const discarded = await worktreesCommand('remove', 'show', '--discard')
    const [, commit = ''] = /git branch NAME ([0-9a-f]{12})/.exec(discarded.stdout) ?? []
    expect(repository.git('show', `${commit}:a`)).toBe('one\ntwo\n')
    expect(worktrees()).toEqual([])
    expect(branches()).toHaveLength(1)
  })

  it.runIf(IS_FULL)('uses the repository of a worktree, whatever the agent put in its place', async () => {
    teach('claude', 'echo two >> a')
    teach('codex', 'echo three >> a')
    await compare()
    const ran = join(home.path, 'ran')
    const list = async () => JSON.parse((await worktreesCommand('list', '--json')).stdout).worktrees
    for (const { path } of await list()) execFileSync('sh', ['-c', replaceRepository(ran)], { cwd: path })
    expect(await list()).toMatchObject([{ state: 'nested_repository' }, { state: 'nested_repository' }])
    expect(await worktreesCommand('remove', 'show-the-wind-claude')).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('it contains another git repository'),
    })
    const { stdout } = await worktreesCommand('remove', 'show-the-wind-claude', '--discard')
    const [, commit = ''] = /git branch NAME ([0-9a-f]{12})/.exec(stdout) ?? []
    expect(repository.git('show', `${commit}:a`)).toBe('one\ntwo\n')
    expect(repository.git('worktree', 'list').trim().split('\n')).toHaveLength(2)
    rmSync(join(repository.root, '.git', 'worktrees'), { recursive: true })
    expect(await list()).toMatchObject([{ state: 'unknown' }])
    expect(await worktreesCommand('remove', 'show', '--discard')).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(/ was kept: git worktree failed: \S+ has no worktree .*\)\n$/),
    })
    expect(existsSync(ran)).toBe(false)
  })

  it('removes nothing if a name is unknown or ambiguous', async () => {
    teach('claude', 'echo two >> a')
    teach('codex', 'echo three >> a')
    await compare()
    expect((await worktreesCommand('remove', 'show', '--discard')).stderr).toContain(
      'several worktrees begin with "show"',
    )
    expect(await worktreesCommand('remove', 'show-the-wind-codex', 'x')).toMatchObject({ code: 1, stdout: '' })
    expect(worktrees()).toHaveLength(2)
  })
})

describe.runIf(hasSandbox)('a comparison in a sandbox', () => {
  it('runs agents, setups and checks inside by default, and shows what they were refused', async () => {
    const outside = home.folder('outside')
    repository.write(
      'attack.sh',
      `echo x > ${outside}/planted; touch /etc/planted; curl -s "https://$1.invalid"; true\n`,
    )
    repository.commit()
    const redirect = `echo 'ref: refs/heads/main' > "$(git rev-parse --git-dir)/HEAD"; git commit -qm planted --allow-empty`
    teach(
      'claude',
      `echo two >> a; echo x > ${outside}/agent; git branch other; curl -s https://agent.invalid; ${redirect}`,
    )
    const words = ['--setup', 'sh attack.sh setup', '--check', 'sh attack.sh check', '--json']
    const args = ['compare', '--worktrees', '--backends', 'claude', 'Show the wind', ...words]
    const { code, stdout } = await home.drover(args, { cwd: repository.root })
    expect(code).toBe(0)
    const refused = (host: string) => ({ host: `${host}.invalid:443`, reason: 'not listed', count: 1 })
    const [result] = JSON.parse(stdout).results
    expect(result.boundary).toMatchObject({ enforced_by: 'bubblewrap', refused: [refused('agent')] })
    expect(repository.git('branch', '--list', 'other')).toBe('')
    expect(repository.git('log', '--all', '--format=%s')).not.toContain('planted')
    expect(repository.git('-C', result.worktree.path, 'symbolic-ref', 'HEAD')).toContain('refs/heads/drover/')
    expect(result.worktree.boundary).toEqual({
      enforced_by: 'bubblewrap',
      reached: [],
      refused: [refused('setup'), refused('check')],
      unwritable: ['/etc/planted'],
      exceeded: [],
    })
    expect(readdirSync(outside)).toEqual([])
  })

  it('does not begin without one if it is required', async () => {
    teach('claude', 'touch began')
    const args = ['compare', '--worktrees', '--backends', 'claude', 'Show the wind', '--sandbox']
    const PATH = join(home.path, 'bin')
    symlinkSync('/usr/bin/git', join(PATH, 'git'))
    const { code, stderr } = await home.drover(args, { cwd: repository.root, env: { PATH } })
    expect(code).not.toBe(0)
    expect(stderr).toContain('needs a sandbox')
    expect(worktrees()).toEqual([])
  })
})
