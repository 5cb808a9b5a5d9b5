import type { GitObservation, PathObservation } from '../../contract/git-observation.shape.ts'
import type { Run } from './run.ts'

/** Whether the worktree differs from how it was when the run started, as far as git could observe it. */
export function isWorktreeChanged(run: Run): boolean {
  return isChanged(run.initial_git, run.current_git)
}

/**
 * Whether two observations certainly differ. Missing content is not evidence: a file that was read only once may be
 * unchanged.
 */
export function isChanged(before: GitObservation, after: GitObservation): boolean {
  if (before.snapshot_hash === after.snapshot_hash) return false
  if (before.content_observation_complete && after.content_observation_complete) return true
  const fingerprints = ['head', 'index_fingerprint', 'status_fingerprint'] as const
  if (fingerprints.some((field) => before[field] !== after[field])) return true
  const earlier = new Map(before.path_observations.map((each) => [each.path, each]))
  return after.path_observations.some((now) => {
    const then = earlier.get(now.path)
    return then !== undefined && isPathChanged(then, now)
  })
}

function isPathChanged(then: PathObservation, now: PathObservation): boolean {
  if (then.category !== now.category || then.state !== now.state) return true
  if (isConcrete(then) && isConcrete(now) && then.observation !== now.observation) return true
  if (then.content_sha256 !== undefined && now.content_sha256 !== undefined) {
    const kinds = [then.content_fingerprint_kind, now.content_fingerprint_kind]
    return then.content_sha256 !== now.content_sha256 || kinds[0] !== kinds[1]
  }
  return then.size !== undefined && now.size !== undefined && then.size !== now.size
}

/** Whether the observation tells what is at the path. */
function isConcrete({ observation }: PathObservation): boolean {
  return observation !== 'unreadable' && observation !== 'content_unobserved'
}
