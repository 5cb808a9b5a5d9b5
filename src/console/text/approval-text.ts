/** Who decided what, in words. Pure. */
import type { ApprovalRequest, DecidedApproval, Decider } from '../../agents/adapter/agent.shape.ts'

const DECIDED: Readonly<Record<DecidedApproval['decision'], string>> = {
  allow: 'allowed',
  allow_session: 'allowed for the session',
  deny: 'denied',
}

type Described = Pick<DecidedApproval, 'decision' | 'by' | 'message' | 'answers'>

export function describeDecision({ decision, by, message, answers }: Described) {
  if (answers !== undefined && decision !== 'deny') {
    return `answered by ${nameDecider(by)}: ${answers.map((each) => each.join(', ')).join('; ')}`
  }
  return `${DECIDED[decision]} by ${nameDecider(by)}${message === undefined ? '' : `: ${message}`}`
}

export function nameDecider({ via, name }: Decider): string {
  return via === 'drover' ? via : via === 'none' ? 'a client without a key' : `${name} (${via})`
}

/**
 * The fields of the input that neither the command nor the diff repeats: a user must not allow something that is not shown.
 * The terminal has the same function, but the console loads nothing of other folders. Undefined if there are none.
 */
export function restOfInput({ command, diff = '', input }: ApprovalRequest): unknown {
  if (command === undefined && diff === '') return input
  if (typeof input !== 'object' || input === null) return undefined
  const isInDiff = (value: string) =>
    diff.startsWith(`--- ${value}\n`) || ['-', '+'].some((sign) => `\n${diff}\n`.includes(toDiffLines(sign, value)))
  const isShown = (value: unknown) => typeof value === 'string' && (value === command || isInDiff(value))
  const rest = Object.entries(input).filter(([, value]) => !isShown(value))
  return rest.length === 0 ? undefined : Object.fromEntries(rest)
}

function toDiffLines(sign: string, text: string): string {
  return `\n${text.replace(/^/gm, sign)}\n`
}
