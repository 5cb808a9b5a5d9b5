import { isDeepStrictEqual } from 'node:util'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { checkPinnedSource } from '../../src/contract/pinned-source.ts'
import type { RawSourceEnvelope } from '../../src/contract/raw-source-envelope.shape.ts'
import { checkSourceCandidate } from '../../src/contract/source-candidate.ts'
import { Fault } from '../../src/kit/fault.ts'
import { readEnvelope } from '../../src/source/read-envelope.ts'
import { readSource, type SourceReading } from '../../src/source/read-source.ts'
import { toCandidate } from '../../src/source/to-candidate.ts'
import { findRevisionProblems, isTextOf } from '../../src/source/verify-pinned-source.ts'
import { anyBundle } from '../support/any-bundle.ts'

const stamp = { candidate_id: 'c1', created_at: '2026-01-31T12:00:00Z' }
const toBytes = (envelope: RawSourceEnvelope) => Buffer.from(JSON.stringify(envelope))
const read = (bytes: Uint8Array) => readEnvelope(bytes, { input: 'the source' })

describe('any bundle that keeps the rules', () => {
  it('is pinned, and what is pinned keeps the rules of the contract', () => {
    fc.assert(
      fc.property(anyBundle(), (bundle) => {
        const envelope = read(toBytes(bundle))
        const reading = readSource(envelope)
        if (reading.is === 'rejected') throw new Error(`${reading.code}: ${reading.error}`)
        const { source, materials } = reading
        expect(checkPinnedSource(source)).toBe(source)
        expect(checkSourceCandidate(toCandidate(envelope, reading, stamp))).toMatchObject({ valid: true })
        expect(findRevisionProblems(source)).toEqual([])
        for (const section of source.sections) {
          expect(isTextOf(section, materials.get(section.material_sha256) ?? '')).toBe(true)
        }
      }),
    )
  })

  it('is pinned the same whatever line ends it has', () => {
    fc.assert(
      fc.property(anyBundle(), (bundle) => {
        const toFeeds = (text: string) => text.replaceAll('\r\n', '\n').replaceAll('\r', '\n')
        const comments = bundle.comments.map((comment) => ({ ...comment, body: toFeeds(comment.body) }))
        expect(readSource({ ...bundle, comments, body: toFeeds(bundle.body) })).toEqual(readSource(bundle))
      }),
    )
  })
})

/** What there is to see of the envelope after one byte of it, which JSON writes from `from` on, has changed. */
function changeByte(bytes: Buffer, at: number, mask: number): SourceReading | Fault {
  const changed = Buffer.from(bytes)
  changed[at] = (changed[at] ?? 0) ^ mask
  try {
    return readSource(read(changed))
  } catch (error) {
    if (error instanceof Fault) return error
    throw error
  }
}

/** A place in the bytes of an envelope that are a text of it, and a change of that byte. */
const changes = fc.record({
  share: fc.double({ min: 0, max: 1, noNaN: true, maxExcluded: true }),
  mask: fc.integer({ min: 1, max: 255 }),
})

function placeIn(bytes: Buffer, text: string, share: number): number {
  const literal = Buffer.from(JSON.stringify(text).slice(1, -1))
  return bytes.indexOf(literal) + Math.floor(literal.length * share)
}

describe('a change of any one byte', () => {
  it('of a section is refused, unless it only makes another line end', () => {
    fc.assert(
      fc.property(anyBundle(), fc.nat(), changes, (bundle, which, { share, mask }) => {
        const bytes = toBytes(bundle)
        const text = bundle.comments[which % bundle.comments.length]?.body ?? ''
        const seen = changeByte(bytes, placeIn(bytes, text, share), mask)
        if (!(seen instanceof Fault) && seen.is === 'pinned') expect(seen).toEqual(readSource(bundle))
      }),
      { numRuns: 300 },
    )
  })

  it('of the level marker is refused', () => {
    fc.assert(
      fc.property(anyBundle(), changes, (bundle, { share, mask }) => {
        const bytes = toBytes(bundle)
        const seen = changeByte(bytes, placeIn(bytes, '<!-- drover-level: change/v2 -->', share), mask)
        if (!(seen instanceof Fault)) {
          expect(seen.is === 'rejected' && seen.code).toMatch(/^(unsupported_marker|change_marker_required)$/)
        }
      }),
      { numRuns: 300 },
    )
  })

  it('of the manifest is refused, or makes another revision of what may be changed in it', () => {
    fc.assert(
      fc.property(anyBundle(), changes, (bundle, { share, mask }) => {
        const bytes = toBytes(bundle)
        const [, manifest = ''] = /drover-manifest[\r\n]+(.*?)[\r\n]+```/.exec(bundle.body) ?? []
        expect(manifest).toMatch(/^{.*}$/)
        const before = readSource(bundle)
        const seen = changeByte(bytes, placeIn(bytes, manifest, share), mask)
        if (seen instanceof Fault || seen.is === 'rejected' || before.is === 'rejected') return
        // Another way to write the same character is no change.
        if (isDeepStrictEqual(seen, before)) return
        expect(seen.source.manifest_revision).not.toBe(before.source.manifest_revision)
        // Which comments the sections are, and what they say, cannot be changed without being noticed.
        const bindings = ({ source }: typeof seen) =>
          source.sections.map(({ key, body_sha256, provenance }) => [key, body_sha256, provenance])
        expect(bindings(seen)).toEqual(bindings(before))
      }),
      { numRuns: 300 },
    )
  })
})
