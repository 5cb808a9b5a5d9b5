/**
 * What drover asks of the place where issues and pull requests are. Everything that people wrote there is data. A method that
 * changes something does it at once, and never twice.
 */

export type ForgeRepository = { readonly host: string; readonly owner: string; readonly repo: string }

/** From the least to the most. */
export const PERMISSIONS = ['none', 'read', 'triage', 'write', 'maintain', 'admin'] as const
export type ForgePermission = (typeof PERMISSIONS)[number]

export type ForgeIssue = {
  readonly number: number
  readonly url: string
  readonly title: string
  readonly author: string
  readonly labels: readonly string[]
  readonly createdAt: string
}

/** A label that somebody has set. */
export type Labeling = { readonly label: string; readonly by: string; readonly at: string }

/** A comment on an issue or a pull request, outside of review threads. */
export type ForgeComment = {
  readonly id: number
  readonly url: string
  readonly author: string
  readonly body: string
  readonly createdAt: string
  readonly updatedAt: string
  /** The number of the issue or the pull request. */
  readonly on: number
}

/** A comment on a line. */
export type ReviewComment = Omit<ForgeComment, 'on'> & {
  readonly path: string
  readonly line: number | undefined
  /** The id of the first comment of its thread. */
  readonly thread: number
  readonly isResolved: boolean
}

export type Review = {
  readonly id: number
  readonly url: string
  readonly author: string
  readonly body: string
  readonly state: 'approved' | 'changes_requested' | 'commented' | 'dismissed' | 'pending'
  readonly commit: string | undefined
  readonly submittedAt: string
}

export type PullRequest = {
  readonly number: number
  readonly url: string
  readonly state: 'open' | 'closed' | 'merged'
  readonly isDraft: boolean
  readonly title: string
  readonly body: string
  /** `repository` is `owner/repo`, or undefined if it was deleted. */
  readonly head: { readonly branch: string; readonly commit: string; readonly repository: string | undefined }
  readonly base: { readonly branch: string }
  /** Only of a merged one. */
  readonly mergeCommit: string | undefined
}

export type ForgeCheck = {
  readonly name: string
  /** `waits`: for a person, or because it was cancelled. */
  readonly state: 'running' | 'passed' | 'failed' | 'waits'
  readonly isRequired: boolean
  readonly url: string | undefined
  /** Where its output is: in the log of a job, or here. */
  readonly output: { readonly job: number } | { readonly text: string }
}

export type Forge = {
  readonly repository: ForgeRepository
  /** The account that drover uses. */
  viewer(): Promise<string>
  permissionOf(login: string): Promise<ForgePermission>
  defaultBranch(): Promise<string>
  /** The commit of a branch, and the names of the checks that it requires. Undefined if there is no such branch. */
  branch(name: string): Promise<{ readonly commit: string; readonly required: readonly string[] } | undefined>

  /** The open ones, oldest first. If there are very many, the oldest of them. */
  issuesWith(label: string): Promise<ForgeIssue[]>
  /** Undefined if it was deleted or transferred. */
  issue(wanted: Pick<ForgeIssue, 'number' | 'url'>): Promise<(ForgeIssue & { readonly isOpen: boolean }) | undefined>
  /** Oldest first, also of labels that were removed later. */
  labelings(issue: number): Promise<Labeling[]>
  /** Who has edited its title or its text last. Undefined if nobody has. */
  lastEdit(issue: number): Promise<{ readonly by: string; readonly at: string } | undefined>
  addLabel(issue: number, label: string): Promise<void>
  removeLabel(issue: number, label: string): Promise<void>

  /** Of an issue or a pull request, oldest first. */
  comments(on: number): Promise<ForgeComment[]>
  /** Of all issues and pull requests, changed since then, oldest change first. */
  commentsSince(moment: string): Promise<ForgeComment[]>
  comment(on: number, body: string): Promise<ForgeComment>
  editComment(id: number, body: string): Promise<void>
  deleteComment(id: number): Promise<void>

  /** The open one from this branch of the same repository. */
  findPullRequest(branch: string): Promise<PullRequest | undefined>
  openPullRequest(draft: { branch: string; base: string; title: string; body: string }): Promise<PullRequest>
  pullRequest(number: number): Promise<PullRequest>
  /** The latest of each name. */
  checks(commit: string, required: readonly string[]): Promise<ForgeCheck[]>
  /** What a check has printed, as far as the forge has it. Of a very long text, the middle is left out. */
  outputOf(check: Pick<ForgeCheck, 'output'>): Promise<string>
  reviews(number: number): Promise<Review[]>
  reviewComments(number: number): Promise<ReviewComment[]>
  reply(number: number, thread: number, body: string): Promise<void>
  editPullRequest(number: number, changes: { body: string }): Promise<void>
  markReady(number: number): Promise<void>
}

export type MayAsk = (login: string) => Promise<boolean>

/**
 * Who may ask drover for work, by a label, a comment or a review. Those who are named, or else those who could change the
 * repository themselves.
 */
export function rightsIn(forge: Pick<Forge, 'permissionOf'>, named: readonly string[]): MayAsk {
  const known = new Map<string, Promise<ForgePermission>>()
  // GitHub does not tell Ada from ada.
  const people = new Set(named.map((each) => each.toLowerCase()))
  return async (login) => {
    if (people.size > 0) return people.has(login.toLowerCase())
    const permission = known.get(login) ?? forge.permissionOf(login)
    known.set(login, permission)
    return PERMISSIONS.indexOf(await permission) >= PERMISSIONS.indexOf('write')
  }
}

export type OriginRepository = { owner: string; repo: string }

const NAME = /^[A-Za-z0-9_.-]+$/
const HOST = '(?<host>[A-Za-z0-9.-]+)'
const SCP_FORM = new RegExp(`^git@${HOST}:(?<path>[^:]+)$`)
const URL_FORM = new RegExp(`^(?:https://|ssh://(?:git@)?)${HOST}/(?<path>.+)$`, 'i')

/**
 * Parses the repository from the URL of a git remote. Undefined unless the URL is clearly on github.com: the result goes
 * into an authenticated call.
 */
export function parseOrigin(address: string): OriginRepository | undefined {
  const { host, ...found } = parseRemote(address) ?? {}
  return host === 'github.com' && 'owner' in found ? found : undefined
}

/** A repository on any host. gh sends nothing to a host that it has no login for. */
export function parseRemote(address: string): ForgeRepository | undefined {
  const { host = '', path } = (SCP_FORM.exec(address) ?? URL_FORM.exec(address))?.groups ?? {}
  const [owner = '', name = '', ...rest] = path?.split('/') ?? []
  const repo = name.replace(/\.git$/, '')
  return rest.length === 0 && isName(owner) && isName(repo) ? { host: host.toLowerCase(), owner, repo } : undefined
}

function isName(text: string): boolean {
  return NAME.test(text) && text !== '.' && text !== '..'
}
