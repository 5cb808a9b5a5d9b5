/** GitHub behind the interface of a forge, through `gh api`: REST, and GraphQL only for what REST does not have. */
import { Fault } from '../kit/fault.ts'
import type { JsonValue } from '../kit/json-value.ts'
import { checker, type Validate } from '../kit/schema.ts'
import { askForPage, askProvider, openProvider, type Page, type Provider } from './ask-provider.ts'
import * as checks from './checks.generated.js'
import { issueNotFound, providerAnswerInvalid } from './faults.ts'
import type { Forge, ForgeCheck, ForgeRepository } from './forge.ts'
import { type Gh, nextPage } from './gh.ts'
import type * as answers from './github-answers.shape.ts'
import * as read from './read-github.ts'

const PAGE = 'per_page=100'
/** Of the issues with a label: 1,000 of them keep drover busy for a while. */
const LABELED_PAGES = 10

const VIEWER_QUERY = 'query { viewer { login } }'
/** A new title is an event, and a new text is not. */
const EDIT_QUERY = `query($owner: String!, $repo: String!, $number: Int!) {
  repository(owner: $owner, name: $repo) {
    issue(number: $number) {
      lastEditedAt editor { login }
      timelineItems(itemTypes: [RENAMED_TITLE_EVENT], last: 1) { nodes { ... on RenamedTitleEvent { createdAt actor { login } } } }
    }
  }
}`
/** The first comment of a thread is enough to know the thread. */
const THREADS_QUERY = `query($owner: String!, $repo: String!, $number: Int!, $after: String) {
  repository(owner: $owner, name: $repo) {
    pullRequest(number: $number) {
      reviewThreads(first: 100, after: $after) {
        pageInfo { hasNextPage endCursor }
        nodes { isResolved comments(first: 1) { nodes { databaseId } } }
      }
    }
  }
}`
const READY_MUTATION = `mutation($id: ID!) {
  markPullRequestReadyForReview(input: { pullRequestId: $id }) { clientMutationId }
}`

export class GitHub implements Forge {
  readonly repository: ForgeRepository
  readonly #api: GitHubApi
  #viewer: string | undefined

  constructor(options: GitHubOptions) {
    this.repository = options.repository
    this.#api = new GitHubApi(options)
  }

