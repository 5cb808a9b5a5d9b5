/**
 * Fetches an issue as an envelope: first the issue, then exactly the comments that its manifest names, page by page. A
 * deleted comment is left out, and a body without a valid manifest has no comments. Reading the envelope reports that.
 */
import { LIMITS } from '../contract/limits.ts'
import type { RawSourceComment, RawSourceEnvelope } from '../contract/raw-source-envelope.shape.ts'
import { checkRawSourceEnvelope } from '../contract/raw-source-envelope.ts'
import { askProvider, openProvider, type Provider } from '../forge/ask-provider.ts'
import { providerAnswerInvalid } from '../forge/faults.ts'
import type { Gh } from '../forge/gh.ts'
import { type Clock, toTimestamp } from '../kit/clock.ts'
import { isFault } from '../kit/fault.ts'
import { messageInvalid } from '../kit/faults.ts'
import { writeJson } from '../kit/json/write-json.ts'
import { checker } from '../kit/schema.ts'
import { validateCommentAnswer, validateCommentsAnswer, validateIssueAnswer } from './checks.generated.js'
import type { DraftComment } from './draft.ts'
import { issueCommentUnusable, issueTooLarge } from './faults.ts'
import type { CommentAnswer, CommentsAnswer, IssueAnswer } from './gh-answers.shape.ts'
import { commentIn, type IssueAddress, isSameIssue, parseCommentUrl, parseIssueUrl } from './issue-address.ts'
import { readBody } from './read-issue-body.ts'
import { readManifest } from './read-manifest.ts'
import { normalizeLineEnds } from './text-lines.ts'

const checkIssue = checker<IssueAnswer>('answer', validateIssueAnswer)
const checkComments = checker<CommentsAnswer>('answer', validateCommentsAnswer)

// Only queries: nothing here can change anything on GitHub.
const ISSUE_QUERY = `query($owner: String!, $repo: String!, $number: Int!) {
  repository(owner: $owner, name: $repo) {
    id
    issue(number: $number) {
      id number url title body updatedAt
      labels(first: 100) { totalCount nodes { name } }
      parent { id url repository { id } }
    }
  }
}`

/** `databaseId` has 32 bits, which is too few for the ids of newer comments. */
const COMMENTS_QUERY = `query($ids: [ID!]!) {
  nodes(ids: $ids) {
    ... on IssueComment {
      id fullDatabaseId url updatedAt isMinimized body
      author { ... on Node { id } }
      issue { id }
    }
  }
}`

/** Small enough that GitHub answers a page of the largest comments in time. 64 sections are four pages. */
const COMMENTS_A_PAGE = 16

type Repository = IssueAnswer['data']['repository']

export type IssueFetch = { url: string; gh: Gh; clock: Clock; signal: AbortSignal }

export async function fetchEnvelope({ url, gh, clock, signal }: IssueFetch): Promise<RawSourceEnvelope> {
  const address = parseIssueUrl(url)
  const provider = openProvider(gh, signal)
  const repository = await fetchIssue(provider, address)
  const comments = await fetchNamedComments(provider, { repository, url })
  return checkEnvelope(toEnvelope({ repository, comments, fetchedAt: toTimestamp(clock.now()) }), url)
}

async function fetchIssue(provider: Provider, { url, owner, repo, number }: IssueAddress): Promise<Repository> {
  const { data } = await askProvider(provider, {
    request: { query: ISSUE_QUERY, variables: { owner, repo, number } },
    subject: `issue ${url}`,
    check: checkIssue,
  })
  const count = data.repository.issue.labels?.totalCount ?? 0
  if (count > LIMITS.labels) throw issueTooLarge({ url, what: 'labels', count, limit: LIMITS.labels })
  return data.repository
}

async function fetchNamedComments(
  provider: Provider,
  { repository, url }: { repository: Repository; url: string },
): Promise<RawSourceComment[]> {
  const ids = commentsNamedIn(repository.issue.body)
  const comments: RawSourceComment[] = []
  for (let at = 0; at < ids.length; at += COMMENTS_A_PAGE) {
    const page = ids.slice(at, at + COMMENTS_A_PAGE)
    const { data } = await askProvider(provider, {
      request: { query: COMMENTS_QUERY, variables: { ids: page } },
      subject: `the comments of ${url}`,
      check: checkComments,
      tolerates: ({ type, path }) => type === 'NOT_FOUND' && path?.[0] === 'nodes',
    })
    comments.push(...data.nodes.flatMap((node) => toComment(node, repository.issue.id)))
  }
  return comments
}

