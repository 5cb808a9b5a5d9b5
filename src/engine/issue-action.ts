import type { Action } from '../contract/action.shape.ts'
import { actionBytes, checkAction } from '../contract/action.ts'
import type { DestructiveAuthorization } from '../contract/destructive.shape.ts'
import { CONTRACT_VERSION, LIMITS } from '../contract/limits.ts'
import type { Next } from '../contract/next.shape.ts'
import type { PinnedSource } from '../contract/pinned-source.shape.ts'
import { Fault } from '../kit/fault.ts'
import { composeBrief } from './brief.ts'
import { composeContext } from './context.ts'
import { actionTooLarge, invalidAction } from './faults.ts'
import { dropSuggestions } from './notes.ts'
import { type ActionKind, issue, pause, type Run } from './run.ts'
import { withoutUndefined } from './without-undefined.ts'

/** What is to be done next, in which words, and what may be destroyed in doing it. */
export type Order = {
  readonly kind: ActionKind
  readonly words: string
  readonly authorization?: DestructiveAuthorization
}

/** The id of the new action, and what to offer instead if there can be none. */
export type Issuing = { readonly actionId: string; readonly next: Next }

/** Gives the run its next action, or pauses it where it has no budget for one. */
export function issueAction(run: Run, order: Order, { actionId, next }: Issuing): Run {
  if (run.remaining_budget < 1) return pauseWithoutBudget(run)
  const action = composeAction(run, order, { actionId, next })
  const { remaining_budget } = action
  return { ...issue(run, action), state: 'active', pause_reason: undefined, remaining_budget }
}

export function pauseWithoutBudget(run: Run): Run {
  const emptied = dropSuggestions(run, 'the budget was spent')
  return pause({ ...emptied, current_action: undefined }, 'budget_exhausted')
}

function composeAction(run: Run, { kind, words, authorization }: Order, { actionId, next }: Issuing): Action {
  const source = run.pinned_source
  const frame = withoutUndefined({
    contract_version: CONTRACT_VERSION,
    run_id: run.id,
    action_id: actionId,
    kind,
    goal: run.goal,
    brief: composeBrief(run, kind, words),
    context: '',
    source: source && toActionSource(source),
    requirements: source && toActionRequirements(run, source, actionId),
    destructive_authorization: authorization,
    remaining_budget: run.remaining_budget - 1,
  }) as Action
  const frameBytes = actionBytes(frame)
  const context = composeContext(run, LIMITS.actionBytes - frameBytes)
  if (context === undefined) throw actionTooLarge({ next, sizeBytes: frameBytes, limitBytes: LIMITS.actionBytes })
  try {
    return checkAction({ ...frame, context })
  } catch (error) {
    if (!(error instanceof Fault)) throw error
    throw invalidAction({ next, problem: error.message }, error)
  }
}

export function toActionSource(source: PinnedSource): NonNullable<Action['source']> {
  const { canonical_url, issue_id, source_revision, manifest_revision, requirements_revision } = source
  return {
    kind: 'change_issue',
    canonical_url,
    issue_id,
    source_revision,
    manifest_revision,
    requirements_revision,
  }
}

export function toActionRequirements(
  run: Run,
  { requirements_revision, sections }: PinnedSource,
  actionId: string,
): NonNullable<Action['requirements']> {
  const keys = sections.map(({ key }) => key)
  const root = run.workspace_identity.worktree_root
  return {
    requirements_revision,
    sections: sections.map(({ key, role, title, section_revision, material_sha256, bytes }) => ({
      key,
      role,
      title,
      section_revision,
      material_sha256,
      bytes,
    })),
    required_for_action: keys,
    reader: {
      operation: 'read_material',
      base_argv: ['drover', 'protocol', 'material', '--root', root, '--run', run.id, '--action', actionId],
      input: { name: 'section', type: 'enum', flag: '--section', required: true, choices: keys },
    },
  }
}
