/** What follows from what a user typed: a message, the end, or another question. Pure. */
import type { Typed } from '../line-editor.ts'
import { type Collected, collectLine, type Draft } from './parse-message.ts'

export type TypingState = {
  /** The beginning of a message of several lines. */
  draft: Draft | undefined
  /** The last key was Ctrl-C on an empty line; another one ends the conversation. */
  isExitHinted: boolean
}

export const NOTHING_TYPED: TypingState = { draft: undefined, isExitHinted: false }

export type TypingStep = { is: 'message'; text: string } | { is: 'end' } | { is: 'ask'; state: TypingState }

export function followTyping({ draft, isExitHinted }: TypingState, typed: Typed): TypingStep {
  if (typed.is === 'end') return { is: 'end' }
  if (typed.is === 'lines') {
    const collected = collectTyped(draft, typed)
    if (collected.is === 'complete') return { is: 'message', text: collected.text }
    return { is: 'ask', state: { draft: collected.draft, isExitHinted: false } }
  }
  const isIdle = typed.wasEmpty && draft === undefined
  if (isIdle && isExitHinted) return { is: 'end' }
  return { is: 'ask', state: { draft: undefined, isExitHinted: isIdle } }
}

/** Pasted lines are one message, and none of them is a mark. */
function collectTyped(draft: Draft | undefined, { lines, isPasted }: Typed & { is: 'lines' }): Collected {
  if (!isPasted) return collectLine(draft, lines[0])
  const all = [...(draft?.lines ?? []), ...lines]
  return draft?.isBlock === true
    ? { is: 'incomplete', draft: { lines: all, isBlock: true } }
    : { is: 'complete', text: all.join('\n') }
}
