/**
 * A bundle in which one byte is another one. Whatever byte it is, drover says what is wrong, or, where the manifest may say
 * either, takes it for another revision. The counts show that every answer is reached, and no test is about nothing.
 */
import { isUtf8 } from 'node:buffer'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { RawSourceEnvelope } from '../../src/contract/raw-source-envelope.shape.ts'
import { Fault } from '../../src/kit/fault.ts'
import { readEnvelope, readSource, type SourceReading } from '../../src/source/read-source.ts'
import { anyBundle } from '../support/any-bundle.ts'
import { firstOf, runsOf } from '../support/full-counts.ts'
import { bodyDigest, FIVE_SECTIONS, makeBundle, manifestOf } from '../support/source-bundle.ts'

const MARKER = '<!-- drover-level: change/v2 -->'
/** What no text of an envelope may have. */
const CONTROLS = /[\p{Cc}--[\t\n\r]]/v
const ANY_BYTE = Array.from({ length: 256 }, (_, byte) => byte)
/** Enough to make of a letter a capital, of a digit another one, of a quote none. */
const FLIPS = firstOf([1, 2, 32])

type Change = { text: string; at: number; byte: number }

/** The text with that byte at that place; undefined if it is the same, or no text that an envelope can hold. */
function changed({ text, at, byte }: Change): string | undefined {
  const bytes = Buffer.from(text)
  bytes[at] = byte
  const other = bytes.toString()
  return isUtf8(bytes) && other !== text && !CONTROLS.test(other) ? other : undefined
}

/** Every text that differs in one byte; `bytes` gives the bytes to try in the place of one. */
function everyChange(text: string, bytes: (byte: number) => readonly number[]): string[] {
  return [...Buffer.from(text)].flatMap((was, at) => bytes(was).flatMap((byte) => changed({ text, at, byte }) ?? []))
}

const anyByte = () => ANY_BYTE
const oneBit = (byte: number) => FLIPS.map((bit) => byte ^ bit)

/** How often each answer is given. */
function tally(answers: Iterable<string>): Record<string, number> {
  const counts: Record<string, number> = {}
  for (const answer of answers) counts[answer] = (counts[answer] ?? 0) + 1
  return counts
}

const answerOf = (reading: SourceReading) => (reading.is === 'rejected' ? reading.code : 'pinned')

const bundle = makeBundle({ manifest: { parent_requirements_revision: `sha256:${'0123456789abcdef'.repeat(4)}` } })
const pinned = readSource(bundle)
const withFirst = (body: string): Partial<RawSourceEnvelope> => ({
  comments: bundle.comments.map((comment, at) => (at === 0 ? { ...comment, body } : comment)),
})
const lineEnds = (text: string) => text.replaceAll('\r\n', '\n').replaceAll('\r', '\n')

