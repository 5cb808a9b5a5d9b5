import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { jsonPieces, shortJsonText } from './json-pieces.ts'
import { toJsonText } from './write-json.ts'

describe('jsonPieces', () => {
  it.each<[string, unknown]>([
    [
      'a page of many sessions',
      { sessions: Array.from({ length: 3_000 }, (_, at) => ({ at, tags: ['a'], none: undefined })) },
    ],
    ['a long text with quotes', { text: '"a\n'.repeat(100_000) }],
    ['a long text of surrogate pairs', { text: `x${'🐑'.repeat(100_000)}` }],
    ['a long text with half of a pair', { text: `${'x'.repeat(65_535)}\ud83d${'y'.repeat(65_536)}` }],
    ['a bigint', { metadata: { number: 2n ** 60n }, text: 'x'.repeat(70_000) }],
  ])('gives the same text as toJsonText for %s, in pieces', async (_name, value) => {
    const pieces = await collect(value)
    expect(pieces.join('')).toBe(toJsonText(value))
    expect(pieces.length).toBeGreaterThan(1)
    expect(Math.max(...pieces.map((piece) => piece.length))).toBeLessThan(400_000)
    expect(shortJsonText(value)).toBeUndefined()
  })

  it('gives the same text as toJsonText for every value', async () => {
    await fc.assert(
      fc.asyncProperty(fc.jsonValue(), async (value) => {
        expect((await collect(value)).join('')).toBe(toJsonText(value))
        expect(shortJsonText(value)).toBe(toJsonText(value))
      }),
    )
  })
})

async function collect(value: unknown): Promise<string[]> {
  const pieces: string[] = []
  for await (const piece of jsonPieces(value)) pieces.push(piece)
  return pieces
}
