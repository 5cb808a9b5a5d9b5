/**
 * Turns the arguments of a command into a request, before the worktree or a run is read. The order of the checks decides
 * which error is reported.
 */

import { sourceChoiceRequiresCandidate, sourceModeConflict } from '../engine/faults.ts'
import { checkAnswerText } from '../engine/operations/answer.ts'
import { checkBudget, DEFAULT_BUDGET } from '../engine/operations/budget.ts'
import { parseSourceChoice } from '../engine/operations/choose-source.ts'
import { checkGoal } from '../engine/operations/start.ts'
import type { Answer } from '../engine/state/answer-digest.ts'
import { destructiveConfirmationPairRequired, sourceFileRequired } from './faults.ts'
import type { ResumeOptions } from './resume-run.ts'
import type { RunRequest } from './start-run.ts'

/** Undefined if the argument is missing. */
type Argument = string | undefined
/** A text if it is a number in another spelling, such as `+5` or `007`. */
type BudgetArgument = number | string | undefined

export type StartArguments = {
  /** Undefined if the issue supplies the goal. */
  readonly goal: Argument
  readonly budget: BudgetArgument
  readonly sourceFile: Argument
}

export function parseStart({ goal, budget = DEFAULT_BUDGET, sourceFile }: StartArguments): Pick<RunRequest, 'budget'> {
  if (goal !== undefined) checkGoal(goal)
  checkBudget(budget)
  if (sourceFile === '') throw sourceFileRequired({})
  return { budget }
}

export type AnswerArguments = {
  readonly actionId: string
  readonly text: Argument
  readonly confirmDestructive: boolean
  readonly scopeSha256: Argument
}

export function parseAnswer({ actionId, text = '', confirmDestructive, scopeSha256 = '' }: AnswerArguments): Answer {
  checkAnswerText(text)
  const hasScope = scopeSha256.trim() !== ''
  if (confirmDestructive !== hasScope) throw destructiveConfirmationPairRequired({})
  return { actionId, text, confirmDestructive, ...(hasScope && { scopeSha256 }) }
}

export type ResumeArguments = {
  readonly budget: BudgetArgument
  readonly sourceFile: Argument
  readonly usePinnedSource: boolean
  readonly sourceChoice: Argument
  readonly candidate: Argument
}

export function parseResume(args: ResumeArguments): ResumeOptions {
  const { budget, sourceFile, usePinnedSource, sourceChoice = '', candidate = '' } = args
  if (budget !== undefined) checkBudget(budget)
  if (sourceFile === '') throw sourceFileRequired({})
  const isChoiceNamed = args.sourceChoice !== undefined || args.candidate !== undefined
  if (isChoiceNamed && (sourceChoice === '' || candidate === '')) throw sourceChoiceRequiresCandidate({})
  const choice = isChoiceNamed ? parseSourceChoice(sourceChoice) : undefined
  const modes = [sourceFile !== undefined, usePinnedSource, isChoiceNamed].filter(Boolean)
  if (modes.length > 1) throw sourceModeConflict({})
  return { budget, usePinnedSource, choice, candidateId: isChoiceNamed ? candidate : undefined }
}