describe('any other byte', () => {
  it('in a section is reported as an edited section', () => {
    const text = bundle.comments[0]?.body ?? ''
    const others = everyChange(text, oneBit).filter((other) => lineEnds(other) !== lineEnds(text))
    const counts = tally(others.map((body) => answerOf(readSource({ ...bundle, ...withFirst(body) }))))
    expect(counts).toEqual({ source_section_hash_mismatch: others.length })
    expect(others.length).toBeGreaterThan(200 / 3)
  })

  it('in the marker of a section with a matching digest makes the marker invalid', () => {
    const [first] = FIVE_SECTIONS
    const marker = `<!-- drover-section:v1 key=${first?.key} -->`
    const others = everyChange(marker, oneBit)
    const counts = tally(
      others.map((other) => {
        const body = `${other}\n${first?.text}`
        const { sections } = manifestOf(FIVE_SECTIONS)
        const manifest = {
          sections: sections.map((each, at) => (at === 0 ? { ...each, body_sha256: bodyDigest(body) } : each)),
        }
        return answerOf(readSource(makeBundle({ manifest, envelope: withFirst(body) })))
      }),
    )
    expect(counts).toEqual({ source_section_invalid: others.length })
    expect(others.length).toBeGreaterThan(30)
  })

  it('in the level marker makes the marker invalid', () => {
    const others = everyChange(MARKER, anyByte)
    const counts = tally(
      others.map((marker) => answerOf(readSource({ ...bundle, body: bundle.body.replace(MARKER, marker) }))),
    )
    expect(counts).toEqual({ unsupported_marker: expect.any(Number), change_marker_required: expect.any(Number) })
    expect(others.length).toBeGreaterThan(3000)
  })

  it('in the lines around the manifest makes the manifest invalid', () => {
    const counts = ['\n```drover-manifest\n', '\n```\n'].map((fence) => {
      const others = everyChange(fence, anyByte).filter((other) => lineEnds(other) !== fence)
      return tally(others.map((other) => answerOf(readSource({ ...bundle, body: bundle.body.replace(fence, other) }))))
    })
    expect(counts).toEqual([
      // A marker that something follows in its line is another marker.
      { source_manifest_invalid: expect.any(Number), unsupported_marker: expect.any(Number) },
      { source_manifest_invalid: expect.any(Number) },
    ])
  })

  it('in the manifest is refused, or changes a revision', () => {
    const [, manifest = ''] = /drover-manifest\n(.*)\n```/.exec(bundle.body) ?? []
    const others = everyChange(manifest, oneBit)
    const readings = others.map((other) => readSource({ ...bundle, body: bundle.body.replace(manifest, () => other) }))
    expect(tally(readings.map(answerOf))).toEqual({
      source_manifest_invalid: expect.any(Number),
      source_section_missing: expect.any(Number),
      source_section_invalid: expect.any(Number),
      source_section_hash_mismatch: expect.any(Number),
      pinned: expect.any(Number),
    })
    expect(readings.filter((reading) => reading.is === 'pinned' && !isAnotherRevision(reading))).toEqual([])
  })
})

/** Whether nothing but titles and the revision that is amended differs, and the manifest's revision shows it. */
function isAnotherRevision(reading: SourceReading): boolean {
  if (reading.is === 'rejected' || pinned.is === 'rejected') return false
  const bindings = ({ sections }: typeof pinned.source) =>
    JSON.stringify(sections.map(({ key, role, body_sha256, provenance }) => [key, role, body_sha256, provenance]))
  return (
    reading.source.manifest_revision !== pinned.source.manifest_revision &&
    reading.source.source_revision !== pinned.source.source_revision &&
    bindings(reading.source) === bindings(pinned.source)
  )
}

/** A text of a bundle, and a change of it that leaves it a text. */
const changes = fc.record({ share: fc.double({ min: 0, max: 1, noNaN: true, maxExcluded: true }), byte: fc.nat(255) })

describe('another byte in any bundle', () => {
  it('is detected in every section', () => {
    fc.assert(
      fc.property(anyBundle(), fc.nat(), changes, (any, which, { share, byte }) => {
        const place = which % any.comments.length
        const text = any.comments[place]?.body ?? ''
        const body = changed({ text, at: Math.floor(Buffer.byteLength(text) * share), byte })
        fc.pre(body !== undefined && lineEnds(body) !== lineEnds(text))
        const comments = any.comments.map((comment, at) => (at === place ? { ...comment, body } : comment))
        expect(readSource({ ...any, comments })).toMatchObject({ code: 'source_section_hash_mismatch' })
      }),
      { numRuns: runsOf(300) },
    )
  })

  it('is detected in the level marker', () => {
    fc.assert(
      fc.property(anyBundle(), changes, (any, { share, byte }) => {
        const marker = changed({ text: MARKER, at: Math.floor(MARKER.length * share), byte })
        fc.pre(marker !== undefined)
        const reading = readSource({ ...any, body: any.body.replace(MARKER, () => marker) })
        expect(answerOf(reading)).toMatch(/^(unsupported_marker|change_marker_required)$/)
      }),
      { numRuns: runsOf(300) },
    )
  })
})

describe('another bit in the bytes of an envelope', () => {
  it('is refused, classified or read as the changed value, wherever it is', () => {
    const bytes = Buffer.from(JSON.stringify(bundle))
    const answers = [...bytes].map((was, at) => answerTo(bytes.with(at, was ^ (FLIPS[at % FLIPS.length] ?? 1))))
    expect(tally(answers)).toEqual({
      json_invalid: expect.any(Number),
      message_invalid: expect.any(Number),
      change_marker_required: expect.any(Number),
      unsupported_marker: expect.any(Number),
      source_manifest_invalid: expect.any(Number),
      source_section_missing: expect.any(Number),
      source_section_invalid: expect.any(Number),
      source_section_hash_mismatch: expect.any(Number),
      pinned: expect.any(Number),
    })
  })
})

function answerTo(bytes: Uint8Array): string {
  try {
    return answerOf(readSource(readEnvelope(bytes, { input: 'it' })))
  } catch (error) {
    if (error instanceof Fault) return error.code
    throw error
  }
}
