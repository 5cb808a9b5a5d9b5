import { describe, expect, it } from 'vitest'
import { nextPage, parseHttpAnswer, waitBeforeRetry } from './gh.ts'

describe('what gh api --include prints', () => {
  it('has a status, headers and a body', () => {
    const printed = Buffer.from('HTTP/2.0 200 OK\nEtag: "a"\r\nX-Two: b: c\r\n\r\n{"a":"\r\n\r\n"}')
    const { status, headers, body } = parseHttpAnswer(printed)
    expect([status, headers, body.toString()]).toEqual([200, { etag: '"a"', 'x-two': 'b: c' }, '{"a":"\r\n\r\n"}'])
  })

  it.each(['', '{"a":1}', 'not HTTP\r\n\r\n', 'HTTP/2.0 200'])(
    'without an answer of GitHub is all body: %j',
    (text) => {
      expect(parseHttpAnswer(Buffer.from(text))).toEqual({ status: undefined, headers: {}, body: Buffer.from(text) })
    },
  )
})

describe('the next page', () => {
  const link = (url: string, rel = 'next') => ({ link: `<https://x/first>; rel="prev", <${url}>; rel="${rel}"` })

  it.each([
    [
      'has the query of the link',
      link('https://api.github.com/repositories/1/issues?page=2&x=1'),
      '/issues?page=2&x=1',
    ],
    ['stays on the path that was asked for', link('https://evil.example/token?page=3'), '/issues?page=3'],
    ['is none after the last', link('https://api.github.com/issues?page=2', 'last'), undefined],
    ['is none without a link', {}, undefined],
    ['is none with a link that is no address', link('issues?page=2'), undefined],
  ])('%s', (_name, headers, expected) => {
    expect(nextPage('/issues?page=1&per_page=100', headers)).toBe(expected)
  })
})

describe('the wait before a request is sent again', () => {
  const refusal = { status: 200, headers: {}, failures: 1, now: 1_000_000, isRepeatable: true }
  const limited = { 'x-ratelimit-remaining': '0', 'x-ratelimit-reset': '1060' }

  it.each([
    ['none after an answer', {}, undefined],
    ['none if it is forbidden', { status: 403 }, undefined],
    ['none if it is not found', { status: 404 }, undefined],
    ['what Retry-After says', { status: 429, headers: { 'retry-after': '7' } }, 7000],
    ['also with status 403', { status: 403, headers: { 'retry-after': '7' } }, 7000],
    ['at least a second', { status: 429, headers: { 'retry-after': '0' } }, 1000],
    ['until the limit is reset', { status: 403, headers: limited }, 61_000],
    ['until the limit is reset, if that was already', { status: 403, headers: limited, now: 2_000_000 }, 1000],
    ['a minute if GitHub does not say', { status: 429 }, 60_000],
    ['twice as long the next time', { status: 429, failures: 2 }, 120_000],
    ['at most an hour', { status: 429, headers: { 'retry-after': '90000' } }, 3_600_000],
    ['for a change too, because a limit refuses it before it is done', { status: 429, isRepeatable: false }, 60_000],
    ['short after an error of the server', { status: 502 }, 2000],
    ['longer after the next one', { status: 502, failures: 3 }, 8000],
    ['none after many of them', { status: 502, failures: 4 }, undefined],
    ['none if the change may have been made', { status: 502, isRepeatable: false }, undefined],
  ])('is %s', (_name, given, expected) => {
    expect(waitBeforeRetry({ ...refusal, ...given })).toBe(expected)
  })
})
