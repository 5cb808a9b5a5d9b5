/** The GraphQL queries of drover, told apart by what they ask for. */
import type { ForgeState } from './forge-state.ts'
import { VIEWER } from './forge-state.ts'

const PAGE = 'https://github.com/ada/weather'

type Variables = { number?: number; after?: string | null; id?: string; ids?: readonly string[] }

export function answerGraphql(state: ForgeState, { query, variables = {} }: { query?: unknown; variables?: unknown }) {
  const [text, given] = [String(query), variables as Variables]
  if (text.includes('viewer')) return { data: { viewer: { login: VIEWER } } }
  if (text.includes('markPullRequestReadyForReview')) return markReady(state, given)
  if (text.includes('reviewThreads')) return threads(state, given)
  if (text.includes('lastEditedAt')) return edits(state, given)
  if (given.ids !== undefined) return { data: { nodes: given.ids.map(() => null) } }
  return issue(state, given)
}

function markReady(state: ForgeState, { id = '' }: Variables) {
  const pull = state.items.get(Number(id.replace('PR_', '')))?.pull
  if (pull !== undefined) pull.isDraft = false
  state.onChange({ method: 'POST', path: '/graphql/ready', isConditional: false })
  return { data: { markPullRequestReadyForReview: { clientMutationId: null } } }
}

/** In pages of two, so that pages are read. */
function threads(state: ForgeState, { number, after }: Variables) {
  const first = state.lineComments.filter(({ id, on, thread }) => on === number && id === thread)
  const start = after ? Number(after) : 0
  const nodes = first.slice(start, start + 2).map(({ id }) => ({
    isResolved: state.resolved.has(id),
    comments: { nodes: [{ databaseId: id }] },
  }))
  const pageInfo = { hasNextPage: start + 2 < first.length, endCursor: String(start + 2) }
  return { data: { repository: { pullRequest: { reviewThreads: { pageInfo, nodes } } } } }
}

function edits(state: ForgeState, { number = 0 }: Variables) {
  const { edit } = state.items.get(number) ?? {}
  const editor = edit === undefined ? null : { login: edit.by }
  return {
    data: { repository: { issue: { lastEditedAt: edit?.at ?? null, editor, timelineItems: { nodes: [] } } } },
  }
}

function issue(state: ForgeState, { number = 0 }: Variables) {
  const item = state.items.get(number)
  if (item === undefined) {
    const message = `Could not resolve to an Issue with the number of ${number}.`
    return {
      data: { repository: { id: 'R_1', issue: null } },
      errors: [{ type: 'NOT_FOUND', path: ['repository', 'issue'], message }],
    }
  }
  const { title, body, labels, createdAt } = item
  const nodes = labels.map((name) => ({ name }))
  const found = { id: `I_${number}`, number, url: `${PAGE}/issues/${number}`, title, body, updatedAt: createdAt }
  return {
    data: { repository: { id: 'R_1', issue: { ...found, labels: { totalCount: nodes.length, nodes }, parent: null } } },
  }
}
