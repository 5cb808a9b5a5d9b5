/*
 * Observes the state of a worktree: the checked-out commit, the index, the output of git status, and the content of each
 * listed path and of each that the index hides from git, within a budget. Two observations of the same state are equal in
 * every field, so one hash shows whether anything changed in between.
 */
import { setImmediate as nextTurn } from 'node:timers/promises'
import type { GitObservation, PathObservation } from '../contract/git-observation.shape.ts'
import { type Digest, digest, digestSections } from '../kit/digest.ts'
import { Fault } from '../kit/fault.ts'
import { compareBytes } from '../kit/utf8.ts'
import { discoverWorkspace } from './discover-workspace.ts'
import { gitInterrupted, gitObservationFailed } from './faults.ts'
import type { Git } from './git.ts'
import { type Index, readIndex } from './hidden-paths.ts'
import { createPathReader, observePath } from './observe-path.ts'
import { ContentBudget, type ContentLimits, type PathDisk } from './read-content.ts'
import { askStatus, type ChangedPath, type WorktreeStatus } from './worktree-status.ts'

/** How long reading files may block the event loop. */
const TURN_MS = 20

export type ObserveOptions = {
  /** A path in the worktree. */
  start: string
  /** Set if `start` is the root of the worktree, so that git need not be asked. */
  isRoot?: true
  git: Git
  signal: AbortSignal
  limits?: ContentLimits
  disk?: PathDisk
}

/** Throws `git_observation_failed`. A path that cannot be read is part of the observation, not a failure. */
export async function observeGit(options: ObserveOptions): Promise<GitObservation> {
  return (await observeAllPaths(options)).observation
}

/** All paths, and the observation, which may list only the first of them. */
type WholeObservation = {
  readonly observation: GitObservation
  readonly paths: readonly PathObservation[]
  /** Those that git is told not to look at, changed or not. */
  readonly hidden: readonly string[]
  /** How many paths a sparse checkout leaves out. */
  readonly leftOut: number
}

export async function observeAllPaths(options: ObserveOptions): Promise<WholeObservation> {
  try {
    const { start, isRoot } = options
    const root = isRoot ? start : (await discoverWorkspace(options)).worktree_root
    const answers = await askAboutWorktree(options, root)
    const { hidden, leftOut } = answers.index
    const changed = withHidden(answers.status.changed, hidden)
    const budget = new ContentBudget(options.limits)
    const paths = await observePaths(changed, { ...options, root, budget })
    const observation = toGitObservation({ ...answers, observations: paths, budget })
    return { observation, paths, hidden: hidden.map(({ path }) => path), leftOut }
  } catch (error) {
    if (!(error instanceof Fault)) throw error
    throw gitObservationFailed({ root: options.start, problem: error.message }, error)
  }
}

type GitAnswers = { index: Index; status: WorktreeStatus }

/** Asks in parallel, so that the answers are about nearly the same moment. */
async function askAboutWorktree({ git, signal }: ObserveOptions, directory: string): Promise<GitAnswers> {
  const failure = new AbortController()
  const around = { directory, signal: AbortSignal.any([signal, failure.signal]) }
  const asked = [readIndex(git, around), askStatus(git, around)] as const
  try {
    const [index, status] = await Promise.all(asked)
    return { index, status }
  } catch (error) {
    failure.abort()
    await Promise.allSettled(asked)
    throw error
  }
}

function withHidden(changed: readonly ChangedPath[], hidden: readonly ChangedPath[]): readonly ChangedPath[] {
  if (hidden.length === 0) return changed
  const listed = new Set(changed.map(({ path }) => path))
  const more = hidden.filter(({ path }) => !listed.has(path))
  return [...changed, ...more].sort((a, b) => compareBytes(a.path, b.path))
}

async function observePaths(
  changed: readonly ChangedPath[],
  { signal, ...around }: ObserveOptions & { root: string; budget: ContentBudget },
): Promise<PathObservation[]> {
  const reader = createPathReader(around)
  const observations: PathObservation[] = []
  let turnEnds = performance.now() + TURN_MS
  for (const each of changed) {
    observations.push(observePath(each, reader))
    if (performance.now() < turnEnds) continue
    await nextTurn()
    if (signal.aborted) throw gitInterrupted({ command: 'the observation' })
    turnEnds = performance.now() + TURN_MS
  }
  return observations
}

