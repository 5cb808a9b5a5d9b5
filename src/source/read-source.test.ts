import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { checkPinnedSource } from '../../test/support/message-checkers.ts'
import {
  bodyOf,
  commentOf,
  commentText,
  FIVE_SECTIONS,
  framedDigest,
  makeBundle,
  manifestOf,
} from '../../test/support/source-bundle.ts'
import { LIMITS } from '../contract/limits.ts'
import type { RawSourceComment, RawSourceEnvelope } from '../contract/raw-source-envelope.shape.ts'
import { checkRawSourceEnvelope } from '../contract/raw-source-envelope.ts'
import { checkSourceCandidate } from '../contract/source-candidate.ts'
import { readSource } from './read-source.ts'
import { toCandidate } from './to-candidate.ts'
import { findRevisionProblems, isTextOf } from './verify-pinned-source.ts'

const golden = JSON.parse(readFileSync(join(import.meta.dirname, '../../test/source/golden-bundle.json'), 'utf8'))
const stamp = { candidate_id: 'c1', created_at: '2026-01-31T12:00:00Z' }

describe('a bundle', () => {
  it('is pinned with all its revisions and texts', () => {
    const reading = readSource(checkRawSourceEnvelope(golden.envelope))
    expect(reading).toEqual({
      is: 'pinned',
      source: golden.pinned,
      materials: new Map(Object.entries(golden.materials)),
    })
    expect(checkPinnedSource(golden.pinned)).toBe(golden.pinned)
  })

  it('keeps one text for sections that say the same', () => {
    const reading = readSource(makeBundle({ sections: FIVE_SECTIONS.map((draft) => ({ ...draft, text: 'Same.' })) }))
    if (reading.is === 'rejected') throw new Error(reading.error)
    expect([...reading.materials.values()]).toEqual(['Same.'])
    expect(new Set(reading.source.sections.map(({ section_revision }) => section_revision)).size).toBe(5)
  })

  it('becomes a candidate that is valid', () => {
    const candidate = toCandidate(golden.envelope, readSource(golden.envelope), stamp)
    expect(checkSourceCandidate(candidate)).toMatchObject({
      ...stamp,
      valid: true,
      classification_code: 'valid_change',
      parent: golden.envelope.parent,
      snapshot: golden.pinned,
    })
  })
})

const comments = FIVE_SECTIONS.map((draft, index) => commentOf(index, commentText(draft)))
const [first, second, ...others] = comments
if (first === undefined || second === undefined) throw new Error('there are comments')
const full = 'x'.repeat(LIMITS.sectionBytes)

/** The manifest of comments in which the first has another body. */
const rebound = (body: string): Partial<RawSourceEnvelope> => {
  const changed = [{ ...first, body }, second, ...others]
  return { body: bodyOf(JSON.stringify(manifestOf(FIVE_SECTIONS, changed))), comments: changed }
}
const instead = (change: Partial<RawSourceComment>) => ({ comments: [{ ...first, ...change }, second, ...others] })
const large = Array.from({ length: 17 }, (_, index) => {
  return {
    ...(FIVE_SECTIONS[index % 5] ?? FIVE_SECTIONS[0]),
    key: `k${index}`,
    text: full,
  } as (typeof FIVE_SECTIONS)[0]
})

const oversized = large.map((draft, index) => (index === 16 ? { ...draft, text: `${full}x` } : draft))
const stray = commentOf(99, '')

/**
 * Every code in the order in which they are looked for. Each envelope also breaks the rule of the row below it, but for
 * the first two: a body has one first line, so it cannot have two wrong markers.
 */
const PRECEDENCE: readonly (readonly [string, RawSourceEnvelope])[] = [
  ['change_marker_required', makeBundle({ envelope: { body: 'text\n', comments: [] } })],
  ['objective_marker', makeBundle({ envelope: { body: '<!-- drover-level: objective/v2 -->', comments: [] } })],
  ['unsupported_marker', makeBundle({ envelope: { body: '<!-- drover-level: change/v3 -->', comments: [] } })],
  ['source_manifest_invalid', makeBundle({ manifest: { profile: 'other' }, envelope: { comments: [] } })],
  ['source_section_missing', makeBundle({ envelope: { comments: [{ ...second, database_id: 5 }, ...others] } })],
  ['source_section_invalid', makeBundle({ envelope: instead({ database_id: 5, is_minimized: true }) })],
  ['source_section_minimized', makeBundle({ envelope: instead({ is_minimized: true, body: 'edited' }) })],
  ['source_section_hash_mismatch', makeBundle({ envelope: instead({ body: 'edited' }) })],
  ['source_section_invalid', makeBundle({ envelope: rebound(`no marker\n${full}x`) })],
  ['source_section_too_large', makeBundle({ sections: oversized })],
  [
    'source_bundle_too_large',
    makeBundle({ sections: large, envelope: { comments: [...makeBundle({ sections: large }).comments, stray] } }),
  ],
  ['source_section_unexpected', makeBundle({ envelope: { comments: [...comments, stray] } })],
]

