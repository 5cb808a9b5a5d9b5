import { Readable } from 'node:stream'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { runsOf } from '../../test/support/full-counts.ts'
import { readLines } from './read-lines.ts'

describe('readLines', () => {
  it.each([
    ['nothing', '', []],
    ['a line', 'a\n', ['a']],
    ['a last line without its end', 'a\nb', ['a', 'b']],
    ['empty lines', '\n\na\n\n', ['', '', 'a', '']],
    ['CRLF', 'a\r\nb\r\n', ['a', 'b']],
    ['a CR inside a line', 'a\rb\n', ['a\rb']],
    ['two CRs before the LF', 'a\r\r\n', ['a\r']],
    ['a CR at the very end', 'a\r', ['a\r']],
  ])('reads %s', async (_name, text, lines) => {
    expect((await read([Buffer.from(text)])).lines).toEqual(lines)
  })

  it('returns one batch for each chunk that ends a line', async () => {
    const { batches } = await read(['a\nb\nc', 'd', 'e\nf\n', 'g'].map((text) => Buffer.from(text)))
    expect(batches).toEqual([['a', 'b'], ['cde', 'f'], ['g']])
  })

  it('decodes text the same however it is split into chunks', async () => {
    const texts = fc.array(fc.constantFrom('\n', '\r\n', '\r', 'a', 'é', '漢', '😀', '\ufeff', '\u2028'), {
      maxLength: 40,
    })
    await fc.assert(
      fc.asyncProperty(texts, fc.infiniteStream(fc.integer({ min: 1, max: 5 })), async (parts, sizes) => {
        const text = `${parts.join('')}\n`
        const { lines } = await read(cut(Buffer.from(text), sizes))
        expect(lines).toEqual(text.split(/\r?\n/).slice(0, -1))
      }),
    )
  })

  it('keeps lines within the limit and reports all others, for any bytes and chunks', async () => {
    const bytes = fc.array(fc.oneof(fc.constantFrom(0x0a, 0x0d, 0x78), fc.nat(255)), { maxLength: 80 })
    const limits = fc.integer({ min: 0, max: 12 })
    const sizeStreams = fc.infiniteStream(fc.integer({ min: 1, max: 30 }))
    await fc.assert(
      fc.asyncProperty(bytes, limits, sizeStreams, async (all, limitBytes, sizes) => {
        const { lines, oversize } = await read(cut(Buffer.from(all), sizes), limitBytes)
        expect({ lines, oversize }).toEqual(plainly(Buffer.from(all), limitBytes))
      }),
      { numRuns: runsOf(500) },
    )
  })

  it('holds no more of a line than the limit, however long it is', async () => {
    const piece = Buffer.alloc(1024 * 1024, 'x')
    const before = process.memoryUsage().arrayBuffers
    let most = 0
    async function* endless() {
      for (let i = 0; i < 100; i += 1) {
        most = Math.max(most, process.memoryUsage().arrayBuffers - before)
        yield piece
      }
    }
    const { lines, oversize } = await read(endless(), 2.5 * 1024 * 1024)
    expect({ lines, oversize }).toEqual({ lines: [], oversize: [100 * 1024 * 1024] })
    expect(most).toBeLessThan(20 * 1024 * 1024)
  })

  it('closes its source when the reader stops', async () => {
    let closed = false
    async function* source() {
      try {
        for (;;) yield Buffer.from('a\n')
      } finally {
        closed = true
      }
    }
    for await (const _lines of readLines(source(), { limitBytes: 10, onOversize: () => {} })) break
    expect(closed).toBe(true)
  })
})

async function read(chunks: Iterable<Buffer> | AsyncIterable<Buffer>, limitBytes = 1000) {
  const oversize: number[] = []
  const batches: string[][] = []
  const source = Readable.from(chunks, { objectMode: true })
  const lines = readLines(source, { limitBytes, onOversize: (size) => oversize.push(size) })
  for await (const batch of lines) batches.push(batch)
  return { batches, lines: batches.flat(), oversize }
}

function cut(all: Buffer, sizes: Iterator<number>): Buffer[] {
  const chunks: Buffer[] = []
  for (let start = 0; start < all.length; ) {
    const size: number = sizes.next().value
    chunks.push(all.subarray(start, start + size))
    start += size
  }
  return chunks
}

/** The rules of readLines on an output that is all there, one byte after the other. */
function plainly(all: Buffer, limitBytes: number) {
  const lines: string[] = []
  const oversize: number[] = []
  let line: number[] = []
  const end = (text: (bytes: Buffer) => string) => {
    if (line.length > limitBytes) oversize.push(line.length)
    else lines.push(text(Buffer.from(line)))
    line = []
  }
  for (const byte of all) {
    if (byte === 0x0a) end((bytes) => bytes.toString().replace(/\r$/, ''))
    else line.push(byte)
  }
  if (line.length > 0) end((bytes) => bytes.toString())
  return { lines, oversize }
}
