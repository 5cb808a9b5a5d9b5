import { chmodSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { ResultFiles, resultFileName } from './result-files.ts'

function temporaryDirectory(): string {
  const directory = mkdtempSync(join(tmpdir(), 'drover-results-'))
  onTestFinished(() => rmSync(directory, { recursive: true, force: true }))
  return directory
}

describe('resultFileName', () => {
  it.each([
    [0, 'plain-name_1', '001_plain-name_1.json'],
    [9, '../etc/passwd', '010____etc_passwd.json'],
    [999, 'a b', '1000_a_b.json'],
    [1, 'x'.repeat(65), `002_${'x'.repeat(64)}.json`],
    [1, '漢字', '002___.json'],
  ])('for item %i with the name %j is %s', (item, name, file) => {
    expect(resultFileName(item, name)).toBe(file)
  })
})

describe('ResultFiles', () => {
  it('writes each file once', () => {
    const directory = temporaryDirectory()
    const files = new ResultFiles(directory, { isForced: false })
    files.write('001_a.json', { first: true })
    files.write('001_a.json', { first: false })
    files.writeSummary({})
    files.throwFirstError()
    expect(readdirSync(directory)).toEqual(['001_a.json', 'summary.json'])
  })

  it('only counts and removes result files', () => {
    const directory = temporaryDirectory()
    for (const name of ['notes.md', 'package.json', '01_a.json', '001_a.txt']) writeFileSync(join(directory, name), '')
    expect(() => new ResultFiles(directory, { isForced: false })).not.toThrow()
    for (const name of ['summary.json', '001_a.json', '1000_b.json']) {
      const other = temporaryDirectory()
      writeFileSync(join(other, name), '')
      expect(() => new ResultFiles(other, { isForced: false })).toThrow('contains 1 result file;')
    }
  })

  it('keeps writing after a write error and throws it at the end', () => {
    const directory = temporaryDirectory()
    const files = new ResultFiles(directory, { isForced: false })
    mkdirSync(join(directory, '001_a.json'))
    files.write('001_a.json', {})
    files.write('002_b.json', {})
    files.writeSummary({})
    expect(() => files.throwFirstError()).toThrow('001_a.json')
    expect(readdirSync(directory)).toEqual(['001_a.json', '002_b.json', 'summary.json'])
  })

  it.skipIf(process.getuid?.() === 0)('reports a directory that cannot be created', () => {
    const directory = temporaryDirectory()
    chmodSync(directory, 0o500)
    expect(() => new ResultFiles(join(directory, 'inner'), { isForced: false })).toThrow('inner')
  })
})
