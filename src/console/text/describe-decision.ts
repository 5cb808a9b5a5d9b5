/** Who decided what, in words. Pure. */
import type { DecidedApproval } from '../../agents/adapter/agent.shape.ts'

const DECIDED: Readonly<Record<DecidedApproval['decision'], string>> = {
  allow: 'allowed',
  allow_session: 'allowed for the session',
  deny: 'denied',
}

export function describeDecision({ decision, by, message }: Pick<DecidedApproval, 'decision' | 'by' | 'message'>) {
  const { via, name } = by
  const who = via === 'drover' ? via : via === 'none' ? 'a client without a key' : `${name} (${via})`
  return `${DECIDED[decision]} by ${who}${message === undefined ? '' : `: ${message}`}`
}
