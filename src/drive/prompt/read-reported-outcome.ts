/** Reads the outcome that an agent reports about an action. Pure. */
import type { Action } from '../../contract/action.shape.ts'
import { MARKDOWN } from '../../contract/control-characters.ts'
import type { Outcome } from '../../contract/outcome.shape.ts'
import { checkOutcome } from '../../contract/outcome.ts'
import { Fault } from '../../kit/fault.ts'
import { encodeUtf8 } from '../../kit/utf8.ts'
import { readOutcome } from '../../runs/read-outcome.ts'
import { findOutcomeBlock } from './outcome-block.ts'

export type ReportedOutcome = { readonly text: string; readonly outcome: Outcome } | { readonly problem: string }

type Expected = Pick<Action, 'action_id' | 'kind'>

/** The outcome in an answer, or exactly what is wrong with it. */
export function readAnswer(answer: string, action: Expected): ReportedOutcome {
  const block = findOutcomeBlock(answer.toWellFormed())
  return 'problem' in block ? block : readOutcomeText(escapeControls(block.text), action)
}

export function readOutcomeText(text: string, { action_id, kind }: Expected): ReportedOutcome {
  try {
    const { outcome: form } = readOutcome(encodeUtf8(text))
    if (form.action_id !== action_id) return { problem: `its action_id is ${form.action_id}, not ${action_id}` }
    if (form.action_kind !== kind) return { problem: `its action_kind is ${form.action_kind}, not ${kind}` }
    return { text, outcome: checkOutcome(form) }
  } catch (error) {
    if (error instanceof Fault) return { problem: error.message }
    throw error
  }
}

const RAW = new RegExp(`[${MARKDOWN.controls}]`, 'g')
/** An escape of one, whose backslash is not itself escaped. */
const ESCAPED = /(?<!\\)((?:\\\\)*)\\(u00(?:0[0-8bcef]|1[0-9a-f]|7f|[89][0-9a-f])|[bf])/gi

/**
 * No message may contain control characters, but a question must not be lost because of one: `\u001b` becomes the six
 * characters that stand for it.
 */
export function escapeControls(json: string): string {
  const written = json.replace(ESCAPED, (_, before: string, word: string) => `${before}\\\\${word}`)
  return written.replace(RAW, (character) => `\\\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`)
}
