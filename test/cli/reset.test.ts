/** `drover reset`: nothing keeps running, nothing that holds work is deleted, and what stays is named. */

import { existsSync, mkdirSync, renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { systemClock } from '../../src/kit/clock.ts'
import { randomIds } from '../../src/kit/ids.ts'
import { discoverWorkspace } from '../../src/workspace/discover-workspace.ts'
import { locateGit } from '../../src/workspace/git.ts'
import { commitWorktree } from '../../src/workspace/worktrees/commit-worktree.ts'
import { createWorktree } from '../../src/workspace/worktrees/create-worktree.ts'
import { callMain } from '../support/call-main.ts'
import { installDrover } from '../support/drover-shim.ts'
import { IS_FULL } from '../support/full-counts.ts'
import { PLAIN_ENV, type Repository } from '../support/git-repository.ts'
import { createLocalUser } from '../support/local-user.ts'
import { hasTerminals, startOnTerminal } from '../support/on-terminal.ts'
import { ending, runAt, temporaryDirectory } from '../support/run-drover.ts'
import { portOf, serveDrover } from '../support/serve-drover.ts'
import { createRepository } from '../support/temporary-repository.ts'
import { isRunning } from '../support/test-command.ts'
import { until } from '../support/until.ts'

const git = locateGit({ env: PLAIN_ENV, cwd: '/' })
const { signal } = new AbortController()

function repositoryWithCommit(): Repository {
  const repository = createRepository()
  repository.write('a', 'one\n')
  repository.commit()
  return repository
}

/** A user, and a repository in which drover has created worktrees. */
function createUser(repository = repositoryWithCommit()) {
  const root = temporaryDirectory()
  const worktrees = join(root, '.drover', 'worktrees')
  mkdirSync(join(root, '.drover'), { mode: 0o700 })
  const env = { ...PLAIN_ENV, HOME: root }
  const drover = (...args: string[]) => callMain(args, { cwd: root, env })
  const reset = async (...args: string[]) => {
    const ran = await drover('reset', '--json', ...args)
    expect(ran).toMatchObject({ code: 0, stderr: '' })
    return JSON.parse(ran.stdout)
  }
  const add = async (title: string, of = repository) => {
    const found = await discoverWorkspace({ start: of.root, git, signal })
    const wanted = { home: worktrees, repository: found, commit: 'HEAD', title, git, signal }
    return await createWorktree({ ...wanted, clock: systemClock, ids: randomIds })
  }
  const branches = () => repository.git('branch', '--list', 'drover/*', '--format=%(refname:short)').trim()
  return { root, env, repository, drover, reset, add, branches }
}

/** One worktree of each kind. */
async function createWorktrees(user: ReturnType<typeof createUser>) {
  const clean = await user.add('clean')
  const committed = await user.add('committed')
  writeFileSync(join(committed.path, 'b'), 'work\n')
  const { path: directory, branch } = committed
  await commitWorktree({ git, directory, branch, message: 'Work', signal })
  const changed = await user.add('changed')
  writeFileSync(join(changed.path, 'b'), 'work\n')
  const waiting = await user.add('waiting')
  expect(await user.drover('run', 'Show the wind', '--root', waiting.path, '--json')).toMatchObject({ code: 0 })
  const gone = repositoryWithCommit()
  const orphan = await user.add('orphan', gone)
  renameSync(gone.root, `${gone.root}-moved`)
  return { clean, committed, changed, waiting, orphan }
}

describe('drover reset', () => {
  it('changes nothing without --yes outside of a terminal, and tells what it would do', async () => {
    const user = createUser()
    const { clean, committed, changed, waiting, orphan } = await createWorktrees(user)
    const before = user.branches()
    const plan = await user.reset()
    expect(plan).toMatchObject({
      ...{ dry_run: true, server: null, removed: [{ name: clean.name }, { name: committed.name }] },
      kept: [{ name: changed.name }, { name: waiting.name }, { name: orphan.name }],
      branches: [{ branch: committed.branch }],
      discarded: [],
    })
    for (const { path } of [clean, committed, changed, waiting, orphan]) expect(existsSync(path)).toBe(true)
    expect(user.branches()).toBe(before)
    expect(await user.reset('--yes', '--dry-run')).toEqual(plan)
    expect((await user.drover('reset')).stdout).toContain(`Would remove the worktree ${clean.name}.\n`)
  })

  it('removes worktrees that hold nothing, and nothing else', async () => {
    const user = createUser()
    const { clean, committed, changed, waiting, orphan } = await createWorktrees(user)
    const done = await user.reset('--yes')
    expect(done).toMatchObject({
      ...{ dry_run: false, removed: [{ name: clean.name }, { name: committed.name, branch: committed.branch }] },
      kept: [
        { name: changed.name, path: changed.path, reason: 'it has changes that are not committed' },
        { name: waiting.name, reason: expect.stringMatching(/^the run \S+ has not ended$/) },
        { name: orphan.name, reason: 'its repository is gone' },
      ],
    })
    for (const { path } of [clean, committed]) expect(existsSync(path)).toBe(false)
    for (const { path } of [changed, waiting, orphan]) expect(existsSync(path)).toBe(true)
    expect(user.branches().split('\n')).toEqual([changed.branch, committed.branch, waiting.branch].toSorted())
    expect(done.kept[0].command).toBe(`drover worktrees remove ${changed.name} --discard`)
  })

  it.runIf(IS_FULL)('lists what stays with commands that remove it, from the first to the last', async () => {
    const user = createUser()
    const { root, repository, drover, add, reset, branches } = user
    expect(await drover('run', 'Show the wind', '--root', repository.root, '--json')).toMatchObject({ code: 0 })
    expect(await drover('hosts', 'install', 'claude', 'pi', '--root', repository.root)).toMatchObject({ code: 0 })
    const { path } = await add('changed')
    writeFileSync(join(path, 'b'), 'work\n')
    const committed = await add('committed')
    writeFileSync(join(committed.path, 'b'), 'work\n')
    await commitWorktree({ git, directory: committed.path, branch: committed.branch, message: 'Work', signal })
    repository.git('update-ref', 'refs/drover/discarded/2026-01-31/run-1', 'HEAD')
    const done = await reset('--yes')
    expect(done).toMatchObject({
      ...{ branches: [{ branch: committed.branch }], discarded: [{ ref: 'refs/drover/discarded/2026-01-31/run-1' }] },
      journals: [{ repository: repository.root, path: join(repository.root, '.git', 'drover'), runs: 1 }],
      hosts: [{ repository: repository.root, hosts: ['claude', 'pi'] }],
      data: { path: join(root, '.drover') },
      program: { command: 'npm uninstall --global drover' },
    })
    const env = { ...user.env, PATH: `${installDrover(root).bin}:${user.env.PATH}` }
    const shown = (await drover('reset', '--dry-run')).stdout
    const commands = [...shown.matchAll(/^ {4}(.+)$/gm)].map(([, command = '']) => command)
    expect(commands.splice(-1)).toEqual(['npm uninstall --global drover'])
    expect(commands).toHaveLength(6)
    for (const command of commands) {
      const ran = await runAt(root, ['sh', '-c', command], env)
      expect([command, ran.code, ran.stderr]).toEqual([command, 0, ''])
    }
    expect(repository.git('for-each-ref', 'refs/drover')).toBe('')
    expect(branches()).toBe('')
    expect([join(root, '.drover'), join(repository.root, '.git', 'drover')].filter(existsSync)).toEqual([])
    expect(existsSync(join(repository.root, '.claude', 'skills'))).toBe(false)
    expect(repository.git('status', '--porcelain')).toBe('')
  })

  it.runIf(IS_FULL)('stops the server in the background, and says what a person can do', async () => {
    const { drover, pidIn } = createLocalUser()
    const pid = pidIn((await drover('up')).stdout)
    expect((await drover('reset')).stdout).toContain(`Would stop the server in the background (process ${pid}).\n`)
    expect(isRunning(pid)).toBe(true)
    const { code, stdout, stderr } = await drover('reset', '--yes')
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
    expect(stdout).toContain(`Stopped the server in the background (process ${pid}).\n`)
    expect(stdout).toContain('What stays, and what removes it:\n')
    expect(isRunning(pid)).toBe(false)
    expect((await drover('reset', '--yes')).stdout).toMatch(/^No server runs\.\n/)
  })

  it('refuses while a drover serve runs, and removes nothing', async () => {
    const user = createUser()
    const { path } = await user.add('clean')
    const server = serveDrover(['--demo', '--port', '0'], user.env)
    await portOf(server)
    expect(await user.reset()).toMatchObject({ server: { pid: server.child.pid, is_background: false } })
    expect(await user.drover('reset', '--yes')).toMatchObject({
      ...{ code: 1, stdout: '' },
      stderr: expect.stringContaining('stop it where it was started'),
    })
    expect(existsSync(path)).toBe(true)
  })

  it.skipIf(!hasTerminals)('asks on a terminal', async () => {
    const user = createUser()
    const { path, name } = await user.add('clean')
    const answer = async (text: string) => {
      const terminal = startOnTerminal(['reset'], { cwd: user.root, env: user.env, columns: 200 })
      await until(() => terminal.seen().includes('Remove 1 worktree? [y/N] '))
      terminal.child.stdin.write(`${text}\n`)
      await ending(terminal.child)
      return terminal.seen()
    }
    expect(await answer('n')).toContain('Nothing was changed.')
    expect(existsSync(path)).toBe(true)
    expect(await answer('y')).toContain(`Removed the worktree ${name}.`)
    expect(existsSync(path)).toBe(false)
  })

  it.skipIf(!hasTerminals)('asks nothing on a terminal if it would do nothing', async () => {
    const { root: cwd, env } = createUser()
    const terminal = startOnTerminal(['reset'], { cwd, env, columns: 200 })
    expect(await ending(terminal.child)).toMatchObject({ code: 0 })
    expect(terminal.seen()).toContain('What stays, and what removes it:')
    expect(terminal.seen()).not.toContain('[y/N]')
  })
})