function commentsNamedIn(body: string): string[] {
  const found = readBody(normalizeLineEnds(body))
  const read = found.is === 'found' ? readManifest(found) : found
  return read.is === 'read' ? read.manifest.sections.map((section) => section.comment_node_id) : []
}

function toComment(node: CommentsAnswer['data']['nodes'][number], issueId: string): RawSourceComment[] {
  if (node?.id === undefined) return []
  const { id, fullDatabaseId, url, updatedAt, isMinimized, body, author, issue } = node
  if (issue.id !== issueId) throw issueCommentUnusable({ url, reason: 'other_issue' })
  if (author === null) throw issueCommentUnusable({ url, reason: 'no_author' })
  return [
    {
      node_id: id,
      database_id: Number(fullDatabaseId),
      url,
      updated_at: updatedAt,
      author_id: author.id,
      is_minimized: isMinimized,
      body,
    },
  ]
}

type Fetched = { repository: Repository; comments: readonly RawSourceComment[]; fetchedAt: string }

function toEnvelope({ repository, comments, fetchedAt }: Fetched): RawSourceEnvelope {
  const { issue } = repository
  const { parent } = issue
  return {
    source_version: 2,
    provider: 'github',
    host: 'github.com',
    repository_id: repository.id,
    issue_id: issue.id,
    issue_number: issue.number,
    canonical_url: issue.url,
    updated_at: issue.updatedAt,
    fetched_at: fetchedAt,
    title: issue.title,
    body: issue.body,
    labels: issue.labels?.nodes.map(({ name }) => name) ?? [],
    comments,
    ...(parent && {
      parent: { repository_id: parent.repository.id, issue_id: parent.id, canonical_url: parent.url },
    }),
  }
}

function checkEnvelope(envelope: RawSourceEnvelope, url: string): RawSourceEnvelope {
  try {
    checkRawSourceEnvelope(envelope)
  } catch (error) {
    if (!isFault(error, messageInvalid)) throw error
    throw providerAnswerInvalid({ subject: `issue ${url}`, problem: error.message }, error)
  }
  const count = Buffer.byteLength(writeJson(envelope))
  if (count > LIMITS.envelopeBytes) throw issueTooLarge({ url, what: 'bytes', count, limit: LIMITS.envelopeBytes })
  return envelope
}

const checkComment = checker<CommentAnswer>('answer', validateCommentAnswer)

/** Fetches the comments at these URLs. All must belong to one issue. */
export async function fetchComments(
  urls: readonly string[],
  { gh, signal }: { gh: Gh; signal: AbortSignal },
): Promise<DraftComment[]> {
  const addresses = urls.map(parseCommentUrl)
  const [first] = addresses
  const stray = addresses.find(({ issue }) => first !== undefined && !isSameIssue(issue, first.issue))
  if (stray !== undefined) throw issueCommentUnusable({ url: stray.url, reason: 'other_issue' })
  const provider = openProvider(gh, signal)
  const comments: DraftComment[] = []
  for (const { url, issue, databaseId } of addresses) {
    const subject = `comment ${url}`
    const { id, node_id, html_url, body } = await askProvider(provider, {
      request: { path: `repos/${issue.owner}/${issue.repo}/issues/comments/${databaseId}` },
      subject,
      check: checkComment,
    })
    if (id !== databaseId) throw providerAnswerInvalid({ subject, problem: `it is about the comment ${id}` })
    // GitHub finds a comment by its number alone and ignores the issue in the URL.
    const found = commentIn(html_url)
    if (found === undefined || !isSameIssue(found.issue, issue)) {
      throw issueCommentUnusable({ url, reason: 'other_issue' })
    }
    comments.push({ node_id, database_id: id, url: html_url, body })
  }
  return comments
}
