import { describe, expect, it } from 'vitest'
import { findUnwritablePaths } from './unwritable-paths.ts'

describe('findUnwritablePaths', () => {
  it.each([
    ["Error: EROFS: read-only file system, open '/etc/x y'", '/etc/x y'],
    ["OSError: [Errno 30] Read-only file system: '/etc/x'", '/etc/x'],
    ["touch: cannot touch '/etc/x': Read-only file system", '/etc/x'],
    ['sh: 1: cannot create /etc/x: Read-only file system', '/etc/x'],
    ['open /etc/x: read-only file system', '/etc/x'],
    ['error: could not lock config file .git/config: Read-only file system', '.git/config'],
    ["fatal: Unable to create '/r/.git/index.lock': Read-only file system", '/r/.git/index.lock'],
    ["Error: EACCES: permission denied, open '/etc/x'", '/etc/x'],
    ["touch: cannot touch '/etc/x': Permission denied", '/etc/x'],
  ])('reads %s', (printed, path) => {
    expect(findUnwritablePaths(`before\n${printed}\nafter`)).toEqual([path])
  })

  it('finds nothing in other output, and each path once', () => {
    expect(findUnwritablePaths('a read-only file system is a file system')).toEqual([])
    expect(findUnwritablePaths('sh: 1: ./run.sh: Permission denied')).toEqual([])
    expect(findUnwritablePaths('open /a: read-only file system\n'.repeat(3))).toEqual(['/a'])
  })

  it('keeps 50 paths, of at most 300 characters', () => {
    const lines = Array.from({ length: 51 }, (_, at) => `open /${at}: read-only file system`)
    expect(findUnwritablePaths(lines.slice(0, 50).join('\n'))).toHaveLength(50)
    expect(findUnwritablePaths(lines.join('\n'))).toHaveLength(50)
    expect(findUnwritablePaths(`open /${'a'.repeat(299)}: read-only file system`)).toHaveLength(1)
    expect(findUnwritablePaths(`open /${'a'.repeat(300)}: read-only file system`)).toEqual([])
  })
})
