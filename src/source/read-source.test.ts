import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { allFrom, putInto } from '../../test/support/damaged-input.ts'
import { IS_FULL } from '../../test/support/full-counts.ts'
import { checkPinnedSource } from '../../test/support/message-checkers.ts'
import {
  bodyOf,
  commentOf,
  commentText,
  FIVE_SECTIONS,
  framedDigest,
  ISSUE_URL,
  makeBundle,
  manifestOf,
} from '../../test/support/source-bundle.ts'
import { thrownFault } from '../../test/support/thrown-fault.ts'
import { LIMITS } from '../contract/limits.ts'
import type { RawSourceComment, RawSourceEnvelope } from '../contract/raw-source-envelope.shape.ts'
import { checkRawSourceEnvelope } from '../contract/raw-source-envelope.ts'
import { checkSourceCandidate } from '../contract/source-candidate.ts'
import type { Fault } from '../kit/fault.ts'
import { readEnvelope, readSource, toCandidate } from './read-source.ts'
import { findRevisionProblems, matchesSection } from './revisions.ts'

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

  it('stores one text for sections with the same text', () => {
    const reading = readSource(makeBundle({ sections: FIVE_SECTIONS.map((draft) => ({ ...draft, text: 'Same.' })) }))
    if (reading.is === 'rejected') throw new Error(reading.error)
    expect([...reading.materials.values()]).toEqual(['Same.'])
    expect(new Set(reading.source.sections.map(({ section_revision }) => section_revision)).size).toBe(5)
  })

  it('becomes a valid candidate', () => {
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

describe('an envelope that is not a change', () => {
  it.each(PRECEDENCE)('is classified as %s', (code, envelope) => {
    const reading = readSource(envelope)
    expect(reading).toMatchObject({ is: 'rejected', code })
    const candidate = toCandidate(envelope, reading, stamp)
    expect(checkSourceCandidate(candidate)).toMatchObject({ valid: false, classification_code: code })
    expect(candidate).not.toHaveProperty('title')
  })

  it('is refused for the first invalid section, not for the first rule', () => {
    const changed = [{ ...first, body: 'edited' }, ...others]
    expect(readSource(makeBundle({ envelope: { comments: changed } }))).toMatchObject({
      code: 'source_section_hash_mismatch',
    })
  })

  it('is identified by the digest of what was found', () => {
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

  it('is classified with a message that fits the contract, cut between characters', () => {
    const key = '🧪'.repeat(64)
    const nested = `{"manifest_version":2,${Array.from({ length: 20 }, () => `"${key}":{`).join('')}`
    const reading = readSource(makeBundle({ envelope: { body: bodyOf(nested), comments: [] } }))
    const error = reading.is === 'rejected' ? reading.error : ''
    expect(error).toMatch(/🧪…$/)
    expect(Buffer.byteLength(error)).toBeGreaterThan(LIMITS.classificationErrorBytes - 8)
    expect(() => toCandidate(golden.envelope, reading, stamp)).not.toThrow()
  })

  it('is classified the same without its comments', () => {
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
  ])('with another %s is detected', (_name, change, paths) => {
    expect(findRevisionProblems({ ...golden.pinned, ...change }).map(({ path }) => path)).toEqual(paths)
  })

  it('recognizes its texts', () => {
    const [section] = golden.pinned.sections
    const text = golden.materials[section.material_sha256]
    expect(matchesSection(section, text)).toBe(true)
    expect(matchesSection(section, `${text} `)).toBe(false)
    expect(matchesSection({ ...section, bytes: section.bytes + 1 }, text)).toBe(false)
    expect(matchesSection({ ...section, material_sha256: section.body_sha256 }, text)).toBe(false)
    expect(matchesSection({ ...section, title: 'Other' }, text)).toBe(false)
  })
})

const envelope = makeBundle()
const read = (value: unknown) =>
  readEnvelope(Buffer.from(typeof value === 'string' ? value : JSON.stringify(value)), { input: 'the source' })

describe('an envelope', () => {
  it.each([
    ['as it should be', envelope],
    ['with a body and comments that are empty', { ...envelope, body: '', comments: [commentOf(0, '')] }],
    ['without labels and comments', { ...envelope, labels: [], comments: [] }],
    ['with all labels there can be', { ...envelope, labels: Array(LIMITS.labels).fill('a') }],
    [
      'with all comments there can be',
      { ...envelope, comments: Array.from({ length: LIMITS.comments }, (_, at) => commentOf(at, '')) },
    ],
  ])('%s is read', (_name, value) => {
    expect(read(value)).toEqual(value)
  })

  it('may have as many bytes as the limit, and no more', () => {
    const text = JSON.stringify(envelope)
    expect(read(text.padEnd(LIMITS.envelopeBytes))).toEqual(envelope)
    expect(() => read(text.padEnd(LIMITS.envelopeBytes + 1))).toThrow(
      'it has 16777217 bytes and may have at most 16777216',
    )
  })

  it.runIf(IS_FULL)('may be one text of that size, with any characters', () => {
    const body = `–${'x'.repeat(LIMITS.envelopeBytes - 4000)}🧪`
    expect(read({ ...envelope, body, comments: [] }).body).toBe(body)
    expect(problemOf({ ...envelope, body: `${body}\u0001`, comments: [] })).toBe('$.body')
  })

  const [comment] = envelope.comments

  it.each([
    ['of another issue', { url: 'https://github.com/ada/weather/issues/8#issuecomment-1900' }, '$.comments[0].url'],
    ['without a body', { body: undefined }, '$.comments[0].body'],
    ['that does not say whether it is hidden', { is_minimized: undefined }, '$.comments[0].is_minimized'],
    ['with a control character in its id', { node_id: 'a\u0085' }, '$.comments[0].node_id'],
    ['with a control character in its author', { author_id: 'a\u0007' }, '$.comments[0].author_id'],
  ])('with a comment %s is refused', (_name, change, path) => {
    expect(problemOf({ ...envelope, comments: [{ ...comment, ...change }] })).toBe(path)
  })

  it('that is not strict JSON is refused with the position', () => {
    expect(() => read('{"source_version":2,"source_version":2}')).toThrow(
      'the source is not usable JSON at $.source_version (line 1, column 21): the object has this key already',
    )
  })
})

const parent = { repository_id: 'R_2', issue_id: 'I_2', canonical_url: 'https://github.com/ada/plans/issues/1' }
const sound = { ...envelope, parent }

const put = putInto(sound)
const CONTROL = 'must be text without control characters'
const ID = 'must be an id without'
const TIME = 'must be an RFC 3339 date-time'

type Flaw = readonly [name: string, damage: (whole: object) => object, says: string]

/** What can be wrong with an envelope that is strict JSON, in the order in which it is looked for. */
const WRONG: readonly Flaw[] = [
  ['a field that is not known, at any depth', put('comments.1.zz', 1), '$.comments[1].zz is not a known field'],
  ['null for a text, at any depth', put('parent.issue_id', null), '$.parent.issue_id must be a string'],
  ['a value of another type, at any depth', put('comments.2.body', 5), '$.comments[2].body must be a string'],
  ['the version', put('source_version', 1), '$.source_version must be 2'],
  ...['provider', 'host', 'repository_id', 'issue_id', 'canonical_url', 'updated_at', 'fetched_at', 'title'].map(
    (name): Flaw => [`a control character in ${name}`, put(name, 'a\u0085'), `$.${name} ${CONTROL}`],
  ),
  ['a control character in the body', put('body', 'a\u0000'), `$.body ${CONTROL} except tabs and line endings`],
  ['the provider', put('provider', 'gitlab'), '$.provider must be "github"'],
  ['the host', put('host', 'example.com'), '$.host must be "github.com"'],
  ['the repository', put('repository_id', 'R 1'), `$.repository_id ${ID}`],
  ['the issue', put('issue_id', ''), `$.issue_id ${ID}`],
  ['the number', put('issue_number', 0), '$.issue_number must be at least 1'],
  ['a blank title', put('title', ' '), '$.title must be text that is not blank'],
  ['the time of change', put('updated_at', '2026-02-30T00:00:00Z'), `$.updated_at ${TIME}`],
  ['a leap second', put('updated_at', '2016-12-31T23:59:60Z'), `$.updated_at ${TIME}`],
  ['the time of fetching', put('fetched_at', 'now'), `$.fetched_at ${TIME}`],
  ['the URL', put('canonical_url', 'https://github.com/a/../issues/7'), '$.canonical_url must be an issue URL'],
  ['the number in the URL', put('canonical_url', `${ISSUE_URL}7`), '$.canonical_url must end with the issue number'],
  ['labels that are null', put('labels', null), '$.labels must be an array'],
  ['too many labels', put('labels', Array(LIMITS.labels + 1).fill('')), '$.labels must have at most 100 items'],
  ['a blank label', put('labels', ['a', ' ']), '$.labels[1] must be text that is not blank'],
  ['comments that are null', put('comments', null), '$.comments must be an array'],
  ['too many comments', put('comments', Array(LIMITS.comments + 1).fill({})), '$.comments must have at most 64 items'],
  ['the id of a comment', put('comments.0.node_id', 'I\u00a0C'), `$.comments[0].node_id ${ID}`],
  ['the number of a comment', put('comments.0.database_id', 0), '$.comments[0].database_id must be at least 1'],
  ['the author of a comment', put('comments.0.author_id', ''), `$.comments[0].author_id ${ID}`],
  ['a control character in its URL', put('comments.0.url', '\t'), `$.comments[0].url ${CONTROL}`],
  ['a control character in its time', put('comments.0.updated_at', '\n'), `$.comments[0].updated_at ${CONTROL}`],
  ['a control character in its body', put('comments.0.body', '\u007f'), `$.comments[0].body ${CONTROL}`],
  ['whether a comment is hidden', put('comments.0.is_minimized', undefined), '$.comments[0].is_minimized is required'],
  ['the time of a comment', put('comments.0.updated_at', '2026-01-31'), `$.comments[0].updated_at ${TIME}`],
  ['the URL of a comment', put('comments.0.url', ISSUE_URL), '$.comments[0].url must be an issue URL followed by'],
  [
    'a comment of another issue',
    put('comments.0.url', `${ISSUE_URL}1#issuecomment-1900`),
    `$.comments[0].url must be ${ISSUE_URL}#issuecomment-1900`,
  ],
  ['a second such comment', put('comments.1.url', `${ISSUE_URL}1#issuecomment-1901`), '$.comments[1].url must be'],
  ['the id of another comment', put('comments.1.node_id', 'IC_0'), '$.comments[1].node_id must not be that of another'],
  [
    'the number of another comment',
    (whole) =>
      [put('comments.1.database_id', 1900), put('comments.1.url', `${ISSUE_URL}#issuecomment-1900`)].reduce(
        (value, change) => change(value),
        whole,
      ),
    '$.comments[1].database_id must not be that of another',
  ],
  ['a control character in the parent', put('parent.canonical_url', '\u0007'), `$.parent.canonical_url ${CONTROL}`],
  ['the repository of the parent', put('parent.repository_id', 'R 2'), `$.parent.repository_id ${ID}`],
  ['the issue of the parent', put('parent.issue_id', ''), `$.parent.issue_id ${ID}`],
  ['the URL of the parent', put('parent.canonical_url', 'x'), '$.parent.canonical_url must be an issue URL'],
  ['a parent that is null', put('parent', null), '$.parent must be an object'],
]

/** What can be wrong with the bytes themselves, which is looked for before that. */
const WRONG_BYTES: readonly (readonly [reason: string, damage: (bytes: Buffer) => Buffer])[] = [
  ['too_large', (bytes) => Buffer.concat([bytes, Buffer.alloc(LIMITS.envelopeBytes, ' ')])],
  ['not_utf8', (bytes) => Buffer.concat([bytes, Buffer.from([0xff])])],
  ['byte_order_mark', (bytes) => Buffer.concat([Buffer.from([0xef, 0xbb, 0xbf]), bytes])],
  ['empty', () => Buffer.from(' \n')],
  ['duplicate_key', (bytes) => Buffer.concat([Buffer.from('{"parent":1,"parent":'), bytes, Buffer.from('}')])],
  ['trailing_content', (bytes) => Buffer.concat([bytes, bytes])],
]

describe('the first problem of an envelope', () => {
  const everything = Buffer.from(JSON.stringify(allFrom(WRONG, 'a field that is not known, at any depth', sound)))

  it.each(WRONG_BYTES)('is %s, before all later rows of this table', (reason) => {
    expect(faultOf(allFrom(WRONG_BYTES, reason, everything))?.details).toMatchObject({ reason })
  })

  it.each(WRONG)('is %s, before all later rows of this table', (name, _damage, says) => {
    const fault = faultOf(Buffer.from(JSON.stringify(allFrom(WRONG, name, sound))))
    expect(fault?.message).toContain(says)
    expect(fault?.details).toMatchObject({ problems: [expect.anything()] })
  })

  it.each(WRONG)('is found if it is the only one: %s', (_name, damage, says) => {
    expect(faultOf(Buffer.from(JSON.stringify(damage(sound))))?.message).toContain(says)
  })

  it.each(Object.keys(envelope))('may be a missing %s, which is reported at its position', (name) => {
    const { [name]: _, ...rest } = envelope as unknown as Record<string, unknown>
    expect(faultOf(Buffer.from(JSON.stringify(rest)))?.message).toContain(`$.${name} is required`)
  })
})

function faultOf(bytes: Buffer): Fault | undefined {
  return thrownFault(() => readEnvelope(bytes, { input: 'the source' }))
}

function problemOf(value: unknown): string | undefined {
  const details = thrownFault(() => read(value))?.details as { problems?: { path: string }[] } | undefined
  return details?.problems?.[0]?.path
}
