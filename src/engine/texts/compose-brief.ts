import type { GitObservation, PathObservation } from '../../contract/git-observation.shape.ts'
import { LIMITS } from '../../contract/limits.ts'
import { isWorktreeChanged } from '../state/git-changes.ts'
import type { ActionKind, Run } from '../state/run.ts'
import { cutToBytes, oneLine } from './text.ts'

const REPORT_AND_SUGGEST = 'Change nothing. Report what you found, and suggest the one step that should come next.'

/** The texts that tell an agent what to do in each kind of action. */
export const BRIEFS = {
  start: `Investigate before any work is chosen. Read the code that the goal concerns, check the state of git, and find out how this project is built, tested and linted. ${REPORT_AND_SUGGEST}`,
  decided: `A person has answered. The decision is in the context and applies from now on. Look at the goal and the worktree again in its light. ${REPORT_AND_SUGGEST}`,
  declined: `A person has declined the requested destructive operation; their answer is in the context. Do not carry it out, in whole or in part. Look for a way to reach the goal that destroys nothing. ${REPORT_AND_SUGGEST}`,
  confirmed:
    'A person has authorized what `destructive_authorization` describes, for this action only. Do exactly that: these targets, this impact, and nothing else. If a target or the impact turns out to differ in any way, leave it alone and report `needs_input` with a new request.',
  resumed: `The run was interrupted and now continues. The worktree may have changed meanwhile: inspect it again, and do not rely on earlier reports without checking them. ${REPORT_AND_SUGGEST}`,
  sourceKept: `The run continues with the pinned requirements. Whether the issue has changed since was not checked. Read the sections and inspect the worktree again. ${REPORT_AND_SUGGEST}`,
  sourceRefreshed: `The run continues. The issue was fetched again, and its requirements are unchanged. Read the sections and inspect the worktree again. ${REPORT_AND_SUGGEST}`,
  sourceChosen: `A person has chosen which requirements apply: those of this action. They may differ from the ones that earlier actions worked to. Read every section again, compare the worktree with them, and find out what remains to be done or undone. ${REPORT_AND_SUGGEST}`,
  review:
    'Review the difference between the worktree and its state at the start of the run. Judge whether it does what the goal and the decisions ask for, and whether it does so well. Report findings and doubts only: edit nothing, and fix nothing that you find.',
  reviewAfterSkip:
    'An action was skipped before it could report. Review the whole difference between the worktree and its state at the start of the run, no matter who made it. Report findings and doubts only: edit nothing, and fix nothing that you find.',
  summarize:
    'Summarize the run for the person who started it: what was decided, what changed as far as it was observed, which checks were run and what they showed, what is known to be wrong, what is uncertain, what was skipped, and which files were already dirty when the run started. Claim nothing that was not observed or reported.',
  summarizeAfterSkip:
    'An action was skipped. Summarize the run from what was observed and reported, and say what was skipped and is therefore unknown: what was decided, what changed, which checks were run, what is known to be wrong or uncertain, and which files were already dirty when the run started. Claim nothing that was not observed or reported.',
  summarizeAfterSkippedReview:
    'The review was skipped, so the changes are not reviewed. Say so, and summarize the run: what was decided, what changed as far as it was observed, which checks were run and what they showed, what is known to be wrong, what is uncertain, and which files were already dirty when the run started. Claim nothing that was not observed or reported.',
} as const

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
