import {
  appendFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { basename, join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { IS_FULL } from '../../../test/support/full-counts.ts'
import { PLAIN_ENV, type Repository } from '../../../test/support/git-repository.ts'
import { temporaryDirectory } from '../../../test/support/run-drover.ts'
import { createRepository } from '../../../test/support/temporary-repository.ts'
import { systemClock } from '../../kit/clock.ts'
import { randomIds } from '../../kit/ids.ts'
import { discoverWorkspace } from '../discover-workspace.ts'
import { locateGit } from '../git.ts'
import { observeGit } from '../observe-git.ts'
import { listWorktrees, type Worktree } from '../worktree-records.ts'
import { commitWorktree } from './commit-worktree.ts'
import { createWorktree, type NewWorktree, restoreWorktree } from './create-worktree.ts'
import { diffWorktree, PATCH_LIMIT_BYTES, type PatchPart, parseNumstat, patchWorktree } from './diff-worktree.ts'
import { discardWorktree, forgetWorktree, removeWorktree } from './remove-worktree.ts'

const git = locateGit({ env: PLAIN_ENV, cwd: '/' })
const signal = new AbortController().signal

function repositoryWithCommit(): Repository {
  const repository = createRepository()
  repository.write('a', 'one\n')
  repository.write('.gitignore', 'ignored\n')
  repository.commit()
  return repository
}

async function prepare(repository: Repository, changes: Partial<NewWorktree> = {}) {
  const identity = await discoverWorkspace({ start: repository.root, git, signal })
  const home = join(temporaryDirectory(), 'worktrees')
  const wanted: NewWorktree = {
    ...{ home, repository: identity, commit: 'HEAD', title: 'Show the wind', git, signal },
    ...{ clock: systemClock, ids: randomIds },
    ...changes,
  }
  return { wanted, home: wanted.home }
}

async function create(repository = repositoryWithCommit(), changes: Partial<NewWorktree> = {}) {
  const { wanted, home } = await prepare(repository, changes)
  const worktree = await createWorktree(wanted)
  const write = (path: string, content: string) => {
    mkdirSync(join(worktree.path, path, '..'), { recursive: true })
    writeFileSync(join(worktree.path, path), content)
  }
  const inside = (...args: string[]) => repository.git('-C', worktree.path, ...args)
  const commit = (message = 'A change') =>
    commitWorktree({ git, directory: worktree.path, branch: worktree.branch, message, signal })
  const remove = () => removeWorktree({ git, worktree, signal })
  return { repository, worktree, home, write, inside, commit, remove, wanted }
}

const branches = (repository: Repository) =>
  repository.git('branch', '--list', 'drover/*', '--format=%(refname:short)').split('\n').filter(Boolean)

describe('createWorktree', () => {
  it('checks out the commit on a new branch, in a directory named like the repository', async () => {
    const { worktree, repository, inside } = await create()
    expect(worktree.branch).toMatch(/^drover\/show-the-wind-[0-9a-f]{8}$/)
    expect(basename(worktree.path)).toBe(basename(repository.root))
    expect(readFileSync(join(worktree.path, 'a'), 'utf8')).toBe('one\n')
    expect(inside('symbolic-ref', '--short', 'HEAD').trim()).toBe(worktree.branch)
    expect(worktree.base).toBe(repository.git('rev-parse', 'HEAD').trim())
  })

  it('takes another id if a branch or a directory has the name', async () => {
    const repository = repositoryWithCommit()
    repository.git('branch', 'drover/show-the-wind-aaaaaaaa')
    const given = ['aaaaaaaa', 'bbbbbbbb', 'cccccccc'].values()
    const ids = { ...randomIds, hex: (bytes: number) => given.next().value ?? randomIds.hex(bytes) }
    const { wanted, home } = await prepare(repository, { ids })
    mkdirSync(join(home, 'show-the-wind-bbbbbbbb'), { recursive: true })
    expect((await createWorktree(wanted)).name).toBe('show-the-wind-cccccccc')
  })

  it('never has the ports of another one that is created at the same time', async () => {
    const repository = repositoryWithCommit()
    const { wanted } = await prepare(repository)
    const idsFrom = (...names: string[]) => ({ ...randomIds, hex: () => names.shift() ?? '00000001' })
    const created = await Promise.all(
      ['aaaaaaaa', 'bbbbbbbb', 'cccccccc'].map((name) => createWorktree({ ...wanted, ids: idsFrom(name) })),
    )
    expect(new Set(created.map(({ port }) => port)).size).toBe(3)
  })

  it.each([
    [
      'no commit',
      async (repository: Repository) => void repository.git('checkout', '--quiet', '--orphan', 'empty'),
      'HEAD',
      'has no commit yet',
    ],
    ['an unknown commit', async () => undefined, 'nowhere', '"nowhere" is not a commit'],
    ['a commit that looks like an option', async () => undefined, '--all', '"--all" is not a commit'],
    [
      'a branch named drover',
      async (repository: Repository) => void repository.git('branch', 'drover'),
      'HEAD',
      'rename it with git branch -m drover NEW',
    ],
  ])('refuses %s and leaves nothing behind', async (_name, disturb, commit, problem) => {
    const repository = repositoryWithCommit()
    await disturb(repository)
    const { wanted, home } = await prepare(repository, { commit })
    await expect(createWorktree(wanted)).rejects.toMatchObject({
      code: 'worktree_not_created',
      message: expect.stringContaining(problem),
    })
    expect(listWorktrees(home)).toEqual([])
    expect(existsSync(home) ? readdirSync(home) : []).toEqual([])
    expect(branches(repository).filter((name) => name !== 'drover')).toEqual([])
  })

  it('leaves nothing behind if it is interrupted during the checkout', async () => {
    const repository = repositoryWithCommit()
    const stopping = new AbortController()
    const { wanted, home } = await prepare(repository, { signal: stopping.signal })
    const wrapper = join(temporaryDirectory(), 'git')
    const ready = join(temporaryDirectory(), 'ready')
    const hang = `case "$*" in *"worktree add"*) '${git.program}' "$@" && : > '${ready}'; exec sleep 60;; esac`
    writeFileSync(wrapper, `#!/bin/sh\n${hang}\nexec '${git.program}' "$@"\n`, { mode: 0o755 })
    const created = createWorktree({ ...wanted, git: { ...git, program: wrapper } })
    const watch = setInterval(() => existsSync(ready) && stopping.abort(), 5)
    await expect(created).rejects.toMatchObject({ code: 'worktree_not_created' })
    clearInterval(watch)
    expect(readdirSync(home)).toEqual([])
    expect(branches(repository)).toEqual([])
    expect(repository.git('worktree', 'list').split('\n').filter(Boolean)).toHaveLength(1)
  })

  it('leaves nothing behind if git is killed while it creates the branch', async () => {
    const repository = repositoryWithCommit()
    const program = join(temporaryDirectory(), 'git')
    const script = [
      '#!/bin/sh',
      `case "$*" in *'worktree add'*) ;; *) exec '${git.program}' "$@" ;; esac`,
      // Whether the branch exists already depends on the moment.
      `'${git.program}' "$@" && touch .git/"$('${git.program}' for-each-ref --format='%(refname)' refs/heads/drover)".lock`,
      'kill -9 $$',
    ]
    writeFileSync(program, script.join('\n'), { mode: 0o755 })
    const { wanted, home } = await prepare(repository, { git: { ...git, program } })
    await expect(createWorktree(wanted)).rejects.toMatchObject({ code: 'worktree_not_created' })
    expect([readdirSync(home), branches(repository)]).toEqual([[], []])
    expect(repository.git('worktree', 'list').split('\n').filter(Boolean)).toHaveLength(1)
  })

  it('runs no hook and signs nothing, and neither does a commit', async () => {
    const repository = repositoryWithCommit()
    const log = join(temporaryDirectory(), 'log')
    const hooks = [
      'post-checkout',
      'pre-commit',
      'prepare-commit-msg',
      'commit-msg',
      'post-commit',
      'post-index-change',
    ]
    const program = `#!/bin/sh\necho "$0" >> '${log}'\n`
    repository.git('config', 'commit.gpgSign', 'true')
    repository.git('config', 'gpg.program', join(repository.root, '.git/hooks/post-commit'))
    for (const hook of hooks) writeFileSync(join(repository.root, '.git/hooks', hook), program, { mode: 0o755 })
    const { write, commit, remove } = await create(repository)
    write('b', 'two\n')
    await commit()
    await remove()
    expect(existsSync(log)).toBe(false)
    repository.git('worktree', 'add', '--quiet', join(temporaryDirectory(), 'ordinary'))
    expect(existsSync(log)).toBe(true)
  })
})

describe('commitWorktree', () => {
  it('commits new, changed and deleted files, with the message as it is', async () => {
    const { write, commit, inside, worktree } = await create()
    write('b', 'two\n')
    rmSync(join(worktree.path, 'a'))
    const { head, isNew } = await commit('# Subject\n\n"body" $HOME\n')
    expect(isNew).toBe(true)
    expect(inside('rev-parse', 'HEAD').trim()).toBe(head)
    expect(inside('log', '-1', '--format=%B').trim()).toBe('# Subject\n\n"body" $HOME')
    expect(inside('show', '--format=', '--name-status', 'HEAD').trim()).toBe('D\ta\nA\tb')
  })

  it('commits nothing without changes', async () => {
    const { commit, worktree } = await create()
    expect(await commit()).toEqual({ head: worktree.base, isNew: false })
  })

  it('refuses another branch, merge conflicts and nested repositories, and changes nothing', async () => {
    const { commit, inside, write, worktree } = await create()
    const refused = (problem: string) =>
      expect(commit()).rejects.toMatchObject({
        code: 'worktree_not_committed',
        message: expect.stringContaining(problem),
      })
    mkdirSync(join(worktree.path, 'nested'))
    inside('init', '--quiet', 'nested')
    await refused('other git repositories inside: nested/')
    rmSync(join(worktree.path, 'nested'), { recursive: true })
    inside('switch', '--quiet', '--create', 'other')
    await refused(`it is on other instead of ${worktree.branch}`)
    write('a', 'other\n')
    inside('commit', '--quiet', '--all', '--message=Other')
    inside('switch', '--quiet', worktree.branch)
    write('a', 'mine\n')
    inside('commit', '--quiet', '--all', '--message=Mine')
    expect(() => inside('merge', 'other')).toThrow()
    await refused('merge conflicts in a')
  })
})

describe('restoreWorktree', () => {
  it.runIf(IS_FULL)('gives a worktree the identity that it had, although others were created since', async () => {
    const { worktree, wanted } = await create()
    const before = await discoverWorkspace({ start: worktree.path, git, signal })
    await forgetWorktree({ git, worktree, signal })
    const other = await createWorktree(wanted)
    expect(basename(other.path)).toBe(basename(worktree.path))
    const restored = await restoreWorktree({ ...wanted, commit: worktree.base }, worktree.branch, before.git_dir)
    expect(await discoverWorkspace({ start: restored.path, git, signal })).toEqual(before)
    expect(readdirSync(worktree.directory).sort()).toEqual([basename(worktree.path), 'worktree.json'])
  })

  it('begins again after a process was killed before it moved the worktree to its place', async () => {
    const { repository, worktree, wanted } = await create()
    await forgetWorktree({ git, worktree, signal })
    mkdirSync(worktree.directory)
    // As an older version named it.
    const begun = join(worktree.directory, 'weather3')
    repository.git('worktree', 'add', '--quiet', begun, worktree.branch)
    await forgetWorktree({ git, worktree, signal })
    const restored = await restoreWorktree({ ...wanted, commit: worktree.base }, worktree.branch, '/r/.git/weather3')
    expect(basename((await discoverWorkspace({ start: restored.path, git, signal })).git_dir)).toBe('weather3')
    expect(repository.git('worktree', 'list').trim().split('\n')).toHaveLength(2)
  })
})

describe('diffWorktree', () => {
  it('counts committed, uncommitted and untracked changes, and changes nothing itself', async () => {
    const { worktree, write, inside, commit } = await create()
    write('committed', '1\n2\n')
    await commit()
    appendFileSync(join(worktree.path, 'a'), 'two\n')
    write('new/file', '1\n2\n3\n')
    write('binary', 'a\0b')
    write('ignored', 'x\n')
    const before = inside('status', '--porcelain')
    const objects = inside('count-objects')
    const workspace = await discoverWorkspace({ start: worktree.path, git, signal })
    const diff = await diffWorktree({ git, workspace, base: worktree.base, signal })
    expect(diff).toMatchObject({ insertions: 6, deletions: 0 })
    expect(diff.files.map(({ path, insertions }) => [path, insertions])).toEqual([
      ['a', 1],
      ['binary', null],
      ['committed', 2],
      ['new/file', 3],
    ])
    expect(inside('status', '--porcelain')).toBe(before)
    expect(inside('count-objects')).toBe(objects)
    expect(readdirSync(workspace.git_dir).filter((name) => name.includes('tmp'))).toEqual([])
    expect((await diffWorktree({ git, workspace, base: worktree.base, signal })).tree).toBe(diff.tree)
    inside('add', '--all')
    expect(inside('write-tree').trim()).toBe(diff.tree)
  })

  it('sees a file of the same size that was written in the same second as the index', async () => {
    const { worktree, inside, write } = await create()
    const workspace = await discoverWorkspace({ start: worktree.path, git, signal })
    const [file, index, second] = [join(worktree.path, 'a'), join(workspace.git_dir, 'index'), 1_700_000_000]
    inside('config', 'core.trustctime', 'false')
    utimesSync(file, second, second)
    inside('update-index', '--refresh')
    write('a', 'two\n')
    for (const path of [file, index]) utimesSync(path, second, second)
    const { files } = await diffWorktree({ git, workspace, base: worktree.base, signal })
    expect(files).toEqual([{ path: 'a', insertions: 1, deletions: 1 }])
  })

  it('shows a rename as one file', async () => {
    const { worktree, inside } = await create()
    inside('mv', 'a', 'b')
    const workspace = await discoverWorkspace({ start: worktree.path, git, signal })
    const { files } = await diffWorktree({ git, workspace, base: worktree.base, signal })
    expect(files).toEqual([{ path: 'b', from: 'a', insertions: 0, deletions: 0 }])
  })
})

describe('patchWorktree', () => {
  async function patchOf(text: string) {
    const { worktree, write, inside } = await create()
    inside('config', 'diff.external', '/bin/false')
    inside('config', 'diff.loud.textconv', '/bin/false')
    write('.gitattributes', 'a diff=loud\n')
    write('a', text)
    const workspace = await discoverWorkspace({ start: worktree.path, git, signal })
    return await patchWorktree({ git, workspace, base: worktree.base, signal })
  }

  it('has the changes of every line, and runs no program of the repository', async () => {
    const { files, patch, isCut } = await patchOf('two\n')
    expect(files.map(({ path }) => path)).toEqual(['.gitattributes', 'a'])
    expect(patch).toContain('-one\n+two\n')
    expect(isCut).toBe(false)
  })

  it('has one file, both names of a rename, as much around it as wanted, and no other file', async () => {
    const { worktree, write, inside, commit } = await create()
    const lines = Array.from({ length: 40 }, (_, at) => `line ${at}`)
    write('long', `${lines.join('\n')}\n`)
    await commit()
    const base = inside('rev-parse', 'HEAD').trim()
    inside('mv', 'long', 'longer')
    write('longer', `${lines.toSpliced(20, 1, 'new').join('\n')}\n`)
    const odd = ['*', 'a[1]', ':(top)', '"quoted']
    for (const name of odd) write(name, 'odd\n')
    const workspace = await discoverWorkspace({ start: worktree.path, git, signal })
    const patch = async (part: PatchPart) => await patchWorktree({ git, workspace, base, signal }, part)
    const { files } = await patch({ filesOnly: true })
    expect(files).toHaveLength(odd.length + 1)
    for (const file of files) {
      const { patch: text, ...rest } = await patch({ path: file.path })
      expect(rest).toEqual({ files: [file], isCut: false })
      expect(text.match(/^diff --git /gm)).toHaveLength(1)
      expect(text).toContain(file.path === 'longer' ? 'rename from long\nrename to longer\n' : '+odd\n')
    }
    const shown = async (context?: number) => (await patch({ path: 'longer', context })).patch.match(/^ /gm)?.length
    expect([await shown(0), await shown(), await shown(100_000)]).toEqual([undefined, 6, 39])
    await expect(patch({ path: 'long' })).rejects.toThrow('no changed file "long"')
  })

  it.runIf(IS_FULL)('is cut after its limit, and empty beyond what git may print', async () => {
    const { length } = (await patchOf('')).patch
    const rest = PATCH_LIMIT_BYTES - length - '@@ -1 +0,0 @@'.length
    const [fits, cut, none] = await Promise.all(
      [rest - 100, rest + 100, 17 * 1024 * 1024].map((size) => patchOf('x'.repeat(size))),
    )
    expect([fits?.isCut, cut?.isCut, none?.isCut]).toEqual([false, true, true])
    expect([cut?.patch.length, none?.patch.length]).toEqual([PATCH_LIMIT_BYTES, 0])
    expect(none?.files).toHaveLength(2)
  })
})

describe('parseNumstat', () => {
  it.each([
    ['', []],
    ['1\t2\ta b\0', [{ path: 'a b', insertions: 1, deletions: 2 }]],
    ['-\t-\ta\0', [{ path: 'a', insertions: null, deletions: null }]],
    ['0\t0\ta\tb\nc\0', [{ path: 'a\tb\nc', insertions: 0, deletions: 0 }]],
    ['3\t0\t\0old\0new\0', [{ path: 'new', from: 'old', insertions: 3, deletions: 0 }]],
  ])('reads %j', (output, changes) => {
    expect(parseNumstat(Buffer.from(output))).toEqual(changes)
  })

  it.each(['1\t2\ta', 'x\t2\ta\0', '\0'])('refuses %j', (output) => {
    expect(() => parseNumstat(Buffer.from(output))).toThrow('git diff-tree failed: its output cannot be read')
  })
})

describe('removeWorktree', () => {
  it('removes a worktree whose branch holds everything, and keeps the branch', async () => {
    const { worktree, home, write, commit, remove, repository } = await create()
    write('b', 'two\n')
    write('ignored', 'x\n')
    const { head } = await commit()
    expect(await remove()).toEqual({ is: 'removed', branch: worktree.branch })
    expect(readdirSync(home)).toEqual([])
    expect(repository.git('rev-parse', worktree.branch).trim()).toBe(head)
    expect(repository.git('worktree', 'list').split('\n').filter(Boolean)).toHaveLength(1)
  })

  it('removes the branch too if it has no new commits', async () => {
    const { remove, repository } = await create()
    expect(await remove()).toEqual({ is: 'removed', branch: undefined })
    expect(branches(repository)).toEqual([])
  })

  it.runIf(IS_FULL)('removes a worktree with empty submodules', async () => {
    const repository = repositoryWithCommit()
    const inner = repositoryWithCommit()
    repository.git('-c', 'protocol.file.allow=always', 'submodule', '--quiet', 'add', inner.root, 'inner')
    repository.commit()
    const { remove } = await create(repository)
    expect(await remove()).toMatchObject({ is: 'removed' })
  })

  it('removes what is left of a worktree whose directory was deleted', async () => {
    const { remove, worktree, home, repository } = await create()
    rmSync(worktree.path, { recursive: true })
    expect(listWorktrees(home)).toMatchObject([{ name: worktree.name, isMissing: true }])
    expect(await remove()).toEqual({ is: 'removed', branch: undefined })
    expect(repository.git('worktree', 'list').split('\n').filter(Boolean)).toHaveLength(1)
  })

  it('removes a worktree without its .git if the branch holds everything', async () => {
    const { remove, worktree, home, repository } = await create()
    rmSync(join(worktree.path, '.git'))
    expect(await remove()).toEqual({ is: 'removed', branch: undefined })
    expect(readdirSync(home)).toEqual([])
    expect(repository.git('worktree', 'list').split('\n').filter(Boolean)).toHaveLength(1)
  })

  type Made = Awaited<ReturnType<typeof create>>
  it.each<[string, (made: Made) => unknown]>([
    ['uncommitted_changes', ({ write }) => write('b', 'two\n')],
    ['uncommitted_changes', ({ write }) => write('a', 'two\n')],
    [
      'commits_not_on_branch',
      ({ inside }) => [
        inside('checkout', '--quiet', '--detach'),
        inside('commit', '--quiet', '--allow-empty', '--message=x'),
      ],
    ],
    [
      'branch_missing',
      ({ inside, worktree }) => [
        inside('checkout', '--quiet', '--detach'),
        inside('branch', '--quiet', '-D', worktree.branch),
      ],
    ],
    ['nested_repository', ({ inside }) => inside('init', '--quiet', 'nested')],
    ['nested_repository', ({ write }) => write('.git', 'x\n')],
    ['nested_repository', ({ write }) => write('.git', '')],
    ['nested_repository', ({ write, repository }) => write('.git', `gitdir: ${repository.root}/.git\n`)],
    [
      'nested_repository',
      ({ worktree }) => [rmSync(join(worktree.path, '.git')), symlinkSync('/nowhere', join(worktree.path, '.git'))],
    ],
    ['uncommitted_changes', ({ worktree, write }) => [rmSync(join(worktree.path, '.git')), write('b', 'two\n')]],
    [
      'nested_repository',
      ({ inside, worktree }) => [
        inside('clone', '--quiet', worktree.path, 'nested'),
        inside('add', '--all'),
        inside('commit', '--quiet', '--message=x'),
      ],
    ],
  ])('keeps a worktree because of %s', async (reason, disturb) => {
    const made = await create()
    disturb(made)
    expect(await made.remove()).toEqual({ is: 'kept', reason })
    expect(existsSync(made.worktree.path)).toBe(true)
    expect(listWorktrees(made.home)).toMatchObject([{ name: made.worktree.name, isMissing: false }])
  })
})

describe('discardWorktree', () => {
  it('removes the worktree with its changes and its branch', async () => {
    const { worktree, home, write, commit, repository } = await create()
    write('b', 'two\n')
    await commit()
    write('c', 'three\n')
    await discardWorktree({ git, worktree, signal })
    expect(readdirSync(home)).toEqual([])
    expect(branches(repository)).toEqual([])
    expect(repository.git('worktree', 'list').split('\n').filter(Boolean)).toHaveLength(1)
  })

  it('removes a worktree whose repository is gone', async () => {
    const { worktree, home, repository } = await create()
    rmSync(repository.root, { recursive: true })
    await discardWorktree({ git, worktree, signal })
    expect(readdirSync(home)).toEqual([])
  })
})

describe('a submodule that an agent fills with its own repository', () => {
  /** Git would look for changes in it, and run its filter. */
  async function fill() {
    const repository = repositoryWithCommit()
    const inner = repositoryWithCommit()
    repository.git('-c', 'protocol.file.allow=always', 'submodule', '--quiet', 'add', inner.root, 'lib/inner')
    repository.commit()
    const made = await create(repository)
    const { path } = made.worktree
    const place = join(path, 'lib/inner')
    repository.git('clone', '--quiet', inner.root, place)
    const ran = join(temporaryDirectory(), 'ran')
    repository.git('-C', place, 'config', 'filter.bad.clean', `touch '${ran}'; cat`)
    writeFileSync(join(place, '.git/info/attributes'), '* filter=bad\n')
    const inNested = (...args: string[]) => repository.git('-C', place, ...args)
    made.inside('config', '--file', '.gitmodules', 'submodule.lib/inner.ignore', 'none')
    const touch = () => utimesSync(join(place, 'a'), 1_700_000_000, 1_700_000_000)
    touch()
    const workspace = await discoverWorkspace({ start: path, git, signal })
    const changedPaths = async () => {
      const { files } = await diffWorktree({ git, workspace, base: made.worktree.base, signal })
      return files.map((file) => file.path)
    }
    return { ...made, workspace, ran, inNested, touch, changedPaths }
  }

  it.runIf(IS_FULL)('is not looked into', async () => {
    const { ran, workspace, remove, commit, write, changedPaths, inside } = await fill()
    write('b', 'two\n')
    const { dirty_files } = await observeGit({ start: workspace.worktree_root, isRoot: true, git, signal })
    expect(dirty_files).toEqual(['.gitmodules', 'b'])
    expect(await changedPaths()).toEqual(['.gitmodules', 'b'])
    expect(await remove()).toEqual({ is: 'kept', reason: 'nested_repository' })
    const { isNew } = await commit()
    expect(isNew).toBe(true)
    expect(inside('show', '--format=', '--name-only', 'HEAD').trim()).toBe('.gitmodules\nb')
    expect(existsSync(ran)).toBe(false)
    inside('status')
    expect(existsSync(ran)).toBe(true)
  })

  it.runIf(IS_FULL)('is delivered as its new commit', async () => {
    const { ran, inNested, touch, changedPaths, commit, inside } = await fill()
    inNested('-c', 'filter.bad.clean=cat', 'commit', '--quiet', '--allow-empty', '--message=Next')
    touch()
    expect(await changedPaths()).toEqual(['.gitmodules', 'lib/inner'])
    await commit()
    expect(inside('rev-parse', 'HEAD:lib/inner')).toBe(inNested('rev-parse', 'HEAD'))
    expect(existsSync(ran)).toBe(false)
  })

  it('is refused if its name is not text', async () => {
    const { inside, repository, commit } = await create()
    const head = repository.git('rev-parse', 'HEAD').trim()
    const script = `printf '160000 ${head}\\t\\377\\0' | git update-index -z --index-info`
    inside('-c', `alias.link=!${script}`, 'link')
    await expect(commit()).rejects.toThrow('the name of a submodule is not UTF-8')
  })
})

describe('listWorktrees', () => {
  it('lists the worktrees of all repositories, and ignores everything else in the directory', async () => {
    const { home, worktree } = await create(undefined, { group: { id: 'x', label: 'codex' } })
    mkdirSync(join(home, 'other'))
    mkdirSync(join(home, 'damaged'))
    writeFileSync(join(home, 'damaged/worktree.json'), '{}')
    const found: Worktree[] = listWorktrees(home)
    expect(found).toEqual([{ ...worktree, isMissing: false }])
    expect(found[0]).toMatchObject({ group: 'x', label: 'codex', name: expect.stringMatching(/^show-the-wind-codex-/) })
  })

  it('lists nothing if there is no directory', () => {
    expect(listWorktrees(join(temporaryDirectory(), 'missing'))).toEqual([])
  })
})
