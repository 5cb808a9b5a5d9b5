import { chmodSync, existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { NOWHERE } from '../../test/support/nowhere.ts'
import { temporaryDirectory } from '../../test/support/run-drover.ts'
import { ISSUE_URL } from '../../test/support/source-bundle.ts'
import type { Fault } from '../kit/fault.ts'
import { fetchEnvelope } from '../source/fetch-envelope.ts'
import { inspectGh, locateGh, nextPage, parseHttpAnswer, quoteGh, waitBeforeRetry } from './gh.ts'

const HEX = '0123456789abcdef0123456789abcdef01234567'

/** Forms in which gh could print a token that is not in the environment. */
const SAID = [
  ['bare', HEX],
  ['in a header of the scheme token', `Authorization: token ${HEX}`],
  ['in a header of an unknown scheme', `Authorization: Quux ${HEX}`],
  ['behind a name without a colon', `X-Token ${HEX}`],
  ['with dots', `ghs_${HEX.slice(0, 8)}.${HEX}.${HEX}`],
  ['behind something else', `oauthGHP_${HEX}`],
  ['in capitals', `GHP_${HEX.toUpperCase()}`],
] as const

describe('what gh says', () => {
  it.each(SAID)('is quoted without a token %s', (_name, words) => {
    const quoted = quoteGh(`panic: sent ${words} to api`)
    expect(quoted).toMatch(/^panic: sent .*\[redacted\] to api$/)
    expect(quoted.toLowerCase()).not.toContain(HEX.slice(0, 8))
  })

  it('may contain words of up to 19 characters, but not of 20', () => {
    expect(quoteGh(`${'x'.repeat(19)} ${'x'.repeat(20)}`)).toBe(`${'x'.repeat(19)} [redacted]`)
  })

  it('is quoted without control characters and partial characters', () => {
    expect(quoteGh('a\u001b[0m\ud800')).toBe('a?[0m\ufffd')
  })
})

/** The failure when gh ends with this code after printing these texts. */
async function failureOf(ends: { code: number; stdout: string; stderr: string }): Promise<Fault> {
  const directory = temporaryDirectory()
  writeFileSync(join(directory, 'out'), ends.stdout)
  writeFileSync(join(directory, 'err'), ends.stderr)
  writeFileSync(join(directory, 'gh'), `#!/bin/sh\ncd '${directory}'; cat out; cat err >&2; exit ${ends.code}\n`)
  chmodSync(join(directory, 'gh'), 0o755)
  const gh = locateGh({ env: { PATH: `${directory}:/usr/bin:/bin` }, cwd: directory })
  const { signal } = new AbortController()
  return await fetchEnvelope({ url: ISSUE_URL, gh, clock: { now: () => new Date(0) }, signal }).then(
    () => expect.unreachable(),
    (fault: Fault) => fault,
  )
}

const saidOf = ({ message, details }: Fault) => JSON.stringify({ message, details }).toLowerCase()

describe('a failure of gh', () => {
  it.each(SAID)('shows no token %s from stderr', async (_name, words) => {
    const fault = await failureOf({ code: 1, stdout: '', stderr: `oops: ${words}\n` })
    expect(fault.code).toBe('gh_failed')
    expect(saidOf(fault)).not.toContain(HEX.slice(0, 8))
  })

  it.each(SAID)('shows no token %s from an error of GitHub', async (_name, words) => {
    const fault = await failureOf({ code: 1, stdout: JSON.stringify({ errors: [{ message: words }] }), stderr: '' })
    expect(fault.code).toBe('gh_failed')
    expect(saidOf(fault)).not.toContain(HEX.slice(0, 8))
  })

  it('shows at most 300 characters of the message', async () => {
    const fault = await failureOf({ code: 1, stdout: '', stderr: 'ab '.repeat(200) })
    expect(fault.details).toEqual({ problem: 'ab '.repeat(100) })
  })

  it.each(SAID)('shows no token %s from the keys of an answer', async (_name, words) => {
    const fault = await failureOf({ code: 0, stdout: `{"${words}":{"a":1,"a":2}}`, stderr: '' })
    expect(fault.code).toBe('provider_answer_invalid')
    expect(saidOf(fault)).not.toContain(HEX.slice(0, 8))
  })
})

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

const findOrigin = async () => ({ owner: 'ada', repo: 'weather' })

type Script = { version?: string; login?: string; rights?: string }

/** A `gh` of which each of the three calls is a piece of shell. */
function open({ version = 'echo "gh version 2.94.0 (2026-01-20)"', login = 'exit 0', rights = 'exit 0' }: Script = {}) {
  const directory = temporaryDirectory()
  const log = join(directory, 'log')
  const cases = `--version) ${version};;\nauth) ${login};;\napi) ${rights};;`
  writeFileSync(join(directory, 'gh'), `#!/bin/sh\necho "$@" >> '${log}'\ncase "$1" in\n${cases}\nesac\n`, {
    mode: 0o755,
  })
  const gh = locateGh({ env: { PATH: `${directory}:/usr/bin:/bin` }, cwd: directory })
  const inspect = (over: { isOffline?: boolean; findOrigin?: () => Promise<undefined> } = {}) =>
    inspectGh(gh, { findOrigin, isOffline: false, signal: new AbortController().signal, ...over })
  const calls = () => (existsSync(log) ? readFileSync(log, 'utf8').trim().split('\n').toSorted() : [])
  return { inspect, calls }
}

const says = (rights: unknown) => ({ rights: `echo '${JSON.stringify(rights)}'` })

describe('inspecting gh', () => {
  it('asks for its version, its login and its permissions', async () => {
    const { inspect, calls } = open(says({ pull: true, triage: true, push: true, maintain: false, admin: false }))
    expect(await inspect()).toEqual({
      version: [2, 94, 0],
      isLoggedIn: true,
      rights: { repository: 'ada/weather', allows: { read: true, triage: true, write: true } },
    })
    expect(calls()).toEqual([
      '--version',
      'api --hostname github.com repos/ada/weather --jq .permissions',
      'auth status --hostname github.com',
    ])
  })

  it.each([
    ['pull', { read: true, triage: false, write: false }],
    ['triage', { read: false, triage: true, write: false }],
    ['push', { read: false, triage: true, write: true }],
    ['maintain', { read: false, triage: true, write: true }],
    ['admin', { read: false, triage: true, write: true }],
  ])('reads the single permission %s', async (name, allows) => {
    expect((await open(says({ [name]: true, other: false })).inspect())?.rights?.allows).toEqual(allows)
  })

  it.each([['exit 1'], ['echo no JSON'], ['echo null'], ['echo []'], ['echo {}'], [`echo '{"pull":"yes"}'`], ['yes']])(
    'reports no permissions for %s',
    async (rights) => {
      expect((await open({ rights }).inspect())?.rights).toEqual({ repository: 'ada/weather', allows: undefined })
    },
  )

  it('asks for no permissions without a login or without a repository', async () => {
    expect(await open({ login: 'exit 1' }).inspect()).toMatchObject({ isLoggedIn: false, rights: undefined })
    expect(await open().inspect({ findOrigin: async () => undefined })).toMatchObject({
      isLoggedIn: true,
      rights: undefined,
    })
  })

  it('makes no network requests if told not to', async () => {
    const { inspect, calls } = open()
    expect(await inspect({ isOffline: true })).toMatchObject({ isLoggedIn: undefined, rights: undefined })
    expect(calls()).toEqual(['--version'])
  })

  it.each([
    ['echo "gh version v2.94.0, of today"', [2, 94, 0]],
    ['echo "gh version 2.93.1 (2026-01-01)"', [2, 93, 1]],
    ['echo "gh version 2.94.0-rc.1"', undefined],
    ['echo "gh version DEV"', undefined],
    ['echo 2.94.0; exit 1', undefined],
  ])('finds the version in its output: %s', async (version, found) => {
    expect((await open({ version }).inspect())?.version).toEqual(found)
  })

  it('returns undefined if gh is not installed', async () => {
    const gh = locateGh({ env: { PATH: NOWHERE }, cwd: '/' })
    const { signal } = new AbortController()
    expect(await inspectGh(gh, { findOrigin, isOffline: false, signal })).toBeUndefined()
  })
})
