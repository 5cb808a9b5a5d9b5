import { describe, expect, it } from 'vitest'
import { isSyncUnsupported } from './durability.ts'

describe('isSyncUnsupported', () => {
  it.each<[string, NodeJS.Platform, boolean]>([
    ['EINVAL', 'linux', true],
    ['ENOTSUP', 'darwin', true],
    ['ENOSYS', 'linux', true],
    ['EPERM', 'win32', true],
    ['EISDIR', 'win32', true],
    ['EACCES', 'win32', true],
    ['EPERM', 'linux', false],
    ['EISDIR', 'darwin', false],
    ['EIO', 'linux', false],
    ['EIO', 'win32', false],
    ['ENOSPC', 'linux', false],
  ])('classifies %s on %s', (code, platform, expected) => {
    expect(isSyncUnsupported({ code, platform })).toBe(expected)
  })
})
