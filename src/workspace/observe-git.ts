/*
 * What git and the disk say about a worktree at one moment, whatever anybody claims to have done there: the commit that
 * is checked out, the index, what git status lists, and of each listed path its content as far as a budget allows. Two
 * observations of the same state are equal in every field, so one hash tells whether anything was touched in between.
 */
import { setImmediate as nextTurn } from 'node:timers/promises'
import type { GitObservation, PathObservation } from '../contract/git-observation.shape.ts'
import { digest } from '../kit/digest.ts'
import { Fault } from '../kit/fault.ts'
import { ContentBudget, type ContentLimits } from './content-budget.ts'
import { discoverWorkspace } from './discover-workspace.ts'
import { gitFailed, gitInterrupted, gitObservationFailed } from './faults.ts'
import { fingerprintPaths, hashSnapshot } from './fingerprint.ts'
import { askGit, askGitForOutput, type Git, whatGitSaid } from './git.ts'
import { limitObservations } from './limit-observations.ts'
import { createLookout, observePath } from './observe-path.ts'
import { type ChangedPath, parseStatus } from './parse-status.ts'
import type { PathDisk } from './read-content.ts'

/** How long looking at files may keep everything else in this process waiting. */
const TURN_MS = 20

export type ToObserve = {
  /** A place in the worktree. */
  start: string
  /** Whether the place is known to be its root: then git need not be asked. */
  isRoot?: true
  git: Git
  signal: AbortSignal
  limits?: ContentLimits
  disk?: PathDisk
}

/** Throws `git_observation_failed`. A path that cannot be read is part of the observation, not a failure. */
export async function observeGit(toObserve: ToObserve): Promise<GitObservation> {
  try {
    const { start, isRoot } = toObserve
    const root = isRoot ? start : (await discoverWorkspace(toObserve)).worktree_root
    const said = await askAboutWorktree(toObserve, root)
    const changed = parseStatus(said.status)
    const budget = new ContentBudget(toObserve.limits)
    const observations = await observePaths(changed, { ...toObserve, root, budget })
    return toGitObservation({ ...said, observations, budget })
  } catch (error) {
    if (!(error instanceof Fault)) throw error
    throw gitObservationFailed({ root: toObserve.start, problem: error.message }, error)
  }
}

type Said = { head: string; index: Buffer; status: Buffer }

/** Asks all at once, so that the answers are about the same moment as nearly as can be. */
async function askAboutWorktree({ git, signal }: ToObserve, directory: string): Promise<Said> {
  const failure = new AbortController()
  const around = { directory, signal: AbortSignal.any([signal, failure.signal]) }
  const asked = [
    askForHead(git, around),
    askGitForOutput(git, { ...around, args: ['ls-files', '--stage', '-z'] }),
    askGitForOutput(git, { ...around, args: ['status', '--porcelain=v2', '-z', '--untracked-files=all'] }),
  ] as const
  try {
    const [head, index, status] = await Promise.all(asked)
    return { head, index, status }
  } catch (error) {
    failure.abort()
    await Promise.allSettled(asked)
    throw error
  }
}

async function askForHead(git: Git, around: { directory: string; signal: AbortSignal }): Promise<string> {
  const { code, stdout, stderr } = await askGit(git, { ...around, args: ['rev-parse', '--verify', '--quiet', 'HEAD'] })
  if (code === 1 && stderr === '') return 'unborn'
  const head = stdout.toString('latin1').replace(/\n$/, '')
  if (code === 0 && /^(?:[0-9a-f]{40}|[0-9a-f]{64})$/.test(head)) return head
  const problem = code === 0 ? `${JSON.stringify(head)} is not a commit` : whatGitSaid(stderr)
  throw gitFailed({ command: 'git rev-parse', problem })
}

async function observePaths(
  changed: readonly ChangedPath[],
  { signal, ...around }: ToObserve & { root: string; budget: ContentBudget },
): Promise<PathObservation[]> {
  const lookout = createLookout(around)
  const observations: PathObservation[] = []
  let turnEnds = performance.now() + TURN_MS
  for (const each of changed) {
    observations.push(observePath(each, lookout))
    if (performance.now() < turnEnds) continue
    await nextTurn()
    if (signal.aborted) throw gitInterrupted({ command: 'the observation' })
    turnEnds = performance.now() + TURN_MS
  }
  return observations
}

type Observed = Said & {
  observations: readonly PathObservation[]
  budget: Pick<ContentBudget, 'limitBytes' | 'hashedBytes' | 'wasTooSmall' | 'wasTooShort'>
}

/** Puts together what was seen. A missing file was seen to be missing; only what should have been read and was not lacks. */
function toGitObservation({ head, index, status, observations, budget }: Observed): GitObservation {
  const retained = limitObservations(observations)
  const isSeen = ({ observation }: PathObservation) => !['unreadable', 'content_unobserved'].includes(observation)
  const seen = {
    version: 1,
    head,
    index_fingerprint: digest(index),
    status_fingerprint: digest(status),
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
