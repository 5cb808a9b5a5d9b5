import { describe, expect, it } from 'vitest'
import { installFakeGh, toFakeGitHub } from '../../test/support/fake-gh.ts'
import { temporaryDirectory } from '../../test/support/run-drover.ts'
import { ISSUE_URL, makeBundle } from '../../test/support/source-bundle.ts'
import { locateGh } from '../forge/gh.ts'
import { fetchComments } from './fetch-envelope.ts'

const bundle = makeBundle()
const urls = bundle.comments.map(({ url }) => url)
const [first = '', second = ''] = urls

function open(htmlUrl?: string) {
  const directory = temporaryDirectory()
  const { comments } = toFakeGitHub(bundle)
  const { bin, calls } = installFakeGh(directory, {
    comments: comments.map((comment) => ({ ...comment, url: htmlUrl ?? comment.url })),
  })
  const gh = locateGh({ env: { PATH: `${bin}:/usr/bin:/bin` }, cwd: directory })
  const { signal } = new AbortController()
  return { calls, fetch: (named: readonly string[]) => fetchComments(named, { gh, signal }) }
}

const otherIssue = (url: string) => ({ code: 'issue_comment_unusable', details: { url, reason: 'other_issue' } })

describe('fetching comments', () => {
  it('returns them in the order of the URLs', async () => {
    const fetched = await open().fetch([second, first])
    expect(fetched.map(({ url }) => url)).toEqual([second, first])
  })

  it('only reads: every call is a GET', async () => {
    const { fetch, calls } = open()
    await fetch([first])
    const path = 'repos/ada/weather/issues/comments/1900'
    expect(calls().map(({ args }) => args)).toEqual([
      ['api', '--include', '--hostname', 'github.com', path, '--method', 'GET'],
    ])
  })

  it('ignores the case of owner and repository names', async () => {
    const loud = second.replace('ada/weather', 'Ada/WEATHER')
    expect(await open().fetch([first, loud])).toHaveLength(2)
  })

  it('sends no request if the URLs name different issues', async () => {
    const stray = second.replace('issues/7', 'issues/8')
    const { fetch, calls } = open()
    await expect(fetch([first, stray])).rejects.toMatchObject(otherIssue(stray))
    expect(calls()).toEqual([])
  })

  it.each([
    ['another issue', `${ISSUE_URL}1#issuecomment-1900`],
    ['another repository', 'https://github.com/ada/climate/issues/7#issuecomment-1900'],
    ['a pull request', 'https://github.com/ada/weather/pull/7#issuecomment-1900'],
  ])('refuses a comment that belongs to %s', async (_name, htmlUrl) => {
    await expect(open(htmlUrl).fetch([first])).rejects.toMatchObject(otherIssue(first))
  })
})
