/** What the fake forge knows, and what people do there. Its commits and branches are those of a real bare repository. */
import { execFileSync } from 'node:child_process'
import type { Clock } from '../../../src/kit/clock.ts'

export type ForgeRequest = {
  readonly method: string
  readonly path: string
  readonly isConditional: boolean
  readonly token?: string | undefined
  readonly body?: Readonly<Record<string, unknown>> | undefined
}
export type ForgeRefusal = {
  readonly status: number
  readonly message?: string
  readonly headers?: Readonly<Record<string, string>>
}

type Comment = { id: number; on: number; author: string; body: string; createdAt: string; updatedAt: string }
type LineComment = Comment & { path: string; line: number; thread: number; review: number }
type Review = { id: number; on: number; author: string; body: string; state: string; commit: string; createdAt: string }
export type Item = {
  number: number
  title: string
  body: string
  author: string
  labels: string[]
  state: 'open' | 'closed'
  createdAt: string
  edit?: { by: string; at: string }
  /** Of a pull request. */
  pull?: { branch: string; base: string; isDraft: boolean; mergeCommit?: string; lastHead: string }
}

/** A job of GitHub Actions. `log` is what it printed. */
export type FakeCheck = { name: string; conclusion: string | null; log?: string }

/** The account whose token gh has. */
export const VIEWER = 'drover-bot'

export class ForgeState {
  readonly bare: string
  readonly items = new Map<number, Item>()
  readonly comments: Comment[] = []
  readonly lineComments: LineComment[] = []
  readonly reviews: Review[] = []
  readonly events: { on: number; event: string; label: string; actor: string; createdAt: string }[] = []
  /** By login. Everybody else may read. */
  readonly permissions = new Map<string, string>([
    [VIEWER, 'write'],
    ['ada', 'admin'],
    ['grace', 'write'],
  ])
  readonly resolved = new Set<number>()
  required: string[] = []
  defaultBranch = 'main'
  /** The checks of a commit. Asked whenever a client asks. */
  ci: (commit: string) => readonly FakeCheck[] = () => []
  /** Every request that a client made. */
  readonly requests: ForgeRequest[] = []
  /** Refuses a request instead of answering it. */
  refuse: (request: ForgeRequest) => ForgeRefusal | undefined = () => undefined
  /** Lets a request wait before it is answered. */
  hold: (request: ForgeRequest) => Promise<void> | undefined = () => undefined
  /** Sends each answer byte by byte. */
  isSlow = false
  /** Called after a change, such as a comment, before the client hears of it. */
  onChange: (request: ForgeRequest) => void = () => undefined
  /** Called when git asks for the branches before a push, before the push is done, and before the client hears that it is. */
  onPush: (moment: 'asked' | 'sent' | 'done') => void = () => undefined
  readonly #clock: Clock
  #lastId = 0

  constructor(bare: string, clock: Clock) {
    this.bare = bare
    this.#clock = clock
  }

  git(...args: string[]): string {
    const env = { PATH: process.env['PATH'], GIT_CONFIG_NOSYSTEM: '1', HOME: this.bare, ...AUTHOR }
    return execFileSync('git', ['--git-dir', this.bare, ...args], { env, encoding: 'utf8' }).trim()
  }

  /** Undefined if there is no such branch. */
  headOf(branch: string): string | undefined {
    return this.git('for-each-ref', '--format=%(objectname)', `refs/heads/${branch}`) || undefined
  }

  nextId(): number {
    this.#lastId += 1
    return this.#lastId
  }

  now(): string {
    return this.#clock
      .now()
      .toISOString()
      .replace(/\.\d+Z$/, 'Z')
  }

  addIssue(title: string, body = '', author = 'ada'): Item {
    const number = 1 + Math.max(0, ...this.items.keys())
    const item: Item = { number, title, body, author, labels: [], state: 'open', createdAt: this.now() }
    this.items.set(number, item)
    return item
  }

  label(on: number, label: string, actor: string, createdAt = this.now()): void {
    this.items.get(on)?.labels.push(label)
    this.events.push({ on, event: 'labeled', label, actor, createdAt })
  }

