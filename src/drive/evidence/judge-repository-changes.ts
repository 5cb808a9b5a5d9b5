/**
 * Judges what has changed in a repository while an agent ran. drover cannot tell for sure who changed it: a person may have worked
 * there too. What nothing ties to the agent is only a note. docs/decisions/0074-who-changed-the-repository.md has the rules. Pure.
 */
import { join, normalize, relative } from 'node:path'
import type { RepositoryChange } from '../../workspace/repository-state.ts'
import type { WorktreeHeads } from '../../workspace/worktree-heads.ts'
import type { JudgedChange, TraceEntry } from '../record/drive-event.shape.ts'

type Note = NonNullable<JudgedChange['note']>

export type ChangeFacts = {
  /** What the agent was seen to do. */
  readonly trace: readonly TraceEntry[]
  /** The root of its worktree, and the folder in it where it worked. */
  readonly root: string
  readonly directory: string
  readonly home: string | undefined
  /** Directories in which the agent has nothing to do: the worktree of the user, the git directory, other worktrees. */
  readonly places: readonly string[]
  /** The commits that git noted meanwhile in worktrees of the user. */
  readonly byUser: ReadonlySet<string>
  /** Someone fetched in the worktree of the user. */
  readonly isFetched: boolean
  /** All refs after the attempt. */
  readonly refs: Readonly<Record<string, string>>
  /** The only ref that is taken back from the boundary of the agent. Undefined: it had none. */
  readonly ownRef?: string | undefined
  /** The files of the user with the same content as in the work of the agent. */
  readonly sameContent: ReadonlySet<string>
}

/** Serious ones first. */
export function judgeChanges(changes: readonly RepositoryChange[], facts: ChangeFacts): JudgedChange[] {
  const isNamed = namesOthers(facts)
  const created = new Set(
    changes.filter((each) => each.before === undefined && isNotedByUser(each, facts)).map(({ name }) => name),
  )
  const judged = changes.map((change): JudgedChange => {
    const note = noteOfBoundary(change, facts) ?? (isNamed ? undefined : noteFor(change, { ...facts, created }))
    const { keys, ...rest } = change
    return { ...rest, ...(keys !== undefined && { keys: [...keys] }), ...(note !== undefined && { note }) }
  })
  return [...judged.filter(({ note }) => note === undefined), ...judged.filter(({ note }) => note !== undefined)]
}

/** What a boundary does not let an agent change. Settings and hooks stay serious: they would matter most if the boundary had a gap. */
function noteOfBoundary({ what, name }: RepositoryChange, { ownRef }: ChangeFacts): Note | undefined {
  if (ownRef === undefined) return undefined
  const isOutOfReach = what === 'file' || what === 'head' || (what === 'ref' && name !== ownRef)
  return isOutOfReach ? 'sandboxed' : undefined
}

type NoteFacts = ChangeFacts & {
  /** The branches that the user has created meanwhile. */
  readonly created: ReadonlySet<string>
}

function noteFor(change: RepositoryChange, facts: NoteFacts): Note | undefined {
  switch (change.what) {
    case 'file':
      return facts.sameContent.has(change.name) ? undefined : 'no_tool_call'
    case 'head':
      return facts.byUser.size > 0 ? 'own_log' : undefined
    case 'ref':
      return noteForRef(change, facts)
    case 'config':
      return isTrackingOf(change, facts.created) ? 'own_log' : undefined
    case 'git_file':
      return change.name === 'shallow' && isFetchedByUser(facts) ? 'fetched' : undefined
    default:
      return undefined
  }
}

