/**
 * Stands in for the GitHub CLI: `fake-gh.ts DIRECTORY ARGS…`. `github.json` in the directory has the content of GitHub and
 * how a call fails; every call is appended to `calls.jsonl`. The answers have the form of real ones.
 */
import { appendFileSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { FakeGitHub, GhCall } from '../support/fake-gh.ts'

const [directory = '', ...args] = process.argv.slice(2)
const github: FakeGitHub = JSON.parse(readFileSync(join(directory, 'github.json'), 'utf8'))
const input = args.includes('--input') ? JSON.parse(readFileSync(0, 'utf8')) : undefined
const call: GhCall = {
  args,
  query: input?.query,
  variables: input?.variables,
  names: Object.keys(process.env).sort(),
}
const log = join(directory, 'calls.jsonl')
appendFileSync(log, `${JSON.stringify(call)}\n`)
const answered = readFileSync(log, 'utf8').trim().split('\n').length - 1

/** Writes everything before the process ends: a large answer does not fit into the pipe. */
function end(code: number, stdout: string, stderr = ''): void {
  process.stdout.write(stdout, () => process.stderr.write(stderr, () => process.exit(code)))
}

const graphqlError = (type: string, message: string) =>
  end(1, JSON.stringify({ data: null, errors: [{ type, message }] }), `gh: ${message}\n`)
const httpError = (status: number, message: string) =>
  end(1, JSON.stringify({ message, status: String(status) }), `gh: ${message} (HTTP ${status})\n`)

const FAILURES: Record<FakeGitHub['failure'] & string, () => void> = {
  logged_out: () =>
    end(
      4,
      '',
      'To get started with GitHub CLI, please run:  gh auth login\nAlternatively, populate the GH_TOKEN environment variable with a GitHub API authentication token.\n',
    ),
  logged_out_silently: () => end(4, ''),
  bad_credentials: () => httpError(401, 'Bad credentials'),
  rate_limited: () => graphqlError('RATE_LIMITED', 'API rate limit exceeded for user ID 1.'),
  secondary_limit: () => httpError(403, 'You have exceeded a secondary rate limit. Please wait a few minutes.'),
  forbidden: () => graphqlError('FORBIDDEN', 'Resource not accessible by personal access token'),
  single_sign_on: () => httpError(403, 'Resource protected by organization SAML enforcement.'),
  offline: () =>
    end(1, '', 'error connecting to api.github.com\ncheck your internet connection or https://githubstatus.com\n'),
  bad_gateway: () => end(1, '<html>502 Bad Gateway</html>', 'gh: HTTP 502\n'),
  garbage: () => end(0, '\u0000\u0001 no JSON'),
  half: () => end(0, '{"data":{"repository":{"id":"R_1","issue"'),
  nothing: () => end(0, ''),
  other_shape: () => end(0, JSON.stringify({ data: { repository: { id: 7 } } })),
  null_repository: () => end(0, JSON.stringify({ data: { repository: null } })),
  unknown: () => end(1, '', `panic: token is ${process.env['GH_TOKEN']} and ghp_0123456789abcdefghij\n  at main.go\n`),
  unknown_error: () =>
    graphqlError(
      'MAX_NODE_LIMIT_EXCEEDED',
      `Too much was asked for\nby ${process.env['GH_TOKEN']}. ${'x '.repeat(500)}`,
    ),
  unknown_partial_error: () =>
    end(
      0,
      JSON.stringify({
        data: { repository: null },
        errors: [{ message: `Something went wrong for ${process.env['GH_TOKEN']}` }],
      }),
    ),
  flood: () => end(0, `"${'x'.repeat(33 * 1024 * 1024)}"`),
  slow: () => void setInterval(() => undefined, 1000),
}

if (github.failure !== undefined && answered >= (github.failureAfter ?? 0)) FAILURES[github.failure]()
else if (input?.variables?.ids !== undefined) answerNodes(input.variables.ids)
else if (input !== undefined) answerIssue(input.variables)
else answerComment(args.find((word) => word.startsWith('repos/')) ?? '')

function answerIssue({ owner, repo, number }: { owner: string; repo: string; number: number }): void {
  const { issue } = github
  if (issue === undefined || !issue.url.endsWith(`/${owner}/${repo}/issues/${number}`)) {
    const message = `Could not resolve to an Issue with the number of ${number}.`
    const error = { type: 'NOT_FOUND', path: ['repository', 'issue'], message }
    const data = { repository: { id: 'R_1', issue: null } }
    end(1, JSON.stringify({ data, errors: [error] }), `gh: ${message}\n`)
    return
  }
  const { repositoryId, ...fields } = issue
  end(0, JSON.stringify({ data: { repository: { id: repositoryId, issue: fields } } }))
}

function answerNodes(ids: readonly string[]): void {
  const nodes = ids.map((id) =>
    github.others?.includes(id) ? {} : (github.comments?.find((each) => each.id === id) ?? null),
  )
  const errors = ids.flatMap((id, at) => {
    const message = `Could not resolve to a node with the global id of '${id}'.`
    return nodes[at] === null ? [{ type: 'NOT_FOUND', path: ['nodes', at], message }] : []
  })
  const answer = errors.length === 0 ? { data: { nodes } } : { data: { nodes }, errors }
  end(errors.length === 0 ? 0 : 1, JSON.stringify(answer), errors.map(({ message }) => `gh: ${message}\n`).join(''))
}

function answerComment(path: string): void {
  const id = path.split('/').at(-1) ?? ''
  const found = github.comments?.find((each) => each.fullDatabaseId === id)
  if (found === undefined) {
    httpError(404, 'Not Found')
    return
  }
  const { id: node_id, url, body } = found
  end(0, JSON.stringify({ url: `https://api.github.com/${path}`, html_url: url, id: Number(id), node_id, body }))
}