  unlabel(on: number, label: string, actor: string): void {
    const item = this.items.get(on)
    if (item !== undefined) item.labels = item.labels.filter((each) => each !== label)
    this.events.push({ on, event: 'unlabeled', label, actor, createdAt: this.now() })
  }

  addComment(on: number, author: string, body: string): Comment {
    const [id, createdAt] = [this.nextId(), this.now()]
    const comment = { id, on, author, body, createdAt, updatedAt: createdAt }
    this.comments.push(comment)
    return comment
  }

  /** A comment on a line, or an answer in its thread. */
  addLineComment(on: number, author: string, body: string, at: { path: string; line: number } | { thread: number }) {
    const [id, createdAt] = [this.nextId(), this.now()]
    const first = 'thread' in at ? this.lineComments.find((each) => each.id === at.thread) : undefined
    const place =
      'thread' in at ? { path: first?.path ?? '', line: first?.line ?? 1, thread: at.thread } : { ...at, thread: id }
    const comment = { id, on, author, body, createdAt, updatedAt: createdAt, review: 0, ...place }
    this.lineComments.push(comment)
    return comment
  }

  addReview(on: number, author: string, state: string, body = ''): Review {
    const commit = this.headOfPull(on)
    const review = { id: this.nextId(), on, author, body, state, commit, createdAt: this.now() }
    this.reviews.push(review)
    return review
  }

  /** Also of a branch that was deleted. */
  headOfPull(number: number): string {
    const pull = this.items.get(number)?.pull
    if (pull === undefined) return ''
    if (this.items.get(number)?.state === 'open') pull.lastHead = this.headOf(pull.branch) ?? pull.lastHead
    return pull.lastHead
  }

  /** A commit with these files on top of a branch, as a person pushes it. `onto` replaces the branch, as a forced push does. */
  pushFiles(
    branch: string,
    files: Readonly<Record<string, string>>,
    { onto = branch, message = 'a change' } = {},
  ): string {
    const parent = this.git('rev-parse', onto)
    const blobs = Object.entries(files).map(([path, text]) => {
      const hash = execFileSync('git', ['--git-dir', this.bare, 'hash-object', '-w', '--stdin'], {
        input: text,
        encoding: 'utf8',
      })
      return `100644 blob ${hash.trim()}\t${path}`
    })
    const kept = this.git('ls-tree', parent)
      .split('\n')
      .filter((line) => line !== '' && files[line.split('\t')[1] ?? ''] === undefined)
    const lines = [...kept, ...blobs]
    const tree = execFileSync('git', ['--git-dir', this.bare, 'mktree'], {
      input: `${lines.join('\n')}\n`,
      encoding: 'utf8',
    })
    const commit = this.git('commit-tree', tree.trim(), '-p', parent, '-m', message)
    this.git('update-ref', `refs/heads/${branch}`, commit)
    return commit
  }

  /** As the button does, with a merge commit. */
  merge(number: number): string {
    const item = this.items.get(number)
    if (item?.pull === undefined) throw new Error(`${number} is no pull request`)
    const { base, branch } = item.pull
    const head = this.headOfPull(number)
    const tree = this.git('merge-tree', '--write-tree', base, head)
    const commit = this.git('commit-tree', tree, '-p', this.git('rev-parse', base), '-p', head, '-m', `Merge ${branch}`)
    this.git('update-ref', `refs/heads/${base}`, commit)
    item.state = 'closed'
    item.pull.mergeCommit = commit
    return commit
  }

  renameBranch(from: string, to: string): void {
    this.git('branch', '-m', from, to)
    if (this.defaultBranch === from) this.defaultBranch = to
    for (const { pull } of this.items.values()) if (pull?.base === from) pull.base = to
  }
}

const AUTHOR = {
  GIT_AUTHOR_NAME: 'Grace',
  GIT_AUTHOR_EMAIL: 'grace@example.com',
  GIT_COMMITTER_NAME: 'Grace',
  GIT_COMMITTER_EMAIL: 'grace@example.com',
}
