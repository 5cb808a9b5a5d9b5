/**
 * What was asked for, in the words of whoever asks, as a request that can be tried. What is wrong with the words is said
 * before a worktree or a run is looked at; where several things are wrong, the first check that fails decides.
 */

import { sourceChoiceRequiresCandidate, sourceModeConflict } from '../engine/faults.ts'
import { checkAnswerText } from '../engine/operations/answer.ts'
import { checkBudget, DEFAULT_BUDGET } from '../engine/operations/budget.ts'
import { parseSourceChoice } from '../engine/operations/choose-source.ts'
import { checkGoal } from '../engine/operations/start.ts'
import type { Answer } from '../engine/state/answer-digest.ts'
import { destructiveConfirmationPairRequired, sourceFileRequired } from './faults.ts'
import type { Resumption } from './resume-run.ts'
import type { RunRequest } from './start-run.ts'

/** What was not given is undefined; what was given and is empty is an empty text. */
type Word = string | undefined

export type StartWords = {
  /** Undefined where the issue is to say it. */
  readonly goal: Word
  readonly budget: number | undefined
  readonly sourceFile: Word
}

export function toStart({ goal, budget = DEFAULT_BUDGET, sourceFile }: StartWords): Pick<RunRequest, 'budget'> {
  if (goal !== undefined) checkGoal(goal)
  checkBudget(budget)
  if (sourceFile === '') throw sourceFileRequired({})
  return { budget }
}

export type AnswerWords = {
  readonly actionId: string
  readonly text: Word
  readonly confirmDestructive: boolean
  readonly scopeSha256: Word
}

export function toAnswer({ actionId, text = '', confirmDestructive, scopeSha256 = '' }: AnswerWords): Answer {
  checkAnswerText(text)
  const hasScope = scopeSha256.trim() !== ''
  if (confirmDestructive !== hasScope) throw destructiveConfirmationPairRequired({})
  return { actionId, text, confirmDestructive, ...(hasScope && { scopeSha256 }) }
}

export type ResumeWords = {
  readonly budget: number | undefined
  readonly sourceFile: Word
  readonly usePinnedSource: boolean
  readonly sourceChoice: Word
  readonly candidate: Word
}

export function toResumption(words: ResumeWords): Resumption {
  const { budget, sourceFile, usePinnedSource, sourceChoice = '', candidate = '' } = words
  if (budget !== undefined) checkBudget(budget)
  if (sourceFile === '') throw sourceFileRequired({})
  const isChoiceNamed = words.sourceChoice !== undefined || words.candidate !== undefined
  if (isChoiceNamed && (sourceChoice === '' || candidate === '')) throw sourceChoiceRequiresCandidate({})
  const choice = isChoiceNamed ? parseSourceChoice(sourceChoice) : undefined
  const modes = [sourceFile !== undefined, usePinnedSource, isChoiceNamed].filter(Boolean)
  if (modes.length > 1) throw sourceModeConflict({})
  return { budget, usePinnedSource, choice, candidateId: isChoiceNamed ? candidate : undefined }
}
