import { statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { temporaryDirectory } from '../../../test/support/run-drover.ts'
import { namesIn, readRecordFile, saveRecordFile } from './record-file.ts'

const asNumber = (value: unknown) => (value as { size: number }).size

describe('a record file', () => {
  it('is stored where only its user can read it, and is replaced', () => {
    const path = join(temporaryDirectory(), 'records', 'one.json')
    saveRecordFile(path, { size: 1 })
    saveRecordFile(path, { size: 2 })
    expect(readRecordFile(path, asNumber, 100)).toBe(2)
    expect([statSync(path), statSync(join(path, '..'))].map(({ mode }) => mode & 0o777)).toEqual([0o600, 0o700])
    expect(namesIn(join(path, '..'))).toEqual(['one.json'])
  })

  it.each([
    ['too large', '{"size": 1234567890123456789012345678901234567890}', 20],
    ['not JSON', '{', 100],
  ])('that is %s is refused', (_, text, limitBytes) => {
    const path = join(temporaryDirectory(), 'one.json')
    writeFileSync(path, text)
    expect(() => readRecordFile(path, asNumber, limitBytes)).toThrow()
  })
})

describe('the names in a directory', () => {
  it('are none if it does not exist', () => {
    expect(namesIn(join(temporaryDirectory(), 'none'))).toEqual([])
  })

  it('cannot be read from a file', () => {
    const path = join(temporaryDirectory(), 'file')
    writeFileSync(path, '')
    expect(() => namesIn(path)).toThrow('ENOTDIR')
  })
})
