import { execFileSync } from 'node:child_process'
import { chmodSync, mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { constants, tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { digest } from '../kit/digest.ts'
import { MANAGED_FILE_LIMIT_BYTES } from './found-files.ts'
import { manifestPath } from './host.ts'
import { HOSTS, listPaths } from './hosts.ts'
import { findFile, readHosts } from './read-hosts.ts'
import { type OpenWorktree, openWorktree, realTreeDisk, type TreeDisk } from './worktree.ts'

let root: string
let tree: OpenWorktree

beforeEach(() => {
  root = realpathSync(mkdtempSync(join(tmpdir(), 'drover-read-')))
  tree = openWorktree(root, realTreeDisk)
})
afterEach(() => {
  tree[Symbol.dispose]()
  rmSync(root, { recursive: true })
})

function put(path: string, content: string | Buffer = ''): string {
  mkdirSync(dirname(join(root, path)), { recursive: true })
  writeFileSync(join(root, path), content)
  return join(root, path)
}

describe('the state of a path', () => {
  it('is a regular file with its bytes and mode', () => {
    chmodSync(put('.claude/file', 'text'), 0o640)
    const bytes = Buffer.from('text')
    expect(findFile('.claude/file', tree)).toEqual({ is: 'regular', bytes, digest: digest(bytes), mode: 0o640 })
  })

  it.each([
    [MANAGED_FILE_LIMIT_BYTES, 'regular'],
    [MANAGED_FILE_LIMIT_BYTES + 1, 'oversize'],
  ])('of %i bytes is %s', (size, is) => {
    put('file', Buffer.alloc(size))
    expect(findFile('file', tree)).toMatchObject({ is })
  })

  it.each<[string, string, (path: string) => void]>([
    ['nothing', 'absent', () => undefined],
    ['a link, even to a file', 'symlink', (path) => symlinkSync('/etc/passwd', path)],
    ['a directory', 'directory', (path) => mkdirSync(path)],
    ['a named pipe', 'other', (path) => execFileSync('mkfifo', [path])],
  ])('may be %s', (_, is, make) => {
    make(join(root, 'file'))
    expect(findFile('file', tree)).toEqual({ is })
  })

  it('is absent if a folder above it is missing', () => {
    expect(findFile('.claude/skills/file', tree)).toEqual({ is: 'absent' })
  })

  it('is unreadable, with a reason that names only its own path', () => {
    put('file', 'text')
    const failing: TreeDisk = {
      ...realTreeDisk,
      readSync: () => {
        throw Object.assign(new Error('EIO'), { code: 'EIO', errno: -constants.errno.EIO })
      },
    }
    using broken = openWorktree(root, failing)
    expect(findFile('file', broken)).toEqual({ is: 'unreadable', reason: 'i/o error (EIO)' })
  })

  it('is unreadable when it changes while it is read', () => {
    put('file', 'text')
    const growing: TreeDisk = {
      ...realTreeDisk,
      fstatSync: ((descriptor: number, options: never) => {
        put('file', 'longer text')
        return realTreeDisk.fstatSync(descriptor, options)
      }) as TreeDisk['fstatSync'],
    }
    using changing = openWorktree(root, growing)
    expect(findFile('file', changing)).toEqual({ is: 'unreadable', reason: 'it changed while it was being read' })
  })
})

describe('the state of hosts', () => {
  it('includes every path and every detection directory', () => {
    put('.github/agents/mine.md')
    put('.pi')
    symlinkSync('.pi', join(root, '.qwen'))
    const { files, directories } = readHosts(HOSTS, tree)
    expect([...files.keys()]).toEqual(HOSTS.flatMap((host) => listPaths(host)))
    const signs = [...directories].filter(([, { is }]) => is !== 'absent')
    expect(signs).toEqual([['.github/agents', { is: 'directory' }]])
  })

  it('has a detection directory behind a link as absent, and files behind a link as unreachable', () => {
    mkdirSync(join(root, 'elsewhere/agents'), { recursive: true })
    symlinkSync('elsewhere', join(root, '.github'))
    const [copilot] = HOSTS.filter(({ id }) => id === 'copilot')
    const { files, directories } = readHosts(copilot === undefined ? [] : [copilot], tree)
    expect(directories.get('.github/agents')).toEqual({ is: 'absent' })
    expect(copilot && files.get(manifestPath(copilot))).toEqual({
      is: 'unreachable',
      reason: '.github is a symbolic link, and drover only changes files in real folders; replace it with a folder',
    })
  })
})
