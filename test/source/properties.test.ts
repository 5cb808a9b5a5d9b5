import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { RawSourceEnvelope } from '../../src/contract/raw-source-envelope.shape.ts'
import { checkSourceCandidate } from '../../src/contract/source-candidate.ts'
import { readEnvelope, readSource, toCandidate } from '../../src/source/read-source.ts'
import { findRevisionProblems, matchesSection } from '../../src/source/revisions.ts'
import { anyBundle } from '../support/any-bundle.ts'
import { checkPinnedSource } from '../support/message-checkers.ts'

const stamp = { candidate_id: 'c1', created_at: '2026-01-31T12:00:00Z' }
const toBytes = (envelope: RawSourceEnvelope) => Buffer.from(JSON.stringify(envelope))
const read = (bytes: Uint8Array) => readEnvelope(bytes, { input: 'the source' })

describe('any valid bundle', () => {
  it('is pinned, and the pinned source fits the contract', () => {
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
          expect(matchesSection(section, materials.get(section.material_sha256) ?? '')).toBe(true)
        }
      }),
    )
  })

  it('is pinned the same with any line endings', () => {
    fc.assert(
      fc.property(anyBundle(), (bundle) => {
        const toFeeds = (text: string) => text.replaceAll('\r\n', '\n').replaceAll('\r', '\n')
        const comments = bundle.comments.map((comment) => ({ ...comment, body: toFeeds(comment.body) }))
        expect(readSource({ ...bundle, comments, body: toFeeds(bundle.body) })).toEqual(readSource(bundle))
      }),
    )
  })
})
