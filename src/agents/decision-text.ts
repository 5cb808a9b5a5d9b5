/** Who decided what about something that an agent asked for, and who told it something, in words. Pure. */
import type { DecidedApproval, Decider, SteeredMessage } from './adapter/agent.shape.ts'

const DECIDED: Readonly<Record<DecidedApproval['decision'], string>> = {
  allow: 'allowed',
  allow_session: 'allowed for the session',
  deny: 'denied',
}

type Described = Pick<DecidedApproval, 'decision' | 'by' | 'tool_name' | 'command' | 'message' | 'answers'>

export function describeDecision({ decision, by, tool_name: tool, command, message, answers }: Described): string {
  if (answers !== undefined && decision !== 'deny') {
    return `answered by ${nameDecider(by)}: ${answers.map((each) => each.join(', ')).join('; ')}`
  }
  const what = command === undefined ? tool : `${tool} ${command}`
  return `${DECIDED[decision]} by ${nameDecider(by)}: ${what}${message === undefined ? '' : ` (${message})`}`
}

export function describeMessage({ text, by, delivered }: SteeredMessage): string {
  return `told by ${nameDecider(by)}${delivered === 'now' ? '' : ', for its next turn'}: ${text}`
}

export function nameDecider({ via, name }: Decider): string {
  if (via === 'drover') return via
  return via === 'none' ? 'a client without a key' : `${name} (${via})`
}
