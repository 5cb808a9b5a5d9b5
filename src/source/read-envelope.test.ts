import { describe, expect, it } from 'vitest'
import { allFrom, putInto } from '../../test/support/damage.ts'
import { commentOf, ISSUE_URL, makeBundle } from '../../test/support/source-bundle.ts'
import { LIMITS } from '../contract/limits.ts'
import { Fault } from '../kit/fault.ts'
import { readEnvelope } from './read-envelope.ts'

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

  it('is read up to its limit of bytes, and no further', () => {
    const text = JSON.stringify(envelope)
    expect(read(text.padEnd(LIMITS.envelopeBytes))).toEqual(envelope)
    expect(() => read(text.padEnd(LIMITS.envelopeBytes + 1))).toThrow(
      'it has 16777217 bytes and may have at most 16777216',
    )
  })

  it('may be one text of that size, of whatever characters', () => {
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

  it('that is no strict JSON is refused with the place', () => {
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
  ['a control character in the body', put('body', 'a\u0000'), `$.body ${CONTROL} but tabs and line ends`],
  ['the provider', put('provider', 'gitlab'), '$.provider must be "github"'],
  ['the host', put('host', 'example.com'), '$.host must be "github.com"'],
  ['the repository', put('repository_id', 'R 1'), `$.repository_id ${ID}`],
  ['the issue', put('issue_id', ''), `$.issue_id ${ID}`],
  ['the number', put('issue_number', 0), '$.issue_number must be at least 1'],
  ['a blank title', put('title', ' '), '$.title must be text that is not blank'],
  ['the time of change', put('updated_at', '2026-02-30T00:00:00Z'), `$.updated_at ${TIME}`],
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

describe('the first thing that is wrong with an envelope', () => {
  const everything = Buffer.from(JSON.stringify(allFrom(WRONG, 'a field that is not known, at any depth', sound)))

  it.each(WRONG_BYTES)('is %s, before what comes later in this table', (reason) => {
    expect(faultOf(allFrom(WRONG_BYTES, reason, everything)).details).toMatchObject({ reason })
  })

  it.each(WRONG)('is %s, before what comes later in this table', (name, _damage, says) => {
    const { message, details } = faultOf(Buffer.from(JSON.stringify(allFrom(WRONG, name, sound))))
    expect(message).toContain(says)
    expect((details as { problems: unknown[] }).problems).toHaveLength(1)
  })

  it.each(WRONG)('is found where it is the only one: %s', (_name, damage, says) => {
    expect(faultOf(Buffer.from(JSON.stringify(damage(sound)))).message).toContain(says)
  })

  it.each(Object.keys(envelope))('may be that there is no %s, which is told in its place', (name) => {
    const { [name]: _, ...rest } = envelope as unknown as Record<string, unknown>
    expect(faultOf(Buffer.from(JSON.stringify(rest))).message).toContain(`$.${name} is required`)
  })
})

function faultOf(bytes: Buffer): Fault {
  try {
    readEnvelope(bytes, { input: 'the source' })
  } catch (error) {
    if (error instanceof Fault) return error
    throw error
  }
  throw new Error('it was read')
}

function problemOf(value: unknown): string | undefined {
  try {
    read(value)
  } catch (error) {
    if (error instanceof Fault) return (error.details as { problems?: { path: string }[] }).problems?.[0]?.path
    throw error
  }
  return undefined
}
