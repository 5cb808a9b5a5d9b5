/** Warnings of an agent's turn, as `drover drive` says them. Pure. */
import { approvalAdvice } from '../../agents/adapter/tool-log.ts'
import type { Action } from '../../contract/action.shape.ts'

const DENIED = /^(\d+ tool calls? (?:was|were) denied.*?)(?:; allow with (.*))?$/s

/** The modes of an attempt are the choice of drover. */
const OWN_MODES = / is ignored: \w+_mode \S+ is stricter$/

/** A prompt has more flags than a drive, and only an implementation may be allowed more. Undefined: it says nothing. */
export function toDriveWarning(warning: string, { kind }: Pick<Action, 'kind'>): string | undefined {
  if (OWN_MODES.test(warning)) return undefined
  const [, denied, modes] = DENIED.exec(warning) ?? []
  if (denied === undefined || modes === undefined) return warning
  if (kind !== 'implement') return denied
  return `${denied}; allow with ${approvalAdvice(/none|full/.test(modes) ? 'none' : 'auto')}`
}
