/** The calls of GitHub's REST and GraphQL APIs that drover makes, with pages, ETags and errors as GitHub has them. */
import { createHash } from 'node:crypto'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { answerGraphql } from './forge-graphql.ts'
import type { ForgeState, Item } from './forge-state.ts'
import { VIEWER } from './forge-state.ts'

type Body = Record<string, unknown>
type Call = { state: ForgeState; params: readonly string[]; query: URLSearchParams; body: Body }
/** Undefined: not found. A list is sent in pages. */
type Answer = { status?: number; body?: unknown; text?: string } | undefined
type Route = readonly [method: string, path: RegExp, answer: (call: Call) => Answer]

const API = 'https://api.github.com/repos/ada/weather'
const PAGE = 'https://github.com/ada/weather'

/** As GitHub says it. */
const REFUSALS: Readonly<Record<number, string>> = {
  403: 'You have exceeded a secondary rate limit.',
  410: 'This issue was deleted',
  429: 'API rate limit exceeded.',
}

const user = (login: string) => ({ login })
const numbered = (call: Call) => Number(call.params[0])

const ROUTES: readonly Route[] = [
  ['GET', /^$/, ({ state }) => ({ body: { default_branch: state.defaultBranch } })],
  ['GET', /^\/collaborators\/([^/]+)\/permission$/, permission],
  ['GET', /^\/branches\/([^/]+)$/, branch],
  ['GET', /^\/rules\/branches\/([^/]+)$/, () => ({ body: [] })],
  ['GET', /^\/issues$/, issues],
  [
    'GET',
    /^\/issues\/comments$/,
    ({ state, query }) => ({
      body: state.comments.filter((each) => each.updatedAt >= (query.get('since') ?? '')).map(toComment),
    }),
  ],
  [
    'GET',
    /^\/issues\/comments\/(\d+)$/,
    (call) =>
      found(
        call.state.comments.find(({ id }) => id === numbered(call)),
        toComment,
      ),
  ],
  [
    'GET',
    /^\/issues\/(\d+)\/events$/,
    (call) => ({
      body: call.state.events
        .filter(({ on }) => on === numbered(call))
        .map(({ event, label, actor, createdAt }) => ({
          event,
          label: { name: label },
          actor: user(actor),
          created_at: createdAt,
        })),
    }),
  ],
  [
    'GET',
    /^\/issues\/(\d+)\/comments$/,
    (call) => ({ body: call.state.comments.filter(({ on }) => on === numbered(call)).map(toComment) }),
  ],
  [
    'POST',
    /^\/issues\/(\d+)\/comments$/,
    (call) => ({
      status: 201,
      body: toComment(call.state.addComment(numbered(call), VIEWER, String(call.body['body']))),
    }),
  ],
  [
    'GET',
    /^\/issues\/(\d+)$/,
    (call) => found(call.state.items.get(numbered(call)), (item) => ({ ...toIssue(item), state: item.state })),
  ],
  ['PATCH', /^\/issues\/comments\/(\d+)$/, editComment],
  ['DELETE', /^\/issues\/comments\/(\d+)$/, deleteComment],
  ['POST', /^\/issues\/(\d+)\/labels$/, addLabels],
  ['DELETE', /^\/issues\/(\d+)\/labels\/([^/]+)$/, removeLabel],
  ['GET', /^\/pulls$/, pulls],
  ['POST', /^\/pulls$/, openPull],
  ['GET', /^\/pulls\/(\d+)$/, (call) => found(pullOf(call), (item) => toPull(call.state, item))],
  ['PATCH', /^\/pulls\/(\d+)$/, editPull],
  [
    'GET',
    /^\/pulls\/(\d+)\/reviews$/,
    (call) => ({
      body: call.state.reviews
        .filter(({ on }) => on === numbered(call))
        .map((each) => ({
          id: each.id,
          html_url: `${PAGE}/pull/${each.on}#r${each.id}`,
          user: user(each.author),
          body: each.body,
          state: each.state,
          commit_id: each.commit,
          submitted_at: each.createdAt,
        })),
    }),
  ],
  [
    'GET',
    /^\/pulls\/(\d+)\/comments$/,
    (call) => ({ body: call.state.lineComments.filter(({ on }) => on === numbered(call)).map(toLineComment) }),
  ],
  ['POST', /^\/pulls\/(\d+)\/comments\/(\d+)\/replies$/, reply],
  ['GET', /^\/commits\/([0-9a-f]+)\/check-runs$/, checkRuns],
  ['GET', /^\/commits\/([0-9a-f]+)\/status$/, () => ({ body: { statuses: [] } })],
  ['GET', /^\/actions\/jobs\/(\d+)\/logs$/, log],
]

