import type { GitObservation } from '../../contract/git-observation.shape.ts'
import { LIMITS } from '../../contract/limits.ts'
import type { PinnedSource } from '../../contract/pinned-source.shape.ts'
import type { WorkspaceIdentity } from '../../contract/workspace-identity.shape.ts'
import { type Decided, decideStart } from '../decision.ts'
import { actionTooLarge, goalRequired, invalidGoal } from '../faults.ts'
import { type EarlyRefusal, noHint, startHint } from '../next-hint.ts'
import { seedRun } from '../state/run.ts'
import type { RunSeed } from '../state/run-event.shape.ts'
import { BRIEFS } from '../texts/compose-brief.ts'
import { noteIncompleteContent } from '../texts/notes.ts'
import { encodedBytes, isBlank, isMarkdown } from '../texts/text.ts'
import { checkBudget, DEFAULT_BUDGET, isBudget } from './budget.ts'
import { issueAction } from './issue-action.ts'

export type StartRequest = {
  readonly goal: string
  readonly budget: number
  readonly reviewEnabled: boolean
  readonly workspace_identity: WorkspaceIdentity
  readonly source?: PinnedSource
}

export type StartFacts = {
  readonly runId: string
  readonly actionId: string
  readonly now: string
  readonly git: GitObservation
}

/** Checks the goal alone, before any file is opened. `tooLarge` is the refusal for a goal over the limit. */
export function checkGoal(goal: string, refusals: { none?: EarlyRefusal; tooLarge?: EarlyRefusal } = {}): void {
  const { none = {}, tooLarge = {} } = refusals
  if (isBlank(goal)) throw goalRequired(none)
  if (!isMarkdown(goal)) throw invalidGoal(none)
  const sizeBytes = encodedBytes(goal) + 2
  if (sizeBytes > LIMITS.goalBytes) throw actionTooLarge({ ...tooLarge, sizeBytes, limitBytes: LIMITS.goalBytes })
}

function checkStart({ goal, budget, reviewEnabled, workspace_identity, source }: StartRequest): void {
  const options = { workspace_identity, reviewEnabled, hasSource: source !== undefined }
  const again = { next: startHint({ ...options, budget: isBudget(budget) ? budget : DEFAULT_BUDGET }) }
  checkGoal(goal, { none: { next: noHint(workspace_identity) }, tooLarge: again })
  checkBudget(budget, again)
}

/** Starts a run with an orientation as its first action. */
export function start(request: StartRequest, { runId, actionId, now, git }: StartFacts): Decided & { is: 'changed' } {
  checkStart(request)
  const { goal, budget, reviewEnabled, workspace_identity, source } = request
  const seed: RunSeed = {
    goal,
    workspace_identity,
    review_enabled: reviewEnabled,
    initial_budget: budget,
    initial_git: git,
    ...(source !== undefined && { pinned_source: source }),
    created_at: now,
  }
  const next = startHint({ workspace_identity, budget, reviewEnabled, hasSource: source !== undefined })
  const empty = seedRun(runId, seed)
  const noted = git.content_observation_complete ? empty : noteIncompleteContent(empty)
  return decideStart(seed, issueAction(noted, { kind: 'orient', brief: BRIEFS.start }, { actionId, next }))
}
