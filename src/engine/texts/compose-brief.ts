import type { GitObservation, PathObservation } from '../../contract/git-observation.shape.ts'
import { LIMITS } from '../../contract/limits.ts'
import { isWorktreeChanged } from '../state/git-changes.ts'
import type { ActionKind, Run } from '../state/run.ts'
import { cutToBytes, oneLine } from './text.ts'

/** The brief of an action. A review or summary of a changed worktree also gets the state at the start of the run. */
export function composeBrief(run: Run, kind: ActionKind, text: string): string {
  const coversChanges = kind === 'review' || kind === 'summarize'
  const parts = [text.trim(), ...(coversChanges && isWorktreeChanged(run) ? [baseline(run.initial_git)] : [])]
  return cutToBytes(parts.join('\n\n'), LIMITS.briefBytes)
}

function baseline(git: GitObservation): string {
  const attribution =
    'The worktree differs from its state at the start of the run. The cause of the difference is unknown: do not attribute it to this run without evidence.'
  return `${attribution}\n\n${dirtyAtStart(git).join('\n')}`
}

/** The paths that were dirty when the run started, one per line. */
export function dirtyAtStart(git: GitObservation): string[] {
  const { path_count, path_observations, path_fingerprint, snapshot_hash } = git
  if (path_count === 0) return ['No path was dirty when the run started.']
  const omitted = path_count - path_observations.length
  return [
    `Dirty paths when the run started: ${path_count}, of which ${path_observations.length} are listed (path fingerprint ${path_fingerprint}, snapshot ${snapshot_hash})`,
    ...path_observations.map((each) => `- ${describePath(each)}`),
    ...(omitted > 0 ? [`- and ${omitted} more`] : []),
  ]
}

function describePath({ path, category, state, observation, size, content_sha256 }: PathObservation): string {
  const known = [category, state, observation, ...(size === undefined ? [] : [`${size} bytes`]), content_sha256 ?? []]
  return oneLine(`${path} (${known.flat().join(', ')})`)
}
