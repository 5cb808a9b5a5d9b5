/** What it costs to read and pin an issue, against parsing the same bytes as JSON, and how that grows with their number. */
import { readEnvelope } from '../src/source/read-envelope.ts'
import { readSource } from '../src/source/read-source.ts'
import { commentText, FIVE_SECTIONS, makeBundle, type SectionDraft } from '../test/support/source-bundle.ts'
import { formatTable, measure } from './measure.ts'

const MIB = 1024 * 1024
const SIZES = [1, 4, 16]
const ROUNDS = 7
/** Text of every sort that the scan of the body looks at. */
const PARAGRAPH =
  'Some words – and a *few* more.\n\n- an item\n  1. in it\n     ```js\n     code()\n     ```\n> quoted\n> - ~~~\n>   x\n>   ~~~\n\n'

/** For this all of the body has to be looked at line by line. */
const EXAMPLE = '```\n<!-- drover-level: change/v2 -->\n```\n'

export async function benchSource(): Promise<string> {
  const tables: string[] = []
  for (const size of SIZES) {
    const plain = envelopeOf(size * MIB, '')
    const withExample = envelopeOf(size * MIB, EXAMPLE)
    const timings = await measure(
      [
        { name: 'JSON.parse', once: () => void JSON.parse(plain.toString()) },
        { name: 'read the envelope', once: () => void readEnvelope(plain, { input: 'it' }) },
        { name: 'read and pin', once: () => pin(plain) },
        { name: 'read and pin one with an example in code', once: () => pin(withExample) },
      ],
      ROUNDS,
    )
    tables.push(formatTable(`An envelope of ${size} MiB`, timings))
  }
  return tables.join('\n\n')
}

/** Exactly as many bytes: about a quarter of them in sections, which at 16 MiB may not be more, the rest in the body. */
function envelopeOf(totalBytes: number, end: string): Buffer {
  const count = Math.max(FIVE_SECTIONS.length, Math.ceil(totalBytes / 4 / 250_000))
  const text = PARAGRAPH.repeat(Math.floor(totalBytes / 5 / count / Buffer.byteLength(PARAGRAPH)))
  const sections = Array.from({ length: count }, (_, at): SectionDraft => {
    return { ...(FIVE_SECTIONS[at % 5] as SectionDraft), key: `k${at}`, text }
  })
  const bare = makeBundle({ sections, toBody: commentText })
  const left = totalBytes - Buffer.byteLength(JSON.stringify(bare)) - 2 * end.length
  const filler = PARAGRAPH.repeat(left / Buffer.byteLength(JSON.stringify(PARAGRAPH)))
  const bytes = Buffer.from(JSON.stringify({ ...bare, body: bare.body + filler + end }))
  return Buffer.concat([bytes, Buffer.alloc(totalBytes - bytes.length, ' ')])
}

/** A bench that pins nothing measures nothing. */
function pin(bytes: Buffer): void {
  const reading = readSource(readEnvelope(bytes, { input: 'it' }))
  if (reading.is === 'rejected') throw new Error(reading.error)
}
