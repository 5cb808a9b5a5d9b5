import { mkdirSync, mkdtempSync, openSync, realpathSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { findFile } from './read-hosts.ts'
import {
  lastPart,
  makeFolder,
  type OpenWorktree,
  openWorktree,
  parentPath,
  realTreeDisk,
  removeFolder,
  type TreeDisk,
} from './worktree.ts'

let root: string
let tree: OpenWorktree

beforeEach(() => {
  root = realpathSync(mkdtempSync(join(tmpdir(), 'drover-worktree-')))
  tree = openWorktree(root, realTreeDisk)
})
afterEach(() => {
  tree[Symbol.dispose]()
  rmSync(root, { recursive: true, force: true })
})

describe('a folder of a worktree', () => {
  it.each(['..', '.', 'a/../b', '/etc', 'a//b', 'a/'])('is never named %j', (path) => {
    expect(() => tree.enter(path)).toThrow('it is not a path inside the repository')
  })

  it('is opened if all above it are folders, and missing if one of them is', () => {
    mkdirSync(join(root, 'a/b'), { recursive: true })
    using folder = tree.enter('a/b')
    expect(folder).toBeDefined()
    expect(tree.enter('a/c')).toBe(undefined)
    expect(tree.enter('a/c/d')).toBe(undefined)
  })

  it.each([
    ['a link', (path: string) => symlinkSync('/etc', path), /^a\/b is a symbolic link/],
    ['a file', (path: string) => writeFileSync(path, ''), /^a\/b is a regular file/],
  ])('is refused when one above it is %s', (_, make, message) => {
    mkdirSync(join(root, 'a'))
    make(join(root, 'a/b'))
    expect(() => tree.enter('a/b/c')).toThrow(message)
    expect(findFile('a/b/passwd', tree)).toMatchObject({ is: 'unreachable', reason: expect.stringMatching(message) })
  })

  it('stays the same if another folder takes its name', () => {
    mkdirSync(join(root, 'a'))
    using folder = tree.enter('a')
    renameSync(join(root, 'a'), join(root, 'moved'))
    symlinkSync('/etc', join(root, 'a'))
    writeFileSync(folder?.at('file') ?? '', 'text')
    expect(findFile('moved/file', tree)).toMatchObject({ is: 'regular' })
  })

  it('is refused when it was replaced between the check and opening', () => {
    mkdirSync(join(root, 'a'))
    mkdirSync(join(root, 'b'))
    const swapping: TreeDisk = {
      ...realTreeDisk,
      openSync: (path, flags) => {
        if (String(path).endsWith('/a')) {
          renameSync(join(root, 'a'), join(root, 'moved'))
          renameSync(join(root, 'b'), join(root, 'a'))
        }
        return openSync(path, flags ?? 'r')
      },
    }
    using swapped = openWorktree(root, swapping)
    expect(() => swapped.enter('a')).toThrow('a: it changed while it was being opened')
  })

  it('is created only in an existing folder, and removed only if it is empty', () => {
    expect(() => makeFolder(tree, 'a/b')).toThrow('a: it no longer exists')
    makeFolder(tree, 'a')
    expect(() => makeFolder(tree, 'a')).toThrow('a: file already exists (EEXIST)')
    writeFileSync(join(root, 'a/file'), '')
    expect(removeFolder(tree, 'a')).toBe('directory not empty (ENOTEMPTY)')
    rmSync(join(root, 'a/file'))
    expect([removeFolder(tree, 'a'), removeFolder(tree, 'a'), tree.enter('a')]).toEqual([
      undefined,
      undefined,
      undefined,
    ])
  })
})

describe('a worktree', () => {
  it('is in place until another directory takes its path', () => {
    expect(tree.isInPlace()).toBe(true)
    renameSync(root, `${root}-moved`)
    expect(tree.isInPlace()).toBe(false)
    mkdirSync(root)
    expect(tree.isInPlace()).toBe(false)
    rmSync(`${root}-moved`, { recursive: true })
  })

  it('cannot be a link', () => {
    symlinkSync('/etc', join(root, 'link'))
    expect(() => openWorktree(join(root, 'link'), realTreeDisk)).toThrow(/not a directory|too many symbolic links/)
  })
})

describe('a path', () => {
  it.each([
    ['.claude/skills/x', '.claude/skills', 'x'],
    ['.codex', '', '.codex'],
  ])('%s is in %j', (path, parent, name) => {
    expect([parentPath(path), lastPart(path)]).toEqual([parent, name])
  })
})
