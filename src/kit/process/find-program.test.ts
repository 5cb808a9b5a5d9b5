import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, relative } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { findProgram, findVersion, formatVersion, isOlder, type Version } from './find-program.ts'

describe('findProgram', () => {
  let root: string
  let first: string
  let second: string

  beforeEach(() => {
    root = mkdtempSync(join(tmpdir(), 'drover-path-'))
    first = join(root, 'first')
    second = join(root, 'second')
    mkdirSync(first)
    mkdirSync(second)
  })

  afterEach(() => rmSync(root, { recursive: true }))

  const place = (path: string, mode = 0o755) => writeFileSync(path, '', { mode })
  const find = (name: string, path = `${first}:${second}`) => findProgram(name, { env: { PATH: path }, cwd: root })

  it('returns the first match in PATH', () => {
    place(join(second, 'tool'))
    expect(find('tool')).toBe(join(second, 'tool'))
    place(join(first, 'tool'))
    expect(find('tool')).toBe(join(first, 'tool'))
  })

  it('skips files that are not executable', () => {
    mkdirSync(join(first, 'tool'))
    place(join(second, 'tool'), 0o644)
    expect(find('tool')).toBeUndefined()
  })

  it('follows a symbolic link to a program', () => {
    place(join(second, 'real'))
    symlinkSync(join(second, 'real'), join(first, 'tool'))
    expect(find('tool')).toBe(join(first, 'tool'))
  })

  it('never finds a bare name in the current directory', () => {
    place(join(root, 'tool'))
    expect(find('tool', ':.:')).toBeUndefined()
  })

  it('skips relative entries of PATH', () => {
    place(join(first, 'tool'))
    for (const from of [process.cwd(), root]) expect(find('tool', relative(from, first))).toBeUndefined()
    expect(find('tool', `${relative(process.cwd(), first)}:${first}`)).toBe(join(first, 'tool'))
  })

  it('resolves a path against the current directory', () => {
    place(join(first, 'tool'))
    expect(find('./first/tool', '')).toBe(join(first, 'tool'))
    expect(find(join(first, 'tool'), '')).toBe(join(first, 'tool'))
    expect(find('./first/other', '')).toBeUndefined()
  })

  it.each([undefined, ''])('finds nothing in a PATH that is %j', (path) => {
    expect(findProgram('tool', { env: { PATH: path }, cwd: root })).toBeUndefined()
    expect(find('')).toBeUndefined()
  })
})

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
