/** Decides which run of the queue starts next. Pure. */
import type { DriveState } from '../record/drive-state.ts'

/** A run that waits in the queue. */
export type QueuedRun = {
  readonly id: string
  /** The key that has queued it; empty for the user. */
  readonly key: string
  readonly repository: string
  readonly position: number
  /** The user put it before all others. */
  readonly isFirst: boolean
  /** The run whose branch it starts on, and how far that is. */
  readonly after?: { readonly id: string; readonly is: 'open' | 'delivered' | 'not_delivered' | 'gone' }
  /** The runs that were queued together have used what they may use. */
  readonly isTotalReached: boolean
  /** Its agent has reached a limit, and the run would only wait for it. */
  readonly isLimited?: boolean
}

type Owner = Pick<QueuedRun, 'key' | 'repository'>

export type QueueFacts = {
  readonly queued: readonly QueuedRun[]
  /** The runs that are driven now, without those that use no agent: they wait for a limit, or follow their pull request. */
  readonly running: readonly Owner[]
  /** When runs were taken from the queue. */
  readonly taken: readonly (Owner & { readonly at: string })[]
  /** How many may be driven at once. */
  readonly parallel: number
}

export const QUEUE_WAITS = ['turn', 'run', 'run_not_delivered', 'run_gone', 'total', 'limit'] as const

export type PlannedRun = {
  readonly id: string
  /** Undefined: it starts now. */
  readonly waitsFor?: QueueWait
}

export type QueueWait = (typeof QUEUE_WAITS)[number]

/** For people. `after` is the run whose branch it starts on. */
export function describeWait(waitsFor: QueueWait, after = ''): string {
  switch (waitsFor) {
    case 'turn':
      return 'waits for its turn'
    case 'run':
      return `starts on the branch of ${after}, when that is delivered`
    case 'run_not_delivered':
      return `waits for ${after}, which has ended without a branch`
    case 'run_gone':
      return `waits for ${after}, which does not exist any more`
    case 'total':
      return 'waits for a higher --total-tokens or --total-cost: its group has used what it may use'
    case 'limit':
      return 'waits until the limit of its agent is reset'
  }
}

/** Where a queued run is moved to. */
export type QueuePlace = 'first' | 'last' | { readonly before: string }

/** The ids in their new order. Undefined if one that is named is not among them. */
export function reorder(ids: readonly string[], id: string, place: QueuePlace): string[] | undefined {
  const others = ids.filter((each) => each !== id)
  const at = typeof place === 'object' ? others.indexOf(place.before) : place === 'first' ? 0 : others.length
  return at === -1 || !ids.includes(id) ? undefined : others.toSpliced(at, 0, id)
}

/** All queued runs in the order in which they start. Those that cannot start yet come last. */
export function planQueue({ queued, running, taken, parallel }: QueueFacts): PlannedRun[] {
  const free = Math.max(0, parallel - running.length)
  const blocked = queued.filter((each) => blockOf(each) !== undefined).sort(byPosition)
  const ordered = inTurns(
    queued.filter((each) => blockOf(each) === undefined),
    { running, taken },
  )
  return [
    ...ordered.map(({ id }, index): PlannedRun => (index < free ? { id } : { id, waitsFor: 'turn' })),
    ...blocked.map((each): PlannedRun => ({ id: each.id, waitsFor: blockOf(each) ?? 'turn' })),
  ]
}

const AFTER = { open: 'run', not_delivered: 'run_not_delivered', gone: 'run_gone', delivered: undefined } as const

/** Undefined if only other runs are before it. */
export function blockOf({ after, isTotalReached, isLimited }: QueueBlocks): QueueWait | undefined {
  return isTotalReached ? 'total' : ((after && AFTER[after.is]) ?? (isLimited === true ? 'limit' : undefined))
}

export type QueueBlocks = Pick<QueuedRun, 'after' | 'isTotalReached' | 'isLimited'>

/** The key with the fewest runs is next, then its repository with the fewest, then the one that has waited longest. */
function inTurns(queued: readonly QueuedRun[], { running, taken }: Pick<QueueFacts, 'running' | 'taken'>): QueuedRun[] {
  const left = [...queued]
  const ordered: QueuedRun[] = []
  const load = (is: (other: Owner) => boolean) => [...running, ...ordered].filter(is).length
  const lastTaken = (is: (other: Owner) => boolean) => {
    const inPlan = ordered.findLastIndex(is)
    // What the plan takes is taken after everything else.
    if (inPlan !== -1) return `~${String(inPlan).padStart(10, '0')}`
    return taken.filter(is).reduce((latest, { at }) => (at > latest ? at : latest), '')
  }
  while (left.length > 0) {
    const ranked = left.map((run) => {
      const isKey = (other: Owner) => other.key === run.key
      const isSame = (other: Owner) => isKey(other) && other.repository === run.repository
      return { run, rank: [load(isKey), load(isSame)], at: [lastTaken(isKey), lastTaken(isSame)] }
    })
    const [next] = ranked.sort(
      (a, b) =>
        Number(b.run.isFirst) - Number(a.run.isFirst) ||
        (a.run.isFirst ? byPosition(a.run, b.run) : 0) ||
        compare(a.rank[0], b.rank[0]) ||
        compare(a.rank[1], b.rank[1]) ||
        compare(a.at[0], b.at[0]) ||
        compare(a.at[1], b.at[1]) ||
        byPosition(a.run, b.run),
    )
    if (next === undefined) break
    left.splice(left.indexOf(next.run), 1)
    ordered.push(next.run)
  }
  return ordered
}

function compare<T extends string | number>(a: T | undefined, b: T | undefined): number {
  if (a === b || a === undefined || b === undefined) return 0
  return a < b ? -1 : 1
}

function byPosition(a: QueuedRun, b: QueuedRun): number {
  return a.position - b.position || compare(a.id, b.id)
}

/** The commit that a run has left for those after it. Undefined if it has delivered no branch. */
export function deliveredCommit({ delivered, place }: Pick<DriveState, 'delivered' | 'place'>): string | undefined {
  if (delivered === undefined || place.kind !== 'worktree') return undefined
  if (delivered.as !== 'none') return delivered.commit
  // Nothing was to be changed.
  return delivered.branch !== undefined && delivered.commit === undefined ? place.base : undefined
}

type Changing = {
  readonly id: string
  readonly repository: string
  /** The run whose branch it starts on: that they change the same files is no surprise. */
  readonly after?: string | undefined
  /** The round that continues it, in the same worktree. */
  readonly next?: string | undefined
  readonly files: readonly string[]
}

export type Overlap = { readonly run_id: string; readonly files: readonly string[] }

/** Which of the others change the same files as this run. */
export function overlapsOf(run: Changing, others: readonly Changing[]): Overlap[] {
  const own = new Set(run.next === undefined ? run.files : [])
  return others
    .filter(({ id, repository, next }) => id !== run.id && repository === run.repository && next === undefined)
    .filter(({ id, after }) => after !== run.id && run.after !== id)
    .map(({ id, files }) => ({ run_id: id, files: files.filter((file) => own.has(file)).sort() }))
    .filter(({ files }) => files.length > 0)
}

/** What the latest attempt left in the worktree. A run that has not begun inherits that of the round before. */
export function filesOf(rounds: readonly Pick<DriveState, 'attempts'>[]): string[] {
  const ended = rounds.flatMap(({ attempts }) => attempts.toReversed()).find((each) => each.ended !== undefined)?.ended
  return Object.keys(ended?.tree?.paths ?? {})
}
