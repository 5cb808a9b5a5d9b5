import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { type Disk, realDisk } from '../kit/files/disk.ts'
import { RECORD_LIMIT_BYTES } from './hash-chain.ts'
import { journalLines } from './read-records.ts'

/** A disk that gives these bytes, no more than `most` at a time. */
function diskOf(bytes: Buffer, most = bytes.length): Disk {
  let position = 0
  return {
    ...realDisk,
    readSync: (_descriptor, into, offset, length) => {
      const count = bytes.copy(into, offset, position, position + Math.min(length, most))
      position += count
      return count
    },
  }
}

const linesOf = (bytes: Buffer, most?: number) => [...journalLines(0, diskOf(bytes, most))]

describe('the lines of a journal', () => {
  it('have the right offsets, whatever the chunk size', () => {
    const text = fc
      .array(fc.constantFrom('a', 'ä', '\n', '\r', ' '), { maxLength: 40 })
      .map((parts) => Buffer.from(parts.join('')))
    const property = fc.property(text, fc.integer({ min: 1, max: 7 }), (bytes, most) => {
      const parts = bytes.toString().split('\n')
      const expected = parts.map((part, index) => ({ text: part, isTerminated: index < parts.length - 1 }))
      if (parts.at(-1) === '') expected.pop()
      const lines = linesOf(bytes, most)
      expect(lines.map((line) => ({ text: line.bytes.toString(), isTerminated: line.isTerminated }))).toEqual(expected)
      for (const { start, bytes: held } of lines) expect(bytes.subarray(start, start + held.length)).toEqual(held)
    })
    fc.assert(property)
  })

  it.each([
    ['with its line feed', '\n', true],
    ['without one', '', false],
  ])('may reach the record limit %s, and not exceed it', (_what, end, isTerminated) => {
    const longest = Buffer.alloc(RECORD_LIMIT_BYTES - 1, 'x')
    const [allowed] = linesOf(Buffer.concat([longest, Buffer.from(end)]))
    expect([allowed?.isOversize, allowed?.isTerminated, allowed?.bytes.length]).toEqual([
      false,
      isTerminated,
      longest.length,
    ])
    const [refused] = linesOf(Buffer.concat([longest, Buffer.from(`x${end}`)]))
    expect([refused?.isOversize, refused?.isTerminated, refused?.bytes.length]).toEqual([true, isTerminated, 0])
  })

  it('are found after one that is too long', () => {
    const lines = linesOf(Buffer.concat([Buffer.alloc(RECORD_LIMIT_BYTES, 'x'), Buffer.from('\nnext\n')]))
    expect(lines.map(({ start, isOversize }) => [start, isOversize])).toEqual([
      [0, true],
      [RECORD_LIMIT_BYTES + 1, false],
    ])
  })
})