export async function answerApi(state: ForgeState, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const url = new URL(request.url ?? '', 'https://api.github.com')
  const path = url.pathname.replace(/^\/api(?:\/v3)?(?=\/)/, '')
  const chunks: Buffer[] = []
  for await (const chunk of request) chunks.push(chunk)
  const body: Body = chunks.length === 0 ? {} : JSON.parse(Buffer.concat(chunks).toString('utf8'))
  const condition = request.headers['if-none-match']
  const method = request.method ?? 'GET'
  const seen = {
    method,
    path: path + url.search,
    isConditional: condition !== undefined,
    token: request.headers.authorization,
    body,
  }
  state.requests.push(seen)
  await state.hold(seen)
  const refused = state.refuse(seen)
  const headers = { 'content-type': 'application/json; charset=utf-8' }
  const send = (status: number, value: unknown, more: object = {}) => {
    response.writeHead(status, { ...headers, ...more })
    if (state.isSlow) for (const byte of Buffer.from(JSON.stringify(value))) response.write(Buffer.of(byte))
    response.end(state.isSlow ? '' : JSON.stringify(value))
  }
  if (refused !== undefined)
    return void send(
      refused.status,
      { message: refused.message ?? REFUSALS[refused.status] ?? 'Server Error' },
      refused.headers,
    )
  if (request.headers.authorization !== 'token x') return void send(401, { message: 'Bad credentials' })
  if (path === '/graphql') return void send(200, answerGraphql(state, body))
  const answer = answerRest({ state, query: url.searchParams, body }, method, decodeRoot(path))
  if (method !== 'GET') state.onChange(seen)
  if (answer === undefined) return void send(404, { message: 'Not Found' })
  if (answer.text !== undefined) return void response.writeHead(200, { 'content-type': 'text/plain' }).end(answer.text)
  if (answer.body === undefined) return void response.writeHead(answer.status ?? 204).end()
  const { value, link } = inPages(answer.body, url, method)
  const etag = `"${createHash('sha256')
    .update(JSON.stringify([value, link]))
    .digest('hex')}"`
  if (condition === etag) return void response.writeHead(304, { etag }).end()
  send(answer.status ?? 200, value, { etag, ...link })
}

function decodeRoot(path: string): string | undefined {
  return /^\/repos\/ada\/weather(\/.*)?$/.exec(path) === null ? undefined : path.slice('/repos/ada/weather'.length)
}

function answerRest(call: Omit<Call, 'params'>, method: string, path: string | undefined): Answer {
  for (const [verb, pattern, answer] of path === undefined ? [] : ROUTES) {
    const [whole, ...params] = pattern.exec(path ?? '') ?? []
    if (verb === method && whole !== undefined) return answer({ ...call, params: params.map(decodeURIComponent) })
  }
  return undefined
}

/** A list, also one in the field of an object, has a part on each page. */
function inPages(value: unknown, url: URL, method: string): { value: unknown; link: { link?: string } } {
  if (!Array.isArray(value) || method !== 'GET') return { value, link: {} }
  const [size, page] = [Number(url.searchParams.get('per_page') ?? 30), Number(url.searchParams.get('page') ?? 1)]
  const next = new URL(url)
  next.searchParams.set('page', String(page + 1))
  const link = value.length > page * size ? { link: `<${next}>; rel="next", <${next}>; rel="last"` } : {}
  return { value: value.slice((page - 1) * size, page * size), link }
}

function found<T>(item: T | undefined, toBody: (item: T) => unknown): Answer {
  return item === undefined ? undefined : { body: toBody(item) }
}

function permission({ state, params: [login = ''] }: Call): Answer {
  const role = state.permissions.get(login) ?? 'read'
  const named = role === 'maintain' ? 'write' : role === 'triage' ? 'read' : role
  return { body: { permission: named, role_name: role, user: user(login) } }
}

function branch({ state, params: [name = ''] }: Call): Answer {
  const sha = state.headOf(name)
  const checks = { enforcement_level: 'non_admins', contexts: state.required, checks: [] }
  if (sha === undefined) return undefined
  return { body: { name, commit: { sha }, protection: { enabled: true, required_status_checks: checks } } }
}

function issues({ state, query }: Call): Answer {
  const labels = (query.get('labels') ?? '').split(',').filter((each) => each !== '')
  const open = [...state.items.values()].filter((each) => each.state === 'open')
  return { body: open.filter((each) => labels.every((label) => each.labels.includes(label))).map(toIssue) }
}

function toIssue(item: Item) {
  const { number, title, author, labels, createdAt, pull } = item
  const kind = pull === undefined ? 'issues' : 'pull'
  const more = pull === undefined ? {} : { pull_request: { url: `${API}/pulls/${number}` } }
  const named = labels.map((name) => ({ name }))
  return {
    number,
    html_url: `${PAGE}/${kind}/${number}`,
    title,
    user: user(author),
    created_at: createdAt,
    labels: named,
    ...more,
  }
}

function toComment({ id, on, author, body, createdAt, updatedAt }: ForgeState['comments'][number]) {
  const urls = { html_url: `${PAGE}/issues/${on}#issuecomment-${id}`, issue_url: `${API}/issues/${on}` }
  return { id, node_id: `IC_${id}`, ...urls, body, user: user(author), created_at: createdAt, updated_at: updatedAt }
}