type Observed = GitAnswers & {
  observations: readonly PathObservation[]
  budget: Pick<ContentBudget, 'limitBytes' | 'hashedBytes' | 'wasTooSmall' | 'wasTooShort'>
}

/** A missing file counts as observed. Only files that could not be read make the observation incomplete. */
function toGitObservation({ index, status, observations, budget }: Observed): GitObservation {
  const retained = limitObservations(observations)
  const isSeen = ({ observation }: PathObservation) => !['unreadable', 'content_unobserved'].includes(observation)
  const seen = {
    version: 1,
    head: status.head,
    index_fingerprint: digest(index.entries),
    status_fingerprint: digest(status.output),
    path_fingerprint: fingerprintPaths(observations),
    path_count: observations.length,
    details_truncated: retained.length < observations.length,
    content_observation_complete: observations.every(isSeen),
    content_bytes_hashed: budget.hashedBytes,
    content_byte_limit: budget.limitBytes,
    content_byte_limit_exceeded: budget.wasTooSmall,
    content_deadline_exceeded: budget.wasTooShort,
    dirty_files: retained.map(({ path }) => path),
    path_observations: retained,
  } as const
  return { ...seen, snapshot_hash: hashSnapshot(seen) }
}

type Section = readonly [name: string, content: string]

/** Covers all paths in order. */
export function fingerprintPaths(observations: readonly PathObservation[]): Digest {
  return digestSections([['path_count', `${observations.length}`], ...observations.flatMap(toSections)])
}

/** Covers a whole observation: two observations with the same hash are equal. */
export function hashSnapshot(observation: Omit<GitObservation, 'snapshot_hash'>): Digest {
  const fields = [
    'version',
    'head',
    'index_fingerprint',
    'status_fingerprint',
    'path_count',
    'path_fingerprint',
    'details_truncated',
    'content_observation_complete',
    'content_bytes_hashed',
    'content_byte_limit',
    'content_byte_limit_exceeded',
    'content_deadline_exceeded',
  ] as const
  const { path_observations } = observation
  return digestSections([
    ...fields.map((field) => [field, `${observation[field]}`] as const),
    ['retained_path_count', `${path_observations.length}`],
    ...path_observations.flatMap(toSections),
  ])
}

function toSections(observation: PathObservation): Section[] {
  return [
    ['path', observation.path],
    ['category', observation.category],
    ['state', observation.state],
    ['observation', observation.observation],
    ['size', `${observation.size ?? 'unknown'}`],
    ['modified_unix_nano', `${observation.modified_unix_nano ?? 'unknown'}`],
    ['content_sha256', observation.content_sha256 ?? ''],
    ['content_fingerprint_kind', observation.content_fingerprint_kind ?? ''],
  ]
}

/** The approximate size of the details in a journal record. */
const COST_LIMIT = 512 * 1024

/** The first observations that fit. The list ends at the first that does not fit, so no path is skipped. */
export function limitObservations(observations: readonly PathObservation[]): readonly PathObservation[] {
  let cost = 0
  const end = observations.findIndex((observation) => {
    cost += estimateCost(observation)
    return cost > COST_LIMIT
  })
  return end === -1 ? observations : observations.slice(0, end)
}

/** An upper bound of its JSON size: a byte may take six characters (`\u0000`), and a path is listed twice. */
function estimateCost(observation: PathObservation): number {
  const { path, category, state, content_sha256 = '', content_fingerprint_kind = '' } = observation
  const words = [category, state, observation.observation]
  return 12 * bytesOf([path]) + 6 * bytesOf(words) + bytesOf([content_sha256, content_fingerprint_kind]) + 320
}

function bytesOf(texts: readonly string[]): number {
  return texts.reduce((sum, text) => sum + Buffer.byteLength(text), 0)
}