  /** A token has one account. */
  async viewer() {
    this.#viewer ??= (
      await this.#api.ask<answers.ViewerAnswer>(VIEWER_QUERY, {}, checks.validateViewerAnswer)
    ).data.viewer.login
    return this.#viewer
  }

  async permissionOf(login: string) {
    const path = `/collaborators/${encodeURIComponent(login)}/permission`
    const wanted = { path, validate: checks.validatePermissionAnswer, subject: `${login} in ${this.#api.name}` }
    return read.permission(await orMissing(this.#api.get<answers.PermissionAnswer>(wanted)))
  }

  async defaultBranch() {
    const wanted = { path: '', validate: checks.validateRepositoryAnswer, subject: this.#api.name }
    return (await this.#api.get<answers.RepositoryAnswer>(wanted)).default_branch
  }

  async branch(name: string) {
    const [path, subject] = [encodeURIComponent(name), `the branch ${name} of ${this.#api.name}`]
    const wanted = { path: `/branches/${path}`, validate: checks.validateBranchAnswer, subject }
    const found = await orMissing(this.#api.get<answers.BranchAnswer>(wanted))
    if (found === undefined) return undefined
    const rules = { path: `/rules/branches/${path}?${PAGE}`, validate: checks.validateRulesAnswer, subject }
    const applied = (await orMissing(this.#api.getAll<answers.RulesAnswer>(rules))) ?? []
    return { commit: found.commit.sha, required: read.requiredChecks(found, applied.flat()) }
  }

  async issuesWith(label: string) {
    const path = `/issues?labels=${encodeURIComponent(label)}&state=open&sort=created&direction=asc&${PAGE}`
    const wanted = { path, validate: checks.validateLabeledAnswer, subject: `the issues of ${this.#api.name}` }
    const found = (await this.#api.getAll<answers.LabeledAnswer>(wanted, LABELED_PAGES)).flat()
    return found.filter(({ pull_request }) => pull_request === undefined).map(read.issue)
  }

  async issue({ number, url }: { number: number; url: string }) {
    const wanted = {
      ...{ path: `/issues/${number}`, validate: checks.validateOneIssueAnswer, subject: this.#numbered(number) },
    }
    const found = await orMissing(this.#api.get<answers.OneIssueAnswer>(wanted))
    // GitHub answers with the issue of another repository if it was transferred.
    return found?.html_url === url ? { ...read.issue(found), isOpen: found.state === 'open' } : undefined
  }

  async labelings(issue: number) {
    const path = `/issues/${issue}/events?${PAGE}`
    const wanted = { path, validate: checks.validateEventsAnswer, subject: this.#numbered(issue) }
    return (await this.#api.getAll<answers.EventsAnswer>(wanted)).flat().flatMap(read.labeling)
  }

  async lastEdit(issue: number) {
    const { owner, repo } = this.repository
    const variables = { owner, repo, number: issue }
    return read.lastEdit(await this.#api.ask<answers.EditAnswer>(EDIT_QUERY, variables, checks.validateEditAnswer))
  }

  async addLabel(issue: number, label: string) {
    await this.#api.change('POST', `/issues/${issue}/labels`, { labels: [label] })
  }

  async removeLabel(issue: number, label: string) {
    await orMissing(this.#api.change('DELETE', `/issues/${issue}/labels/${encodeURIComponent(label)}`))
  }

  async comments(on: number) {
    return await this.#comments(`/issues/${on}/comments?${PAGE}`, this.#numbered(on))
  }

  async commentsSince(moment: string) {
    const path = `/issues/comments?since=${encodeURIComponent(moment)}&sort=updated&direction=asc&${PAGE}`
    return await this.#comments(path, `the comments of ${this.#api.name}`)
  }

  async comment(on: number, body: string) {
    const posted = await this.#api.change('POST', `/issues/${on}/comments`, { body })
    return read.comment(checker<answers.PostedAnswer>('answer', checks.validatePostedAnswer)(posted))
  }

  async editComment(id: number, body: string) {
    await this.#api.change('PATCH', `/issues/comments/${id}`, { body })
  }

  async deleteComment(id: number) {
    await orMissing(this.#api.change('DELETE', `/issues/comments/${id}`))
  }

  async findPullRequest(branch: string) {
    const head = encodeURIComponent(`${this.repository.owner}:${branch}`)
    const path = `/pulls?state=open&head=${head}&${PAGE}`
    const wanted = { path, validate: checks.validatePullsAnswer, subject: `the pull requests of ${this.#api.name}` }
    const [found] = await this.#api.get<answers.PullsAnswer>(wanted)
    return found && read.pullRequest(found)
  }

  async openPullRequest({ branch, ...draft }: { branch: string; base: string; title: string; body: string }) {
    const opened = await this.#api.change('POST', '/pulls', { ...draft, head: branch, draft: true })
    return read.pullRequest(checker<answers.PullAnswer>('answer', checks.validatePullAnswer)(opened))
  }

  async pullRequest(number: number) {
    return read.pullRequest(await this.#pull(number))
  }

  async checks(commit: string, required: readonly string[]) {
    const [path, subject] = [`/commits/${commit}`, `the checks of ${this.#api.name}@${commit.slice(0, 12)}`]
    const runs = { path: `${path}/check-runs?filter=latest&${PAGE}`, validate: checks.validateCheckRunsAnswer, subject }
    const statuses = { path: `${path}/status?${PAGE}`, validate: checks.validateStatusAnswer, subject }
    return read.checksOf(
      (await this.#api.getAll<answers.CheckRunsAnswer>(runs)).flatMap(({ check_runs }) => check_runs),
      (await this.#api.getAll<answers.StatusAnswer>(statuses)).flatMap((each) => each.statuses),
      required,
    )
  }

  async outputOf({ output }: Pick<ForgeCheck, 'output'>) {
    if ('text' in output) return output.text
    const subject = `the log of the job ${output.job} in ${this.#api.name}`
    return (await orMissing(this.#api.getLog(`/actions/jobs/${output.job}/logs`, subject))) ?? ''
  }

  async reviews(number: number) {
    const path = `/pulls/${number}/reviews?${PAGE}`
    const wanted = { path, validate: checks.validateReviewsAnswer, subject: this.#numbered(number) }
    return (await this.#api.getAll<answers.ReviewsAnswer>(wanted)).flat().map(read.review)
  }

  async reviewComments(number: number) {
    const path = `/pulls/${number}/comments?${PAGE}`
    const wanted = { path, validate: checks.validateReviewCommentsAnswer, subject: this.#numbered(number) }
    const found = (await this.#api.getAll<answers.ReviewCommentsAnswer>(wanted)).flat()
    const resolved = found.length === 0 ? new Set<number>() : await this.#resolvedThreads(number)
    return found.map((each) => read.reviewComment(each, resolved))
  }

  async reply(number: number, thread: number, body: string) {
    await this.#api.change('POST', `/pulls/${number}/comments/${thread}/replies`, { body })
  }

  async editPullRequest(number: number, { body }: { body: string }) {
    await this.#api.change('PATCH', `/pulls/${number}`, { body })
  }

  async markReady(number: number) {
    const { node_id: id } = await this.#pull(number)
    await this.#api.ask(READY_MUTATION, { id }, checks.validateGraphqlErrors)
  }

  #numbered(number: number): string {
    return `${this.#api.name}#${number}`
  }

  async #comments(path: string, subject: string) {
    const wanted = { path, validate: checks.validateListedAnswer, subject }
    return (await this.#api.getAll<answers.ListedAnswer>(wanted)).flat().map(read.comment)
  }

  async #pull(number: number) {
    const wanted = { path: `/pulls/${number}`, validate: checks.validatePullAnswer, subject: this.#numbered(number) }
    return await this.#api.get<answers.PullAnswer>(wanted)
  }

  /** By the id of the first comment. */
  async #resolvedThreads(number: number): Promise<ReadonlySet<number>> {
    const { owner, repo } = this.repository
    const resolved: number[] = []
    for (let after: string | null = null; ; ) {
      const variables = { owner, repo, number, after }
      const answer: answers.ThreadsAnswer = await this.#api.ask(THREADS_QUERY, variables, checks.validateThreadsAnswer)
      const { nodes, pageInfo } = answer.data.repository.pullRequest.reviewThreads
      const done = nodes.filter(({ isResolved }) => isResolved)
      resolved.push(...done.flatMap(({ comments }) => comments.nodes.map(({ databaseId }) => databaseId)))
      if (!pageInfo.hasNextPage) return new Set(resolved)
      after = pageInfo.endCursor
    }
  }
}

/** 10,000 comments. */
const MOST_PAGES = 100

type GitHubOptions = {
  readonly repository: ForgeRepository
  readonly gh: Gh
  readonly signal: AbortSignal
  /** How long one request may take, with the wait for a limit of GitHub. */
  readonly patienceMs: number
}

/** `subject` is for error messages. */
type Wanted = { readonly path: string; readonly validate: Validate; readonly subject: string }

type KeptPage = { etag: string | undefined; value: unknown; next: string | undefined }

/** Asks GitHub's API about one repository: pages, conditional requests, changes. */
class GitHubApi {
  /** `owner/repo`. */
  readonly name: string
  readonly #root: string
  readonly #options: GitHubOptions
  /** By path: a page that has not changed does not count for the limit of requests. */
  readonly #pages = new Map<string, KeptPage>()

  constructor(options: GitHubOptions) {
    const { owner, repo } = options.repository
    this.name = `${owner}/${repo}`
    this.#root = `repos/${encodeURIComponent(owner)}/${encodeURIComponent(repo)}`
    this.#options = options
  }

  async get<T>(wanted: Wanted): Promise<T> {
    return (await this.#page(wanted)).value as T
  }

  /** All pages, or the first ones of a list that may have any length. */
  async getAll<T>(wanted: Wanted, first = Infinity): Promise<T[]> {
    const found: T[] = []
    for (let path: string | undefined = wanted.path; path !== undefined && found.length < first; ) {
      if (found.length === MOST_PAGES) {
        throw providerAnswerInvalid({ subject: wanted.subject, problem: `it has more than ${MOST_PAGES} pages` })
      }
      const page: KeptPage = await this.#page({ ...wanted, path })
      found.push(page.value as T)
      path = page.next
    }
    return found
  }

  async #page({ path, validate, subject }: Wanted): Promise<KeptPage> {
    const kept = this.#pages.get(path)
    const request = { path: `${this.#root}${path}`, etag: kept?.etag }
    const answer = await askForPage(this.#provider(), { request, subject, check: checker('answer', validate) })
    const page = answer.value === undefined ? kept : toKept(path, answer.value.is, answer.headers)
    if (page === undefined) throw providerAnswerInvalid({ subject, problem: 'it is empty' })
    this.#pages.set(path, page)
    return page
  }

  /** A text of any length. If it is very long, only its beginning and its end. */
  async getLog(path: string, subject: string): Promise<string> {
    const request = { path: `${this.#root}${path}`, isLog: true as const }
    return await askProvider(this.#provider(), { request, subject, check: String, format: 'text' })
  }

  /** Undefined if GitHub answers with nothing. */
  async change(method: 'POST' | 'PATCH' | 'DELETE', path: string, body?: JsonValue): Promise<unknown> {
    const request = { path: `${this.#root}${path}`, method, ...(body !== undefined && { body }) }
    const subject = `${this.name}${path}`
    return (await askForPage(this.#provider(), { request, subject, check: (value) => value })).value?.is
  }

  async ask<T>(query: string, variables: JsonValue, validate: Validate): Promise<T> {
    const request = { query, variables }
    return await askProvider(this.#provider(), { request, subject: this.name, check: checker<T>('answer', validate) })
  }

  #provider(): Provider {
    const { gh, signal, patienceMs } = this.#options
    return { ...openProvider(gh, signal), deadline: performance.now() + patienceMs }
  }
}

function toKept(path: string, value: unknown, headers: Page<unknown>['headers']): KeptPage {
  return { etag: headers['etag'], value, next: nextPage(path, headers) }
}

/** Undefined if GitHub says that it does not exist. */
async function orMissing<T>(answer: Promise<T>): Promise<T | undefined> {
  try {
    return await answer
  } catch (error) {
    if (error instanceof Fault && error.code === issueNotFound.code) return undefined
    throw error
  }
}
