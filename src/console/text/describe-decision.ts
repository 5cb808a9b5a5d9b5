/** Who decided what, in words. Pure. */
import type { DecidedApproval, Decider } from '../../agents/adapter/agent.shape.ts'

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
