import { describe, expect, it } from 'vitest'
import { type FakeGitHub, installFakeGh, toFakeGitHub } from '../../test/support/fake-gh.ts'
import { NOWHERE } from '../../test/support/nowhere.ts'
import { temporaryDirectory } from '../../test/support/run-drover.ts'
import { commentOf, ISSUE_URL, makeBundle, ROLES } from '../../test/support/source-bundle.ts'
import { LIMITS } from '../contract/limits.ts'
import { locateGh } from '../forge/gh.ts'
import { Fault } from '../kit/fault.ts'
import { fetchEnvelope } from './fetch-envelope.ts'
import { readSource } from './read-source.ts'

const NOW = '2026-01-31T11:00:00.000Z'
const clock = { now: () => new Date(NOW) }
const TOKEN = 'a-token-of-no-known-form'

type Wishes = { env?: Record<string, string>; timeoutMs?: number; url?: string; signal?: AbortSignal }

function open(github: FakeGitHub, wishes: Wishes = {}) {
  const directory = temporaryDirectory()
  const { bin, calls } = installFakeGh(directory, github)
  const env = { PATH: `${bin}:/usr/bin:/bin`, GH_TOKEN: TOKEN, ...wishes.env }
  const gh = { ...locateGh({ env, cwd: directory }), ...(wishes.timeoutMs && { timeoutMs: wishes.timeoutMs }) }
  const signal = wishes.signal ?? new AbortController().signal
  return { calls, fetch: () => fetchEnvelope({ url: wishes.url ?? ISSUE_URL, gh, clock, signal }) }
}

async function faultOf(github: FakeGitHub, wishes: Wishes = {}): Promise<Fault> {
  const error = await open(github, wishes)
    .fetch()
    .then(
      () => undefined,
      (thrown) => thrown,
    )
  if (!(error instanceof Fault)) throw new Error(`no fault, but ${error}`)
  return error
}

const bundle = makeBundle({ envelope: { fetched_at: NOW } })
const github = toFakeGitHub(bundle)

