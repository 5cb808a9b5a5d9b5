import { describe, expect, it } from 'vitest'
import { commentOf, makeBundle } from '../../test/support/source-bundle.ts'
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
  /** In the order in which they are found when all are there. */
  const WRONG: readonly (readonly [string, object, string])[] = [
    ['version', { source_version: 1 }, '$.source_version'],
    ['provider', { provider: 'gitlab' }, '$.provider'],
    ['host', { host: 'example.com' }, '$.host'],
    ['repository', { repository_id: 'R 1' }, '$.repository_id'],
    ['issue', { issue_id: '' }, '$.issue_id'],
    ['number', { issue_number: 0 }, '$.issue_number'],
    ['URL', { canonical_url: 'https://github.com/a/../issues/7' }, '$.canonical_url'],
    ['time of change', { updated_at: '2026-02-30T00:00:00Z' }, '$.updated_at'],
    ['time of fetching', { fetched_at: 'now' }, '$.fetched_at'],
    ['title', { title: ' ' }, '$.title'],
    ['body', { body: 'a\u0000' }, '$.body'],
    ['labels', { labels: Array(LIMITS.labels + 1).fill('a') }, '$.labels'],
    ['comments', { comments: Array.from({ length: LIMITS.comments + 1 }, (_, at) => commentOf(at, '')) }, '$.comments'],
    ['parent', { parent: null }, '$.parent'],
  ]

  it.each(WRONG)('with a wrong %s is refused before anything that comes later is looked at', (name, change, path) => {
    const from = WRONG.findIndex(([each]) => each === name)
    const later = Object.assign({}, ...WRONG.slice(from).map(([, each]) => each), change)
    expect(problemOf({ ...envelope, ...later })).toBe(path)
  })

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

function problemOf(value: unknown): string | undefined {
  try {
    read(value)
  } catch (error) {
    if (error instanceof Fault) return (error.details as { problems?: { path: string }[] }).problems?.[0]?.path
    throw error
  }
  return undefined
}
