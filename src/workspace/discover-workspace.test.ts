import { renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { describe, expect, it } from 'vitest'
import { PLAIN_ENV } from '../../test/support/git-repository.ts'
import { NOWHERE } from '../../test/support/nowhere.ts'
import { temporaryDirectory } from '../../test/support/run-drover.ts'
import { createRepository } from '../../test/support/temporary-repository.ts'
import { discoverWorkspace, identifyWorkspace, isSameWorkspace } from './discover-workspace.ts'
import { type Git, locateGit } from './git.ts'

const git = locateGit({ env: PLAIN_ENV, cwd: '/' })
const signal = new AbortController().signal

const discover = async (start: string, around: { git?: Git; signal?: AbortSignal } = {}) => {
  const identity = await discoverWorkspace({ start, git, signal, ...around })
  const { worktree_root, git_dir, git_common_dir } = identity
  for (const path of [worktree_root, git_dir, git_common_dir]) expect(path).toBe(resolve('/', path))
  expect(identity).toEqual(identifyWorkspace(identity))
  return identity
}
const own = (root: string) =>
  identifyWorkspace({ worktree_root: root, git_dir: join(root, '.git'), git_common_dir: join(root, '.git') })

/** A program in the place of git that does as the script says, with the real one in $git. */
function gitThat(script: string): Git {
  const program = join(temporaryDirectory(), 'git')
  writeFileSync(program, `#!/bin/sh\ngit='${git.program}'\n${script}\n`, { mode: 0o755 })
  return { ...git, program }
}

describe('discoverWorkspace', () => {
  it('finds a worktree from its root, a folder, a file and a link', async () => {
    const { root, write } = createRepository()
    const file = write('deep/folder/file', '')
    const link = join(temporaryDirectory(), 'link')
    symlinkSync(join(root, 'deep'), link)
    for (const start of [root, join(root, 'deep/folder'), file, link, join(link, 'folder')]) {
      expect(await discover(start)).toEqual(own(root))
    }
  })

  it('finds a repository with SHA-256 objects', async () => {
    const { root } = createRepository({ init: ['--object-format=sha256'] })
    expect(await discover(root)).toEqual(own(root))
  })

  it('finds a linked worktree as a separate worktree of a shared repository', async () => {
    const { root, git: make, write, commit } = createRepository()
    write('a', '')
    commit()
    const linked = join(temporaryDirectory(), 'linked')
    make('worktree', 'add', '--quiet', linked)
    expect(await discover(linked)).toEqual(
      identifyWorkspace({
        worktree_root: linked,
        git_dir: join(root, '.git/worktrees/linked'),
        git_common_dir: join(root, '.git'),
      }),
    )
  })

  it('finds a submodule as a separate repository', async () => {
    const inner = createRepository()
    inner.write('a', '')
    inner.commit()
    const { root, git: make } = createRepository()
    make('-c', 'protocol.file.allow=always', 'submodule', '--quiet', 'add', inner.root, 'inner')
    const modules = join(root, '.git/modules/inner')
    expect(await discover(join(root, 'inner'))).toEqual(
      identifyWorkspace({ worktree_root: join(root, 'inner'), git_dir: modules, git_common_dir: modules }),
    )
  })

  it('finds a git directory outside of the worktree', async () => {
    const { root } = createRepository()
    const elsewhere = join(temporaryDirectory(), 'git')
    renameSync(join(root, '.git'), elsewhere)
    writeFileSync(join(root, '.git'), `gitdir: ${elsewhere}\n`)
    expect(await discover(root)).toMatchObject({ worktree_root: root, git_dir: elsewhere })
  })

  it.each([
    ['spaces', ' a  b '],
    ['line feeds', 'a\nb\n'],
    ['three line feeds, as many as there are answers', '\n\n\n'],
    ['a carriage return at the end', 'a\r'],
    ['quotes and what shells expand', `'"$(echo x)*`],
    ['letters of other alphabets', 'für-日本-😀'],
    ['a dash at the start', '-C'],
  ])('finds a worktree with %s in its name', async (_what, name) => {
    const root = join(temporaryDirectory(), name)
    createRepository({ at: root })
    expect(await discover(root)).toEqual(own(root))
  })

  it('accepts relative paths from git', async () => {
    const { root } = createRepository()
    const relative = gitThat('printf ".\\n.git\\n.git\\n"')
    expect(await discover(root, { git: relative })).toEqual(own(root))
  })

  it('ignores variables that name another repository', async () => {
    const [here, elsewhere] = [createRepository(), createRepository()]
    const env = {
      ...PLAIN_ENV,
      GIT_DIR: join(elsewhere.root, '.git'),
      GIT_WORK_TREE: elsewhere.root,
      GIT_COMMON_DIR: join(elsewhere.root, '.git'),
      GIT_CEILING_DIRECTORIES: join(here.root, 'deep'),
      GIT_CONFIG_COUNT: '1',
      GIT_CONFIG_KEY_0: 'core.worktree',
      GIT_CONFIG_VALUE_0: elsewhere.root,
    }
    here.write('deep/er/file', '')
    const misled = locateGit({ env, cwd: '/' })
    expect(await discover(join(here.root, 'deep/er'), { git: misled })).toEqual(own(here.root))
  })

  type Situation = readonly [reason: string, make: () => { start: string; git?: Git }, message: string]

  it.each<Situation>([
    ['path_missing', () => ({ start: `${NOWHERE}/place` }), 'cannot be entered: no such file or directory (ENOENT)'],
    ['not_a_repository', () => ({ start: temporaryDirectory() }), 'is not inside a git worktree'],
    [
      'not_a_repository',
      () => {
        const { root } = createRepository()
        rmSync(join(root, '.git/HEAD'))
        return { start: root }
      },
      'is not inside a git worktree',
    ],
    [
      'not_a_repository',
      () => {
        const { root, git: make, write, commit } = createRepository()
        write('a', '')
        commit()
        const linked = join(temporaryDirectory(), 'linked')
        make('worktree', 'add', '--quiet', linked)
        rmSync(join(root, '.git'), { recursive: true })
        return { start: linked }
      },
      'is not inside a git worktree',
    ],
    ['no_worktree', () => ({ start: createRepository({ init: ['--bare'] }).root }), 'is a bare repository'],
    ['no_worktree', () => ({ start: join(createRepository().root, '.git') }), 'or inside a git directory'],
    [
      'unsafe_ownership',
      () => ({
        start: createRepository().root,
        git: gitThat('GIT_TEST_ASSUME_DIFFERENT_OWNER=1 exec "$git" "$@"'),
      }),
      'belongs to another user',
    ],
    ['git_missing', () => ({ start: '/', git: { ...git, program: undefined } }), 'git was not found'],
    [
      'git_too_old',
      () => ({
        start: '/',
        git: gitThat(
          'case "$*" in *version) echo git version 2.30.2;; *) printf -- "--path-format=absolute\\n/\\n.git\\n.git\\n";; esac',
        ),
      }),
      'git version 2.30.2 is too old for drover; install git 2.31 or later',
    ],
    [
      'git_failed',
      () => {
        const { root, write } = createRepository()
        write('.git/config', '[core\n')
        return { start: root }
      },
      'bad config line 1 in file .git/config',
    ],
    [
      'git_failed',
      () => ({ start: '/', git: gitThat(`printf "${NOWHERE}\\n${NOWHERE}\\n${NOWHERE}\\n"`) }),
      'no such file or directory (ENOENT)',
    ],
    [
      'git_failed',
      () => ({ start: '/', git: gitThat('printf "/etc/passwd\\n/etc\\n/etc\\n"') }),
      'not a directory (ENOTDIR)',
    ],
    [
      'git_failed',
      () => ({ start: '/', git: gitThat('head -c 16777217 /dev/zero') }),
      'git rev-parse printed more than 16777216 bytes',
    ],
    [
      'path_not_text',
      () => ({ start: '/', git: gitThat('printf "/caf\\351\\n/caf\\351/.git\\n/caf\\351/.git\\n"') }),
      'has a name that is not UTF-8',
    ],
  ])('refuses with the reason %s', async (reason, make, message) => {
    const situation = make()
    await expect(discoverWorkspace({ git, signal, ...situation })).rejects.toMatchObject({
      code: 'git_repository_required',
      kind: 'usage',
      message: expect.stringContaining(message),
      details: { path: situation.start, reason },
    })
  })

  it('reports that git took too long', async () => {
    const slow = { ...gitThat('exec sleep 60'), timeoutMs: 50 }
    await expect(discover('/', { git: slow })).rejects.toMatchObject({
      code: 'git_repository_unavailable',
      cause: expect.objectContaining({ code: 'git_timeout' }),
    })
  })

  it('has one deadline for all git commands', async () => {
    // The answer to all at once has a line too many, so each question is asked again.
    const slow = gitThat(
      'case "$*" in *--show-toplevel*--git-dir*) sleep 0.2; printf "/\\n/\\n/\\n/\\n";; *) sleep 60;; esac',
    )
    const asked = discover('/', { git: { ...slow, timeoutMs: 3000 } })
    await expect(asked).rejects.toMatchObject({ code: 'git_repository_unavailable' })
    const { cause } = await asked.catch((error) => error)
    expect(cause.details.timeoutMs).toBeLessThanOrEqual(2800)
  })

  it('stops when it is aborted', async () => {
    await expect(discover(createRepository().root, { signal: AbortSignal.abort() })).rejects.toMatchObject({
      code: 'git_repository_unavailable',
      cause: expect.objectContaining({ code: 'git_interrupted' }),
    })
  })
})

const places = { worktree_root: '/srv/repo', git_dir: '/srv/repo/.git', git_common_dir: '/srv/repo/.git' }
const identity = identifyWorkspace(places)

describe('identifyWorkspace', () => {
  it('has a fixed id for fixed paths', () => {
    expect(identity).toEqual({
      version: 1,
      ...places,
      id: 'sha256:017e548557a0b859715bdeb1a1e0e43d061b2b42e30c57ee399653dcc94a3048',
    })
  })

  it.each(['worktree_root', 'git_dir', 'git_common_dir'])('gives another id for another %s', (place) => {
    expect(identifyWorkspace({ ...places, [place]: '/elsewhere' }).id).not.toBe(identity.id)
  })
})

describe('isSameWorkspace', () => {
  it('holds for equal identities', () => {
    expect(isSameWorkspace(identity, { ...identity })).toBe(true)
  })

  it.each([
    ['version', 2],
    ['worktree_root', '/other'],
    ['git_dir', '/other'],
    ['git_common_dir', '/other'],
    ['id', `sha256:${'0'.repeat(64)}`],
  ])('does not hold when %s differs', (field, value) => {
    expect(isSameWorkspace(identity, { ...identity, [field]: value })).toBe(false)
  })
})
