import { describe, expect, it } from 'vitest'
import { BoundaryCounts, findUnwritablePaths } from './boundary-report.ts'

it('counts what was reached and refused', () => {
  const counts = new BoundaryCounts()
  for (const host of ['a', 'a', 'b']) counts.add({ is: 'reached', host, port: 443 })
  for (const host of ['c', 'c']) counts.add({ is: 'refused', host, port: 443, reason: 'not listed' })
  counts.add({ is: 'failed', host: 'd', port: 443, problem: 'ECONNREFUSED' })
  expect(counts.report()).toEqual({
    reached: [
      { host: 'a:443', count: 2 },
      { host: 'b:443', count: 1 },
    ],
    refused: [{ host: 'c:443', reason: 'not listed', count: 2 }],
    unwritable: [],
    exceeded: [],
  })
})

it('lists each path once that commands could not write, and fifty at most', () => {
  const counts = new BoundaryCounts()
  const failed = (path: string) => `touch: cannot touch '${path}': Read-only file system\n`
  expect(counts.addPrinted(failed('/a') + failed('/b'))).toEqual(['/a', '/b'])
  expect(counts.addPrinted(failed('/b'))).toEqual([])
  for (let at = 0; at < 60; at++) counts.addPrinted(failed(`/many/${at}`))
  expect(counts.report().unwritable).toHaveLength(50)
})

it('names a thousand hosts, and counts the others together', () => {
  const counts = new BoundaryCounts()
  for (let at = 0; at < 1002; at++) counts.add({ is: 'refused', host: `h${at}`, port: 1, reason: 'not listed' })
  counts.add({ is: 'refused', host: 'h0', port: 1, reason: 'not listed' })
  const { refused } = counts.report()
  expect(refused).toHaveLength(1001)
  expect(refused[0]).toEqual({ host: 'h0:1', reason: 'not listed', count: 2 })
  expect(refused.at(-1)).toEqual({ host: 'other hosts', reason: 'not listed', count: 2 })
})

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
