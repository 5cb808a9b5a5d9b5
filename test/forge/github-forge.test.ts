/** The real `gh` against the fake forge: what it sends, and what drover reads from the answers. */
import { describe, expect, it } from 'vitest'
import { locateGh } from '../../src/forge/gh.ts'
import { GitHub } from '../../src/forge/github-forge.ts'
import { type FakeForge, hasForge, startForge } from '../support/forge/fake-forge.ts'
import { IS_FULL } from '../support/full-counts.ts'
import { createRepository } from '../support/temporary-repository.ts'

const PAGES = IS_FULL ? 50 : 3
const REPOSITORY = { host: 'github.com', owner: 'ada', repo: 'weather' }

/** With a branch `work` that is one commit ahead of `main`. */
async function openForge({ patienceMs = 20_000, repository = REPOSITORY, env = {} } = {}) {
  const fake = await startForge()
  const { root, git, write, commit } = createRepository()
  write('wind.txt', 'wind: 12\n')
  commit()
  git('push', '--quiet', fake.bare, 'HEAD:refs/heads/main')
  fake.git('branch', 'work', 'main')
  const head = fake.pushFiles('work', { 'wind.txt': 'wind: 23 knots\n' })
  const gh = locateGh({ env: { ...fake.env, ...env }, cwd: root }, repository.host)
  const { signal } = new AbortController()
  return { fake, head, forge: new GitHub({ repository, gh, signal, patienceMs }) }
}

const paths = ({ requests }: FakeForge) => requests.map(({ method, path }) => `${method} ${path}`)