function editComment(call: Call): Answer {
  const comment = call.state.comments.find(({ id }) => id === numbered(call))
  if (comment === undefined) return undefined
  Object.assign(comment, { body: String(call.body['body']), updatedAt: call.state.now() })
  return { body: toComment(comment) }
}

function deleteComment(call: Call): Answer {
  const at = call.state.comments.findIndex(({ id }) => id === numbered(call))
  if (at === -1) return undefined
  call.state.comments.splice(at, 1)
  return {}
}

function addLabels(call: Call): Answer {
  for (const label of call.body['labels'] as string[]) call.state.label(numbered(call), label, VIEWER)
  return { body: [] }
}

function removeLabel(call: Call): Answer {
  const label = call.params[1] ?? ''
  if (call.state.items.get(numbered(call))?.labels.includes(label) !== true) return undefined
  call.state.unlabel(numbered(call), label, VIEWER)
  return { body: [] }
}

function pullOf(call: Call): Item | undefined {
  const item = call.state.items.get(numbered(call))
  return item?.pull === undefined ? undefined : item
}

function pulls({ state, query }: Call): Answer {
  const branch = (query.get('head') ?? '').replace(/^ada:/, '')
  const open = [...state.items.values()].filter((each) => each.pull?.branch === branch && each.state === 'open')
  return { body: open.map((item) => toPull(state, item)) }
}

function openPull({ state, body }: Call): Answer {
  const { head, base, title, draft } = body
  const lastHead = state.headOf(String(head))
  const isOpen = [...state.items.values()].some((each) => each.pull?.branch === head && each.state === 'open')
  if (lastHead === undefined || state.headOf(String(base)) === undefined || isOpen) {
    return {
      status: 422,
      body: { message: 'Validation Failed', errors: [{ message: 'A pull request already exists' }] },
    }
  }
  const item = state.addIssue(String(title), String(body['body']), VIEWER)
  item.pull = { branch: String(head), base: String(base), isDraft: draft === true, lastHead }
  return { status: 201, body: toPull(state, item) }
}

function editPull(call: Call): Answer {
  const item = pullOf(call)
  if (item === undefined) return undefined
  if (call.body['body'] !== undefined) item.body = String(call.body['body'])
  return { body: toPull(call.state, item) }
}

function toPull(state: ForgeState, item: Item) {
  const { number, title, body, author, pull } = item
  const repo = { full_name: 'ada/weather' }
  return {
    ...{ number, node_id: `PR_${number}`, html_url: `${PAGE}/pull/${number}`, state: item.state, title, body },
    ...{ user: user(author), draft: pull?.isDraft, merged_at: pull?.mergeCommit === undefined ? null : item.createdAt },
    merge_commit_sha: pull?.mergeCommit ?? null,
    head: { ref: pull?.branch, sha: state.headOfPull(number), repo },
    base: { ref: pull?.base, sha: state.headOf(pull?.base ?? '') ?? '', repo },
  }
}

function toLineComment(comment: ForgeState['lineComments'][number]) {
  const { id, on, author, body, path, line, thread, createdAt, updatedAt } = comment
  const answers = thread === id ? {} : { in_reply_to_id: thread }
  const times = { created_at: createdAt, updated_at: updatedAt }
  return {
    id,
    html_url: `${PAGE}/pull/${on}#discussion_r${id}`,
    user: user(author),
    body,
    path,
    line,
    ...answers,
    ...times,
  }
}

function reply(call: Call): Answer {
  const thread = Number(call.params[1])
  if (!call.state.lineComments.some(({ id }) => id === thread)) return undefined
  const comment = call.state.addLineComment(numbered(call), VIEWER, String(call.body['body']), { thread })
  return { status: 201, body: toLineComment(comment) }
}

/** The id of a job is that of its check. */
function checkRuns({ state, params: [commit = ''] }: Call): Answer {
  const runs = state.ci(commit).map(({ name, conclusion }, index) => ({
    id: jobOf(commit, index),
    name,
    status: conclusion === null ? 'in_progress' : 'completed',
    conclusion,
    html_url: `${PAGE}/runs/${jobOf(commit, index)}`,
    app: { slug: 'github-actions' },
    output: { title: null, summary: null, text: null },
  }))
  return { body: { total_count: runs.length, check_runs: runs } }
}

const jobs = new Map<number, { commit: string; index: number }>()

function jobOf(commit: string, index: number): number {
  const id = Number.parseInt(commit.slice(0, 10), 16) * 10 + index + 1
  jobs.set(id, { commit, index })
  return id
}

function log(call: Call): Answer {
  const { commit, index } = jobs.get(numbered(call)) ?? { commit: '', index: 0 }
  const check = commit === '' ? undefined : call.state.ci(commit)[index]
  return check === undefined ? undefined : { text: check.log ?? '' }
}
