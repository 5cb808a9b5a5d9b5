import { describe, expect, it } from 'vitest'
import { isWithin, type Mount, type PolicyFacts, toMounts } from './sandbox-policy.ts'

const DIRECTORIES = [
  '/usr',
  '/etc',
  '/etc/ssh',
  '/proc/sys',
  '/home/me/.ssh',
  '/home/me/.aws',
  '/home/me/.drover',
  '/home/me/.nvm',
  '/home/me/.cache/npm',
  '/home/me',
  '/srv/data',
]
const FILES = ['/etc/shadow', '/proc/sysrq-trigger', '/home/me/.gitconfig', '/home/me/.netrc', '/opt/node/bin/node']

function mountsWith(facts: Partial<PolicyFacts> = {}): Mount[] {
  return toMounts({
    worktree: { root: '/work/tree' },
    home: '/home/me',
    droverHome: '/home/me/.drover',
    programs: [],
    read: [],
    write: [],
    hidden: [],
    stages: [],
    kindOf: (path) => (DIRECTORIES.includes(path) ? 'directory' : FILES.includes(path) ? 'file' : undefined),
    ...facts,
  })
}

/** What a command sees at a path: the last mount at or above it. */
const access = (mounts: readonly Mount[], path: string) =>
  mounts.findLast((mount) => isWithin(path, [mount.path]))?.as ?? 'nothing'

const LINKED = { root: '/home/me/.drover/worktrees/a', commonDirectory: '/home/me/repo/.git' }

describe('a policy', () => {
  it.each([
    ['/work/tree/src/a.ts', 'write'],
    ['/usr/bin/env', 'read'],
    ['/etc/passwd', 'read'],
    ['/etc/shadow', 'empty file'],
    ['/etc/ssh/ssh_host_key', 'empty directory'],
    ['/proc/sys/kernel/core_pattern', 'read'],
    ['/proc/sysrq-trigger', 'empty file'],
    ['/tmp/x', 'own'],
    ['/var/tmp/x', 'own'],
    ['/home/me/.ssh/id', 'own'],
    ['/home/me/.drover/sessions.db', 'own'],
    ['/home/me/.gitconfig', 'read'],
    ['/home/me/.nvm/node', 'read'],
    ['/home/other/x', 'nothing'],
    ['/srv/data/x', 'nothing'],
    ['/run/docker.sock', 'nothing'],
  ])('gives for %s: %s', (path, as) => {
    expect(access(mountsWith(), path)).toBe(as)
  })

  it.each([
    ['/home/me/.drover/worktrees/a/src', 'write'],
    ['/home/me/.drover/worktrees/a/.git', 'read'],
    ['/home/me/.drover/worktrees/b/src', 'own'],
    ['/home/me/repo/src', 'own'],
    ['/home/me/repo/.git/config', 'read'],
    ['/home/me/repo/.git/hooks/pre-commit', 'read'],
    ['/home/me/repo/.git/info/attributes', 'read'],
    ['/home/me/repo/.git/refs/heads/main', 'read'],
    ['/home/me/repo/.git/worktrees/a/index', 'read'],
    ['/home/me/repo/.git/objects/ab/cd', 'read'],
  ])('gives in a linked worktree for %s: %s', (path, as) => {
    expect(access(mountsWith({ worktree: LINKED }), path)).toBe(as)
  })

  it.each([
    ['/srv/data/x', 'write', 'read'],
    ['/srv/data/.git/hooks/x', 'read', 'read'],
    ['/srv/data/.git/drover/x', 'empty directory', 'empty directory'],
    ['/home/me/.ssh/id', 'own', 'own'],
    ['/home/me/.drover/sessions.db', 'own', 'own'],
  ])('gives with a directory that was added for %s: %s, and %s if nothing may change', (path, as, ifReadOnly) => {
    const directories = [...DIRECTORIES, '/srv/data/.git', '/srv/data/.git/drover']
    const kindOf: PolicyFacts['kindOf'] = (each) => (directories.includes(each) ? 'directory' : undefined)
    const added = ['/srv/data']
    expect(access(mountsWith({ added, kindOf }), path)).toBe(as)
    const worktree = { root: '/work/tree', isReadOnly: true }
    expect(access(mountsWith({ added, kindOf, worktree }), path)).toBe(ifReadOnly)
  })

  it('gives nothing of a repository to write in its main worktree, but its files', () => {
    const mounts = mountsWith({ worktree: { root: '/work/tree', commonDirectory: '/work/tree/.git' } })
    expect(access(mounts, '/work/tree/a')).toBe('write')
    expect(access(mounts, '/work/tree/.git/index')).toBe('read')
  })

  it('hides secrets below paths that settings name', () => {
    const mounts = mountsWith({ read: ['/home/me', '/srv/data'], write: ['/home/me/.cache/npm'] })
    expect(access(mounts, '/home/me/notes')).toBe('read')
    expect(access(mounts, '/home/me/.ssh/id')).toBe('empty directory')
    expect(access(mounts, '/home/me/.netrc')).toBe('empty file')
    expect(access(mounts, '/home/me/.drover/sessions.db')).toBe('empty directory')
    expect(access(mounts, '/home/me/.cache/npm/x')).toBe('write')
    expect(access(mounts, '/srv/data/x')).toBe('read')
  })

  it('hides the store of drover in a worktree, and shows a worktree in the directory of drover', () => {
    const inside = mountsWith({ worktree: { root: '/home' } })
    expect(access(inside, '/home/me/.drover/sessions.db')).toBe('empty directory')
    const around = mountsWith({ worktree: LINKED, read: ['/home/me'] })
    expect(access(around, '/home/me/.drover/sessions.db')).toBe('empty directory')
    expect(access(around, '/home/me/.drover/worktrees/a/x')).toBe('write')
  })

  it('shows the programs that it needs, wherever they are', () => {
    const mounts = mountsWith({ programs: ['/opt/node/bin/node', '/usr/bin/node'] })
    expect(mounts.filter(({ path }) => path.endsWith('/node'))).toEqual([])
    const other = mountsWith({ programs: ['/srv/data'] })
    expect(other.at(-1)).toEqual({ path: '/srv/data', as: 'read' })
  })
})

it.each([
  ['/a', '/a', true],
  ['/a/b', '/a', true],
  ['/ab', '/a', false],
  ['/', '/a', false],
  ['/a/..b', '/a', true],
  ['/b', '/', true],
])('%s is within %s: %s', (path, directory, is) => expect(isWithin(path, [directory])).toBe(is))
