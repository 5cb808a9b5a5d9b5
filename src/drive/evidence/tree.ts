/** The state of the worktree before and after an attempt, and what differs. Pure. */
import type { GitObservation, PathObservation } from '../../contract/git-observation.shape.ts'
import type { ObservedConfiguration, UnseenConfiguration } from '../../workspace/unseen-configuration.ts'
import type { Tree } from '../record/drive-event.shape.ts'

type Observed = { paths?: readonly PathObservation[]; leftOut: number; unseen: UnseenConfiguration }

/** `paths` are those that it lists: a record has no room for more than the observation has. */
export function toTree(git: GitObservation, { paths = git.path_observations, leftOut, unseen }: Observed): Tree {
  const isCut = paths.length < git.path_count
  return {
    head: git.head,
    snapshot: git.snapshot_hash,
    is_complete: git.content_observation_complete && !isCut,
    ...(isCut && { is_cut: true }),
    ...(leftOut > 0 && { left_out: leftOut }),
    paths: toMarks(paths),
    ...(unseen.paths.length > 0 && { configuration: toMarks(unseen.paths) }),
    ...(unseen.isCut && { configuration_is_cut: true }),
  }
}

function toMarks(paths: readonly ObservedConfiguration[]): Record<string, string> {
  return Object.fromEntries(paths.map((each) => [each.path, toMark(each)]))
}

/** Changes with the content of the path, and not with whether it is staged. */
function toMark({ observation, content_sha256, size, modified_unix_nano }: ObservedConfiguration): string {
  return `${observation} ${content_sha256 ?? [size, modified_unix_nano].join(' ')}`
}

/** The paths whose content was not read. */
export function unreadPaths({ paths }: Tree): string[] {
  return Object.keys(paths).filter((path) => /^(?:unreadable|content_unobserved) /.test(paths[path] ?? ''))
}

/** The paths that differ, sorted. `committed` are the paths that differ between the two commits. */
export function changedPaths(before: Tree, after: Tree, committed: readonly string[]): string[] {
  return [...new Set([...differing(before.paths, after.paths), ...committed])].sort()
}

/** The settings and instructions of agents that differ, and that git does not show. */
export function changedUnseen({ configuration: before = {} }: Tree, { configuration: after = {} }: Tree): string[] {
  return [...new Set(differing(before, after))].sort()
}

/** Whether the repository told git to run something else before. */
export function hasOtherGitConfiguration(before: Tree, after: Tree): boolean {
  return changedUnseen(before, after).some((path) => /^\.git(?:\/|$)/.test(path))
}

function differing(before: Tree['paths'], after: Tree['paths']): string[] {
  return [...Object.keys(before), ...Object.keys(after)].filter((path) => before[path] !== after[path])
}
