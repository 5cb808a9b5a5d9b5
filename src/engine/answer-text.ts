import { LIMITS } from '../contract/limits.ts'
import { type Digest, digestFields } from '../kit/digest.ts'
import { answerTooLarge, invalidAnswer } from './faults.ts'
import type { EarlyRefusal } from './refusal.ts'
import { encodedBytes, isMarkdown } from './text.ts'

/** What a person says, and whether they allow what was asked for. */
export type Answer = {
  readonly actionId: string
  readonly text: string
  readonly confirmDestructive: boolean
  readonly scopeSha256?: string | undefined
}

/** What can be said against the text of an answer before the run is looked at. */
export function checkAnswerText(text: string, refusal: EarlyRefusal = {}): void {
  if (!isMarkdown(text)) throw invalidAnswer(refusal)
  const sizeBytes = encodedBytes(text) + 2
  if (sizeBytes > LIMITS.answerBytes) throw answerTooLarge({ ...refusal, sizeBytes, limitBytes: LIMITS.answerBytes })
}

/** The same answer given twice has the same digest and counts once. */
export function digestAnswer({ actionId, text, confirmDestructive, scopeSha256 = '' }: Answer): Digest {
  return digestFields(['drover-answer/v1', actionId, String(confirmDestructive), scopeSha256, text])
}