describe('an envelope that is no change', () => {
  it.each(PRECEDENCE)('is classified as %s', (code, envelope) => {
    const reading = readSource(envelope)
    expect(reading).toMatchObject({ is: 'rejected', code })
    const candidate = toCandidate(envelope, reading, stamp)
    expect(checkSourceCandidate(candidate)).toMatchObject({ valid: false, classification_code: code })
    expect(candidate).not.toHaveProperty('title')
  })

  it('is refused for the first section that does not fit, not for the first rule', () => {
    const changed = [{ ...first, body: 'edited' }, ...others]
    expect(readSource(makeBundle({ envelope: { comments: changed } }))).toMatchObject({
      code: 'source_section_hash_mismatch',
    })
  })

  it('is known by the digest of what was found', () => {
    const body = 'some\r\ntext'
    const found = [commentOf(1, 'b\r'), commentOf(0, 'a')]
    const reading = readSource(makeBundle({ envelope: { body, comments: found } }))
    expect(reading).toMatchObject({
      observation_sha256: framedDigest(
        ...['drover-source-observation/v2', 'github.com', 'R_kgDOB5fHzA', 'I_kwDOB5fHzM5xQ2Yt'],
        ...['Show the wind in knots', 'some\ntext'],
        ...['IC_0', framedDigest('drover-comment-body/v1', 'a')],
        ...['IC_1', framedDigest('drover-comment-body/v1', 'b\n')],
      ),
    })
  })

  it('is classified in words that fit the contract, cut between characters', () => {
    const key = '🧪'.repeat(64)
    const nested = `{"manifest_version":2,${Array.from({ length: 20 }, () => `"${key}":{`).join('')}`
    const reading = readSource(makeBundle({ envelope: { body: bodyOf(nested), comments: [] } }))
    const error = reading.is === 'rejected' ? reading.error : ''
    expect(error).toMatch(/🧪…$/)
    expect(Buffer.byteLength(error)).toBeGreaterThan(LIMITS.classificationErrorBytes - 8)
    expect(() => toCandidate(golden.envelope, reading, stamp)).not.toThrow()
  })

  it('is one also without any of its comments', () => {
    expect(readSource(makeBundle({ envelope: { comments: [] } }))).toMatchObject({ code: 'source_section_missing' })
  })
})

describe('a stored source', () => {
  it('has the revisions of its content', () => {
    expect(findRevisionProblems(golden.pinned)).toEqual([])
  })

  it.each([
    ['title', { title: 'Other' }, ['$.source_revision']],
    [
      'manifest revision',
      { manifest_revision: `sha256:${'0'.repeat(64)}` },
      ['$.manifest_revision', '$.source_revision'],
    ],
    ['requirements revision', { requirements_revision: `sha256:${'0'.repeat(64)}` }, ['$.requirements_revision']],
    [
      'order of sections',
      { sections: golden.pinned.sections.toReversed() },
      ['$.manifest_revision', '$.requirements_revision'],
    ],
    ['revision that it amends', { parent_requirements_revision: undefined }, ['$.manifest_revision']],
  ])('that got another %s is found out', (_name, change, paths) => {
    expect(findRevisionProblems({ ...golden.pinned, ...change }).map(({ path }) => path)).toEqual(paths)
  })

  it('knows its texts', () => {
    const [section] = golden.pinned.sections
    const text = golden.materials[section.material_sha256]
    expect(isTextOf(section, text)).toBe(true)
    expect(isTextOf(section, `${text} `)).toBe(false)
    expect(isTextOf({ ...section, bytes: section.bytes + 1 }, text)).toBe(false)
    expect(isTextOf({ ...section, material_sha256: section.body_sha256 }, text)).toBe(false)
    expect(isTextOf({ ...section, title: 'Other' }, text)).toBe(false)
  })
})