describe.runIf(hasForge)('GitHub through the real gh', { timeout: 300_000 }, () => {
  it('has issues with who set the label, and comments that can be changed', async () => {
    const { fake, forge } = await openForge()
    const { number } = fake.addIssue('Wind', 'In knots.')
    fake.label(number, 'drover', 'grace')
    expect(await forge.issuesWith('drover')).toMatchObject([
      { number, title: 'Wind', author: 'ada', labels: ['drover'] },
    ])
    expect(await forge.labelings(number)).toMatchObject([{ label: 'drover', by: 'grace' }])
    expect(await Promise.all(['ada', 'grace', 'eve'].map((who) => forge.permissionOf(who)))).toEqual([
      'admin',
      'write',
      'read',
    ])
    expect(await forge.viewer()).toBe('drover-bot')
    const { id } = await forge.comment(number, 'I am on it: @ada')
    await forge.editComment(id, 'done')
    expect(await forge.comments(number)).toMatchObject([{ id, author: 'drover-bot', body: 'done', on: number }])
    expect(await forge.commentsSince('2020-01-01T00:00:00Z')).toMatchObject([{ id }])
    await forge.deleteComment(id)
    await forge.deleteComment(id)
    expect(await forge.comments(number)).toEqual([])
    await forge.removeLabel(number, 'drover')
    await forge.removeLabel(number, 'drover')
    await forge.addLabel(number, 'a b/c')
    expect(fake.items.get(number)?.labels).toEqual(['a b/c'])
  })

  it('has a pull request with checks, reviews and threads', async () => {
    const { fake, forge, head } = await openForge()
    expect(await forge.findPullRequest('work')).toBeUndefined()
    const opened = await forge.openPullRequest({ branch: 'work', base: 'main', title: 'Wind', body: 'text' })
    const { number } = opened
    expect(opened).toMatchObject({ state: 'open', isDraft: true, head: { commit: head }, base: { branch: 'main' } })
    expect((await forge.findPullRequest('work'))?.number).toBe(number)
    fake.required = ['test']
    fake.ci = () => [
      { name: 'test', conclusion: 'failure', log: 'expected 1\ngot 2\n' },
      { name: 'lint', conclusion: null },
    ]
    const base = await forge.branch('main')
    const checks = await forge.checks(head, base?.required ?? [])
    expect(checks.map(({ name, state, isRequired }) => [name, state, isRequired])).toEqual([
      ['test', 'failed', true],
      ['lint', 'running', false],
    ])
    expect(await forge.outputOf(checks[0] ?? { output: { text: '' } })).toBe('expected 1\ngot 2\n')
    const threads = [1, 2, 3].map(
      (line) => fake.addLineComment(number, 'grace', `line ${line}`, { path: 'wind.txt', line }).id,
    )
    fake.resolved.add(threads[2] ?? 0)
    await forge.reply(number, threads[0] ?? 0, 'changed')
    expect(
      (await forge.reviewComments(number)).map(({ thread, body, isResolved }) => [thread, body, isResolved]),
    ).toEqual([
      [threads[0], 'line 1', false],
      [threads[1], 'line 2', false],
      [threads[2], 'line 3', true],
      [threads[0], 'changed', false],
    ])
    fake.addReview(number, 'grace', 'CHANGES_REQUESTED', 'please')
    expect(await forge.reviews(number)).toMatchObject([{ author: 'grace', state: 'changes_requested', commit: head }])
    await forge.editPullRequest(number, { body: 'another text' })
    await forge.markReady(number)
    const mergeCommit = fake.merge(number)
    fake.git('update-ref', '-d', 'refs/heads/work')
    const merged = { state: 'merged', isDraft: false, body: 'another text', mergeCommit, head: { commit: head } }
    expect(await forge.pullRequest(number)).toMatchObject(merged)
    expect(await forge.branch('work')).toBeUndefined()
  })

  it(`reads ${PAGES} pages, and asks for what has changed only`, async () => {
    const { fake, forge } = await openForge()
    const { number } = fake.addIssue('Wind')
    for (let count = 0; count < 100 * PAGES - 99; count++) fake.addComment(number, 'ada', `comment ${count}`)
    expect(await forge.comments(number)).toHaveLength(100 * PAGES - 99)
    expect(fake.requests).toHaveLength(PAGES)
    fake.requests.length = 0
    fake.addComment(number, 'ada', 'one more')
    expect((await forge.comments(number)).at(-1)?.body).toBe('one more')
    expect(fake.requests.filter(({ isConditional }) => isConditional)).toHaveLength(PAGES)
  })

  it.runIf(IS_FULL)(
    'waits for a limit if that is not too long, and repeats no change that may have been made',
    async () => {
      const { fake, forge } = await openForge({ patienceMs: 60_000 })
      const { number } = fake.addIssue('Wind')
      const refusals = [{ status: 429, headers: { 'retry-after': '1' } }]
      fake.refuse = () => refusals.shift()
      expect(await forge.comments(number)).toEqual([])
      expect(fake.requests).toHaveLength(2)
      fake.requests.length = 0
      fake.refuse = () => ({ status: 403, headers: { 'retry-after': '3000' } })
      await expect(forge.comments(number)).rejects.toMatchObject({ code: 'provider_rate_limited' })
      fake.refuse = () => ({ status: 502 })
      await expect(forge.comment(number, 'once')).rejects.toMatchObject({ code: 'provider_unreachable' })
      expect(paths(fake)).toHaveLength(2)
    },
  )

  it.runIf(IS_FULL)(
    'reads a slow answer, a huge comment, the end of a huge log, and the oldest of very many issues',
    async () => {
      const { fake, forge, head } = await openForge()
      const { number } = fake.addIssue('Wind', '')
      fake.addComment(number, 'eve', 'x'.repeat(10 * 1024 * 1024))
      expect((await forge.comments(number))[0]?.body).toHaveLength(10 * 1024 * 1024)
      const issue = fake.items.get(number)
      for (let more = 0; issue !== undefined && more < (IS_FULL ? 100_000 : 2000); more++)
        fake.items.set(more + 2, { ...issue, number: more + 2, labels: ['drover'] })
      fake.requests.length = 0
      const found = await forge.issuesWith('drover')
      expect([found.length, found[0]?.number, fake.requests.length]).toEqual([1000, 2, 10])
      const lines = 'a line of the log\n'.repeat(2 ** 21)
      fake.ci = () => [{ name: 'test', conclusion: 'failure', log: `${lines}the last line\n` }]
      const [check = { output: { text: '' } }] = await forge.checks(head, [])
      const log = await forge.outputOf(check)
      expect([lines.length > 32 * 2 ** 20, log.length < 2 ** 21, log.endsWith('\nthe last line\n')]).toEqual([
        ...[true, true, true],
      ])
      fake.isSlow = true
      expect(await forge.permissionOf('grace')).toBe('write')
    },
  )

  it.runIf(IS_FULL)('on another host gets the token for that host only', async () => {
    const repository = { ...REPOSITORY, host: 'forge.test' }
    const token = { GH_ENTERPRISE_TOKEN: 'x' }
    const known = await openForge({ repository, env: { ...token, GH_HOST: 'forge.test' } })
    expect(await known.forge.defaultBranch()).toBe('main')
    const unknown = await openForge({ repository, env: token })
    await expect(unknown.forge.defaultBranch()).rejects.toMatchObject({ code: 'provider_login_required' })
    expect(unknown.fake.requests).toMatchObject([{ token: undefined }])
  })
})