describe('fetching an issue', () => {
  it('returns its envelope', async () => {
    expect(await open(github).fetch()).toEqual(bundle)
  })

  it('includes the parent issue', async () => {
    const parent = { repository_id: 'R_2', issue_id: 'I_2', canonical_url: 'https://github.com/ada/plans/issues/1' }
    const envelope = await open(toFakeGitHub({ ...bundle, parent })).fetch()
    expect(envelope.parent).toEqual(parent)
  })

  it('uses the current URL of the issue', async () => {
    const { issue, comments } = github
    const moved = (url: string) => url.replace('weather', 'climate')
    const renamed = { ...issue, url: moved(issue.url) }
    const answer = { issue: renamed, comments: comments.map((each) => ({ ...each, url: moved(each.url) })) }
    const envelope = await open(answer, { url: moved(ISSUE_URL) }).fetch()
    expect(envelope.canonical_url).toBe(moved(ISSUE_URL))
  })

  it('requests only the comments that the manifest names, page by page', async () => {
    const drafts = Array.from({ length: LIMITS.mostSections }, (_, at) => {
      return { key: `k${at}`, role: ROLES[at % 5] ?? 'outcome', title: 'T', text: 'x' } as const
    })
    const large = makeBundle({ sections: drafts, envelope: { fetched_at: NOW } })
    const full = toFakeGitHub({ ...large, comments: [...large.comments, commentOf(99, 'Nice!')] })
    const { fetch, calls } = open(full)
    expect(await fetch()).toEqual(large)
    const pages = calls().map(({ variables }) => variables?.['ids'] as string[] | undefined)
    expect(pages.map((ids) => ids?.length)).toEqual([undefined, 16, 16, 16, 16])
    expect(pages.flat()).not.toContain('IC_99')
  })

  it('only reads: every call is a query or a GET', async () => {
    const { fetch, calls } = open(github)
    await fetch()
    expect(calls()).toHaveLength(2)
    for (const { args, query } of calls()) {
      expect(args).toEqual(['api', '--include', '--hostname', 'github.com', 'graphql', '--input', '-'])
      expect(query).toMatch(/^query\(/)
    }
  })

  it('passes gh its token, but no settings of drover', async () => {
    const { fetch, calls } = open(github, {
      env: { DROVER_API_KEYS: 'secret', GH_DEBUG: 'api', GH_HOST: 'example.com' },
    })
    const envelope = await fetch()
    const [{ names } = { names: [] }] = calls()
    expect(names).toContain('GH_TOKEN')
    expect(names).not.toContain('DROVER_API_KEYS')
    expect(names).not.toContain('GH_DEBUG')
    expect(names).not.toContain('GH_HOST')
    expect(JSON.stringify(envelope)).not.toContain(TOKEN)
  })
})

describe('an issue that cannot be pinned', () => {
  it.each([
    ['without a marker', 'Just a bug.', 'change_marker_required'],
    ['with an invalid manifest', makeBundle({ manifest: { profile: 'x' } }).body, 'source_manifest_invalid'],
  ])('%s is fetched without its comments', async (_name, body, code) => {
    const { fetch, calls } = open(toFakeGitHub({ ...bundle, body }))
    const envelope = await fetch()
    expect(envelope.comments).toEqual([])
    expect(readSource(envelope)).toMatchObject({ code })
    expect(calls()).toHaveLength(1)
  })

  it('because a comment was deleted is fetched without it', async () => {
    const [, ...comments] = github.comments
    const envelope = await open({ ...github, comments }).fetch()
    expect(envelope.comments).toHaveLength(4)
    expect(readSource(envelope)).toMatchObject({ code: 'source_section_missing' })
  })

  it('because a section is not a comment is fetched without it', async () => {
    const envelope = await open({ ...github, others: ['IC_0'] }).fetch()
    expect(readSource(envelope)).toMatchObject({ code: 'source_section_missing' })
  })

  it('because a comment is hidden is reported with that reason', async () => {
    const comments = github.comments.map((each) => ({ ...each, isMinimized: true }))
    expect(readSource(await open({ ...github, comments }).fetch())).toMatchObject({ code: 'source_section_minimized' })
  })
})

describe('a failure of GitHub', () => {
  it.each([
    ['logged_out', 'provider_login_required'],
    ['logged_out_silently', 'provider_login_required'],
    ['bad_credentials', 'provider_login_required'],
    ['rate_limited', 'provider_rate_limited'],
    ['secondary_limit', 'provider_rate_limited'],
    ['forbidden', 'provider_forbidden'],
    ['single_sign_on', 'provider_forbidden'],
    ['offline', 'provider_unreachable'],
    ['bad_gateway', 'provider_unreachable'],
    ['garbage', 'provider_answer_invalid'],
    ['half', 'provider_answer_invalid'],
    ['nothing', 'provider_answer_invalid'],
    ['other_shape', 'provider_answer_invalid'],
    ['null_repository', 'provider_answer_invalid'],
    ['flood', 'provider_answer_invalid'],
    ['unknown', 'gh_failed'],
    ['unknown_error', 'gh_failed'],
    ['unknown_partial_error', 'gh_failed'],
  ] as const)('of the kind %s is %s', async (failure, code) => {
    expect((await faultOf({ failure })).code).toBe(code)
  })

  const ADVICE = 'run "gh api user" and fix that first'

  it.each([
    ['by gh', 'unknown', `gh failed: panic: token is [redacted] and [redacted]; ${ADVICE}`],
    ['by GitHub', 'unknown_error', `gh failed: Too much was asked for; ${ADVICE}`],
    ['by GitHub alone', 'unknown_partial_error', `gh failed: Something went wrong for [redacted]; ${ADVICE}`],
  ] as const)('is reported with the first line printed %s, without any token', async (_name, failure, says) => {
    expect((await faultOf({ failure })).message).toBe(says)
  })

  it('reports why access is denied', async () => {
    expect((await faultOf({ failure: 'forbidden' })).message).toContain(
      `${ISSUE_URL} (Resource not accessible by personal access token); give its token`,
    )
  })

  it.each([1, 2, 4])('in any page fails the whole fetch: after %i calls', async (failureAfter) => {
    const drafts = Array.from({ length: LIMITS.mostSections }, (_, at) => {
      return { key: `k${at}`, role: ROLES[at % 5] ?? 'outcome', title: 'T', text: 'x' } as const
    })
    const answers = toFakeGitHub(makeBundle({ sections: drafts }))
    const { fetch, calls } = open({ ...answers, failure: 'rate_limited', failureAfter })
    await expect(fetch()).rejects.toMatchObject({ code: 'provider_rate_limited' })
    expect(calls()).toHaveLength(failureAfter + 1)
  })

  it('is reported when the issue does not exist', async () => {
    expect((await faultOf({})).message).toBe(
      `issue ${ISSUE_URL} does not exist, or this account may not see it; check the URL and "gh auth status"`,
    )
  })

  it('is reported when gh is not installed', async () => {
    const gh = locateGh({ env: { PATH: NOWHERE }, cwd: '/' })
    const signal = new AbortController().signal
    await expect(fetchEnvelope({ url: ISSUE_URL, gh, clock, signal })).rejects.toMatchObject({ code: 'gh_missing' })
  })

  it('is reported when gh cannot be run', async () => {
    const gh = { ...locateGh({ env: {}, cwd: '/' }), program: '/dev/null' }
    const signal = new AbortController().signal
    await expect(fetchEnvelope({ url: ISSUE_URL, gh, clock, signal })).rejects.toMatchObject({ code: 'gh_failed' })
  })

  it('ends a call that takes too long', async () => {
    expect((await faultOf({ failure: 'slow' }, { timeoutMs: 300 })).code).toBe('gh_timeout')
  })

  it('stops when it is aborted', async () => {
    const controller = new AbortController()
    setTimeout(() => controller.abort(), 300)
    expect((await faultOf({ failure: 'slow' }, { signal: controller.signal })).code).toBe('gh_interrupted')
  })
})

describe('an answer that does not fit into an envelope', () => {
  const [first, ...others] = github.comments
  if (first === undefined) throw new Error('there are comments')
  const { issue } = github

  it.each<[string, FakeGitHub, string, string]>([
    [
      'a comment of another issue',
      { issue, comments: [{ ...first, issue: { id: 'I_2' } }, ...others] },
      'issue_comment_unusable',
      'belongs to another issue',
    ],
    [
      'a comment without an author',
      { issue, comments: [{ ...first, author: null }, ...others] },
      'issue_comment_unusable',
      "its author's account was deleted",
    ],
    [
      'a comment at another URL',
      { issue, comments: [{ ...first, url: `${ISSUE_URL}#issuecomment-1` }, ...others] },
      'provider_answer_invalid',
      '$.comments[0].url must be',
    ],
    [
      'a comment without a number',
      { issue, comments: [{ ...first, fullDatabaseId: 'x' }, ...others] },
      'provider_answer_invalid',
      '$.data.nodes[0].fullDatabaseId',
    ],
    [
      'a control character',
      { issue: { ...issue, body: 'a\u0008' } },
      'provider_answer_invalid',
      '$.body must be text without control characters',
    ],
    [
      'a blank title',
      { issue: { ...issue, title: ' ' }, comments: github.comments },
      'provider_answer_invalid',
      '$.title must be',
    ],
    [
      'labels past the most',
      { issue: { ...issue, labels: { totalCount: 101, nodes: [] } } },
      'issue_too_large',
      'has 101 labels; at most 100',
    ],
    [
      'bytes past the most',
      { issue: { ...issue, body: 'x'.repeat(LIMITS.envelopeBytes) } },
      'issue_too_large',
      'at most 16777216',
    ],
  ])('%s is refused', async (_name, answer, code, says) => {
    expect(await faultOf(answer)).toMatchObject({ code, message: expect.stringContaining(says) })
  })

  it('may have as many labels as the limit', async () => {
    const labels = { totalCount: 100, nodes: Array(100).fill({ name: 'a' }) }
    expect((await open({ ...github, issue: { ...issue, labels } }).fetch()).labels).toHaveLength(100)
  })

  it('may have no labels at all', async () => {
    expect((await open({ ...github, issue: { ...issue, labels: null } }).fetch()).labels).toEqual([])
  })
})

describe('the URL of an issue', () => {
  it.each([
    ['https://github.com/ada/weather/issues/7/', 'did you mean https://github.com/ada/weather/issues/7?'],
    ['http://github.com/ada/weather/issues/7', 'did you mean https://github.com/ada/weather/issues/7?'],
    ['https://github.com/ada/weather/issues/7#issuecomment-1', 'did you mean https://github.com/ada/weather/issues/7?'],
    ['https://github.com/ada/weather/pull/7', 'use a URL such as https://github.com/OWNER/REPO/issues/7'],
    ['https://gitlab.com/ada/weather/issues/7', 'use a URL such as'],
    ['https://github.com/ada/../issues/7', 'use a URL such as'],
    ['https://github.com/ada/weather/issues/2147483648', 'use a URL such as'],
    ['7', 'use a URL such as'],
  ])('is not %s', async (url, says) => {
    expect(await faultOf(github, { url })).toMatchObject({
      code: 'issue_url_invalid',
      message: expect.stringContaining(says),
    })
  })

  it('may have the largest number', async () => {
    expect((await faultOf(github, { url: 'https://github.com/ada/weather/issues/2147483647' })).code).toBe(
      'issue_not_found',
    )
  })
})
