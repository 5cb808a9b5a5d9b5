import { describe, expect, it } from 'vitest'
import { isSyncUnsupported } from './disk.ts'

describe('isSyncUnsupported', () => {
  it.each([
    ['EINVAL', true],
    ['ENOTSUP', true],
    ['ENOSYS', true],
    ['EPERM', false],
    ['EISDIR', false],
    ['EIO', false],
    ['ENOSPC', false],
  ])('of %s is %s', (code, expected) => {
    expect(isSyncUnsupported(code)).toBe(expected)
  })
})
