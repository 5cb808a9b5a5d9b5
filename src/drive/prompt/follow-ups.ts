/** What an agent is told when it must continue an action that it already worked on. Pure. */

import type { Action } from '../../contract/action.shape.ts'
import { listSome } from '../../kit/wording.ts'
import type { Claim, EventOf } from '../record/drive-event.shape.ts'
import { quoteData } from './fence.ts'
import { describeOutcome } from './outcome-block.ts'

type CheckRun = EventOf<'check_ran'>['data']

/** Why the agent gets another turn. */
export type FollowUp =
  | { readonly why: 'outcome_problem'; readonly problem: string }
  | { readonly why: 'failed_check'; readonly checks: readonly CheckRun[] }
  | { readonly why: 'contradiction'; readonly claims: readonly Claim[] }
  | { readonly why: 'stalled'; readonly reason: string }
  | { readonly why: 'after_failure'; readonly error: string }
  /** drover or the agent was ended in the middle of a turn. */
  | { readonly why: 'after_unknown_end'; readonly changed: readonly string[] }
  /** The agent had reached a limit. `wanted` is what it should have done then. */
  | { readonly why: 'after_limit'; readonly error: string; readonly wanted?: FollowUp }
  /** Another agent takes over. */
  | { readonly why: 'hand_over'; readonly from: string; readonly error: string; readonly wanted?: FollowUp }

const MAX_PATHS = 100

/** For the session that did the work. */
export function composeFollowUp(action: Action, followUp: FollowUp): string {
  const { kind, action_id } = action
  return `drover action: ${kind} ${action_id}\n\n${describeFollowUp(followUp)}\n\n${describeOutcome(action)}\n`
}

/** For a new session, after the prompt of the action. */
export function describeFollowUp(followUp: FollowUp): string {
  switch (followUp.why) {
    case 'outcome_problem':
      return `Your answer has no valid outcome: ${followUp.problem}. Do no more work. Report the outcome of what you did.`
    case 'failed_check':
      return [
        'drover ran its checks after your work, and these failed. Find the cause, fix it, and report the outcome again. Do not weaken the checks.',
        ...followUp.checks.map(describeCheck),
      ].join('\n\n')
    case 'contradiction':
      return [
        'Parts of your outcome do not agree with what drover observed:',
        followUp.claims.map(describeClaim).join('\n'),
        'Do what is missing, or correct the outcome. Report it again, and report only what really happened.',
      ].join('\n\n')
    case 'stalled':
      return `drover ended your last turn: ${followUp.reason}. Continue in another way, or ask a person in the outcome.`
    case 'after_failure':
      return `Your last turn failed: ${followUp.error}. Look at what is done already, and continue.`
    case 'after_limit':
      return [
        `Your last turn was stopped by a limit: ${followUp.error}. Look at what is done already, and continue.`,
        ...describeWanted(followUp),
      ].join('\n\n')
    case 'hand_over':
      return [
        `${followUp.from} worked on this action before you, until it could not continue: ${followUp.error}. You have not seen its conversation. Its changes are in the worktree. Check them, finish the action, and report the outcome of all of it.`,
        ...describeWanted(followUp),
      ].join('\n\n')
    case 'after_unknown_end':
      return [
        'An earlier attempt at this action was interrupted, and how far it got is unknown.',
        changesSince(followUp.changed),
        'Look at what is done already, finish the action, and report the outcome of all of it.',
      ].join(' ')
  }
}

function describeWanted({ wanted }: { readonly wanted?: FollowUp }): string[] {
  return wanted === undefined ? [] : [describeFollowUp(wanted)]
}

function describeCheck(check: CheckRun): string {
  return `\`${check.command}\` ${howItEnded(check)}. The end of its output:\n${quoteData(check.output)}`
}

export function howItEnded({ exit_code, problem }: Pick<CheckRun, 'exit_code' | 'problem'>): string {
  return exit_code === undefined
    ? `did not complete: ${problem ?? 'the reason is unknown'}`
    : `ended with exit code ${exit_code}`
}

/** Against the result `applied`, which is a claim about the whole worktree. */
export const NO_WORK = 'no file is reported and git shows no change'

export function describeClaim({ about, subject, exit_code, note }: Claim): string {
  if (note === NO_WORK) return `- the result is "applied", but ${note}`
  const said =
    about === 'file' ? `${subject} is reported as changed` : `\`${subject}\` is reported with exit code ${exit_code}`
  return `- ${said}: ${note}`
}

function changesSince(changed: readonly string[]): string {
  if (changed.length === 0) return 'git shows no changes since it began.'
  return `Since it began, git shows changes of ${listSome(changed, MAX_PATHS)}.`
}

/** What the user told agents while they worked, for an agent that was not told. */
export function describeTold(told: readonly { readonly text: string }[]): string[] {
  if (told.length === 0) return []
  const said = told.map(({ text }) => `- ${text.replaceAll('\n', '\n  ')}`)
  return ['## What the user has said in this run', said.join('\n')]
}
