/** What it costs to read and pin an issue, against parsing the same bytes as JSON, and how that grows with their number. */

import { MAX_LEVELS } from '../src/source/find-fenced-code.ts'
import { readEnvelope, readSource } from '../src/source/read-source.ts'
import { commentText, FIVE_SECTIONS, makeBundle, type SectionDraft } from '../test/support/source-bundle.ts'
import { formatTable, measure } from './measure.ts'

const MIB = 1024 * 1024
const SIZES = [1, 4, 16]
const ROUNDS = 7
/** Blocks of every kind. */
const PARAGRAPH =
  'Some words – and a *few* more.\n\n- an item\n  1. in it\n     ```js\n     code()\n     ```\n> quoted\n> - ~~~\n>   x\n>   ~~~\n\n'

/** Makes the reader parse the text below the manifest. */
const EXAMPLE = '```\n<!-- drover-level: change/v2 -->\n```\n'
/** The slowest text that we know, for the parser. */
const HOSTILE = `${'- '.repeat(MAX_LEVELS / 2)}a\n\n`

export async function benchSource(): Promise<string> {
  const tables: string[] = []
  for (const size of SIZES) {
    const plain = envelopeOf(size * MIB)
    const timings = await measure(
      [
        { name: 'JSON.parse', once: () => void JSON.parse(plain.toString()) },
        { name: 'read the envelope', once: () => void readEnvelope(plain, { input: 'it' }) },
        { name: 'read and pin', once: () => pin(plain) },
      ],
      ROUNDS,
    )
    tables.push(formatTable(`An envelope of ${size} MiB`, timings))
  }
  return [...tables, await benchExamples()].join('\n\n')
}

/** What the Markdown parser costs, and how that grows with the text. */
async function benchExamples(): Promise<string> {
  const bundleWith = (kib: number, block: string, end: string) =>
    Buffer.from(JSON.stringify(makeBundle({ trailing: block.repeat((kib * 1024) / Buffer.byteLength(block)) + end })))
  const tables: string[] = []
  for (const kib of [64, 256]) {
    const plain = bundleWith(kib, PARAGRAPH, '')
    const example = bundleWith(kib, PARAGRAPH, EXAMPLE)
    const hostile = bundleWith(kib, HOSTILE, EXAMPLE)
    const timings = await measure(
      [
        { name: 'without an example', once: () => pin(plain) },
        { name: 'with an example in code', once: () => pin(example) },
        { name: 'with an example in code, hostile', once: () => pin(hostile) },
      ],
      ROUNDS,
    )
    tables.push(formatTable(`${kib} KiB below the manifest`, timings))
  }
  return tables.join('\n\n')
}

/** Exactly as many bytes: about a quarter of them in sections, which at 16 MiB may not be more, the rest in the body. */
function envelopeOf(totalBytes: number): Buffer {
  const count = Math.max(FIVE_SECTIONS.length, Math.ceil(totalBytes / 4 / 250_000))
  const text = PARAGRAPH.repeat(Math.floor(totalBytes / 5 / count / Buffer.byteLength(PARAGRAPH)))
  const sections = Array.from({ length: count }, (_, at): SectionDraft => {
    return { ...(FIVE_SECTIONS[at % 5] as SectionDraft), key: `k${at}`, text }
  })
  const bare = makeBundle({ sections, toBody: commentText })
  const left = totalBytes - Buffer.byteLength(JSON.stringify(bare))
  const filler = PARAGRAPH.repeat(left / Buffer.byteLength(JSON.stringify(PARAGRAPH)))
  const bytes = Buffer.from(JSON.stringify({ ...bare, body: bare.body + filler }))
  return Buffer.concat([bytes, Buffer.alloc(totalBytes - bytes.length, ' ')])
}

/** A bench that pins nothing measures nothing. */
function pin(bytes: Buffer): void {
  const reading = readSource(readEnvelope(bytes, { input: 'it' }))
  if (reading.is === 'rejected') throw new Error(reading.error)
}
