import { describe, expect, it } from 'vitest'
import { findVersion, formatVersion, isOlder, type Version } from './version.ts'

describe('findVersion', () => {
  it.each<[string, Version | undefined]>([
    ['git version 2.39.5', [2, 39, 5]],
    ['git version 2.50.1 (Apple Git-155)', [2, 50, 1]],
    ['git version 2.31.windows.1', [2, 31, 0]],
    ['codex-cli 0.166.0', [0, 166, 0]],
    ['v24.21.0', [24, 21, 0]],
    ['gh version DEV', undefined],
    ['7', undefined],
    ['', undefined],
  ])('of %j is %j', (text, version) => {
    expect(findVersion(text)).toEqual(version)
  })
})

describe('isOlder', () => {
  it.each<[Version, Version, boolean]>([
    [[2, 30, 9], [2, 31, 0], true],
    [[2, 31, 0], [2, 31, 0], false],
    [[2, 31, 1], [2, 31, 0], false],
    [[2, 31, 0], [2, 31, 1], true],
    [[3, 0, 0], [2, 31, 9], false],
    [[1, 99, 99], [2, 0, 0], true],
  ])('%j is older than %j: %j', (one, other, older) => {
    expect(isOlder(one, other)).toBe(older)
  })

  it('formats a version with three numbers', () => {
    expect(formatVersion([2, 31, 0])).toBe('2.31.0')
  })
})