function noteForRef(change: RepositoryChange, facts: NoteFacts): Note | undefined {
  const { name, before, after } = change
  if (isNotedByUser(change, facts)) return 'own_log'
  if (name === 'refs/stash') return facts.byUser.size > 0 && !hasRun(facts, STASH) ? 'own_log' : undefined
  const isRemote = name.startsWith('refs/remotes/')
  if (isRemote || (name.startsWith('refs/tags/') && before === undefined)) {
    if (isFetchedByUser(facts)) return 'fetched'
    const branch = name.replace(/^refs\/remotes\/[^/]+\//, 'refs/heads/')
    const isPushed = isRemote && after !== undefined && facts.refs[branch] === after
    return isPushed && !hasRun(facts, EXCHANGE) ? 'no_tool_call' : undefined
  }
  return undefined
}

/** A commit that was made in the worktree of the user, or a branch that was created there. */
function isNotedByUser({ what, name, after }: RepositoryChange, { byUser }: ChangeFacts): boolean {
  return what === 'ref' && name.startsWith('refs/heads/') && after !== undefined && byUser.has(after)
}

const STASH = /\bgit\b.*\b(?:stash|update-ref)\b/
const EXCHANGE = /\bgit\b.*\b(?:fetch|pull|push|remote|tag|update-ref)\b/

function isFetchedByUser(facts: ChangeFacts): boolean {
  return facts.isFetched && !hasRun(facts, EXCHANGE)
}

function hasRun({ trace }: ChangeFacts, pattern: RegExp): boolean {
  return trace.some((entry) => entry.did === 'command' && pattern.test(entry.command))
}

/** Git writes these when a person creates a branch that follows a remote one. */
function isTrackingOf({ name, keys = [] }: RepositoryChange, created: ReadonlySet<string>): boolean {
  const branches = keys.map((key) => /^branch\.(.+)\.(?:remote|merge|rebase)$/.exec(key)?.[1])
  return name === 'config' && keys.length > 0 && branches.every((each) => created.has(`refs/heads/${each}`))
}

/** Whether the agent named a place where it had nothing to do. */
export function namesOthers(facts: ChangeFacts): boolean {
  return facts.trace.some((entry) => namesPlace(entry, facts))
}

function namesPlace(entry: TraceEntry, { root, directory, home, places }: ChangeFacts): boolean {
  const isOutside = (path: string) => !isWithin(path, root) && places.some((place) => isWithin(path, place))
  if (entry.did === 'edit') return entry.paths.some((path) => isOutside(resolveIn(directory, path)))
  const line = entry.command.replace(/["'`]/g, '')
  const text = home === undefined ? line : line.replace(/(?<![\w/])~(?=\/)|\$HOME\b|\$\{HOME\}/g, home)
  if (/--git-common-dir|--git-dir=|\bGIT_(?:COMMON_)?DIR=/.test(text)) return true
  return (text.match(/[^\s;|&()<>=]+/g) ?? []).some((word) => isPath(word) && isOutside(resolveIn(directory, word)))
}

function isPath(word: string): boolean {
  return word.startsWith('/') || word.split('/').includes('..')
}

function resolveIn(directory: string, path: string): string {
  return path.startsWith('/') ? normalize(path) : join(directory, path)
}

function isWithin(path: string, place: string): boolean {
  const way = relative(place, path)
  return way !== '..' && !way.startsWith('../')
}

export type OtherRuns = {
  readonly before: WorktreeHeads
  readonly after: WorktreeHeads
  /** The worktree of the run itself. */
  readonly own: string
  /** The commits that git noted meanwhile in each worktree. */
  readonly noted: ReadonlyMap<string, ReadonlySet<string>>
  /** All refs after the attempt. */
  readonly refs: Readonly<Record<string, string>>
  readonly recorded: RecordedRefs
}

/** What other runs have recorded about refs: the commits that they put there, and those that were there when they removed them. */
export type RecordedRefs = {
  readonly put: ReadonlyMap<string, ReadonlySet<string>>
  readonly removed: ReadonlyMap<string, ReadonlySet<string>>
}

/** Whether a ref was changed by the run that it belongs to, and not from the worktree of another run. */
export function isOfOtherRun(change: RepositoryChange, runs: OtherRuns): boolean {
  const { what, name, after } = change
  const [, branch] = /^refs\/(?:heads|remotes\/[^/]+)\/(.+)$/.exec(name) ?? []
  if (what !== 'ref') return false
  if (isRecorded(change, runs.recorded)) return true
  if (branch === undefined) return false
  const hadOne = Object.entries(runs.before).filter(([, head]) => head.is_ours === true && head.branch === branch)
  const isGone = hadOne.length > 0 && hadOne.every(([place]) => runs.after[place] === undefined)
  if (after === undefined) return isGone
  // What is pushed was committed before.
  const isPushed = name !== `refs/heads/${branch}` && runs.refs[`refs/heads/${branch}`] === after
  return Object.entries(runs.after).some(
    ([place, head]) =>
      head.is_ours === true &&
      head.branch === branch &&
      (isPushed || runs.noted.get(place)?.has(after) === true || isWithoutLogs(runs)),
  )
}

function isRecorded({ name, before = '', after }: RepositoryChange, { put, removed }: RecordedRefs): boolean {
  if (after === undefined) return removed.get(name)?.has(before) === true
  const pushedFrom = name.replace(/^refs\/remotes\/[^/]+\//, 'refs/heads/')
  return put.get(pushedFrom)?.has(after) === true
}

/** Some repositories keep no logs. Then nothing shows who has moved a branch. */
function isWithoutLogs({ before, own }: OtherRuns): boolean {
  return before[own]?.log === undefined
}
