import { type Digest, digestFields } from '../../kit/digest.ts'

/** A person's answer to the question of an action, or their confirmation of a destructive request. */
export type Answer = {
  readonly actionId: string
  readonly text: string
  readonly confirmDestructive: boolean
  readonly scopeSha256?: string | undefined
}

/** Two submissions of one answer have the same digest, so the second changes nothing. */
export function digestAnswer({ actionId, text, confirmDestructive, scopeSha256 = '' }: Answer): Digest {
  return digestFields(['drover-answer/v1', actionId, String(confirmDestructive), scopeSha256, text])
}
