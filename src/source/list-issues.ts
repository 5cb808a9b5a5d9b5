/** Lists the open issues of a repository that have a label. */

import { askProvider, openProvider } from '../forge/ask-provider.ts'
import type { Gh } from '../forge/gh.ts'
import { checker } from '../kit/schema.ts'
import { validateIssuesAnswer } from './checks.generated.js'
import { tooManyIssues } from './faults.ts'
import type { IssuesAnswer } from './gh-answers.shape.ts'

const checkIssues = checker<IssuesAnswer>('answer', validateIssuesAnswer)

/** One page of GitHub's API. */
const MOST_ISSUES = 100

const ISSUES_QUERY = `query($owner: String!, $repo: String!, $label: String!) {
  repository(owner: $owner, name: $repo) {
    issues(first: ${MOST_ISSUES}, labels: [$label], states: OPEN, orderBy: { field: CREATED_AT, direction: ASC }) {
      totalCount nodes { number }
    }
  }
}`

type Wanted = { owner: string; repo: string; label: string; gh: Gh; signal: AbortSignal }

/** Their numbers, oldest first. Throws `too_many_issues` if there are more than one page. */
export async function listIssues({ owner, repo, label, gh, signal }: Wanted): Promise<number[]> {
  const answer = await askProvider(openProvider(gh, signal), {
    request: { query: ISSUES_QUERY, variables: { owner, repo, label } },
    subject: `the issues of ${owner}/${repo}`,
    check: checkIssues,
  })
  const { totalCount: count, nodes } = answer.data.repository.issues
  if (count > nodes.length) throw tooManyIssues({ label, count, limit: MOST_ISSUES })
  return nodes.map(({ number }) => number)
}
