import { statSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { temporaryDirectory } from '../../../test/support/run-drover.ts'
import { addLine, addToHistory, MAX_LINES, readHistory } from './read-messages.ts'

describe('the history', () => {
  it('is empty without a file', () => {
    expect(readHistory(join(temporaryDirectory(), 'none'))).toEqual([])
  })

  it('is stored in a file that only the user can read, in a directory that it creates', () => {
    const path = join(temporaryDirectory(), 'home', 'chat-history')
    addToHistory(path, 'one')
    addToHistory(path, 'two')
    expect(readHistory(path)).toEqual(['one', 'two'])
    expect(statSync(path).mode & 0o777).toBe(0o600)
    expect(statSync(join(path, '..')).mode & 0o777).toBe(0o700)
  })

  it('is not read or written through a symbolic link', () => {
    const directory = temporaryDirectory()
    writeFileSync(join(directory, 'target'), 'secret\n')
    symlinkSync('target', join(directory, 'link'))
    expect(() => readHistory(join(directory, 'link'))).toThrow(/symbolic link/)
    expect(() => addToHistory(join(directory, 'link'), 'x')).toThrow(/symbolic link/)
  })
})

describe('addLine', () => {
  const full = Array.from({ length: MAX_LINES }, (_, at) => `line ${at}`)

  it.each<[name: string, lines: readonly string[], line: string, result: readonly string[]]>([
    ['adds a line at the end', ['a'], 'b', ['a', 'b']],
    ['moves a known line to the end', ['a', 'b'], 'a', ['b', 'a']],
    ['leaves out blank lines', ['a'], ' ', ['a']],
    ['accepts a line at the limit', [], 'x'.repeat(10_000), ['x'.repeat(10_000)]],
    ['leaves out a line past the limit', [], 'x'.repeat(10_001), []],
    ['fills up to the limit', full.slice(1), 'new', [...full.slice(1), 'new']],
    ['drops the oldest line past the limit', full, 'new', [...full.slice(1), 'new']],
  ])('%s', (_name, lines, line, result) => {
    expect(addLine(lines, line)).toEqual(result)
  })
})
