/** What agents ask for and do, and who decided about it or told them something, in words. Pure. */
import type { DecidedApproval, Decider, SteeredMessage } from './adapter/agent.shape.ts'
import type { ApprovalRequest } from './adapter/agent.ts'
import { describeQuestions } from './adapter/answers.ts'

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

/**
 * All that an agent asks for, as text for the one who decides. The command, the diff, and what else the input says: a user
 * must not allow something that is not shown.
 */
export function describeRequest(request: ApprovalRequest): string {
  const { command, diff, input, questions } = request
  if (questions !== undefined) return describeQuestions(questions)
  const shown = [command, diff].filter((text) => text !== undefined)
  if (shown.length === 0) return input === undefined ? '' : JSON.stringify(input, null, 2)
  const rest = otherFields(request)
  const more = Object.keys(rest).length === 0 ? [] : [JSON.stringify(rest, null, 2)]
  return [...shown.map((text) => text.replace(/\n$/, '')), ...more].join('\n')
}

/** The fields of the input that neither the command nor the diff repeats. */
function otherFields({ command, diff = '', input }: ApprovalRequest): object {
  if (typeof input !== 'object' || input === null) return {}
  const isInDiff = (value: string) =>
    diff.startsWith(`--- ${value}\n`) || ['-', '+'].some((sign) => `\n${diff}\n`.includes(toDiffLines(sign, value)))
  const isShown = ([, value]: [string, unknown]) => typeof value === 'string' && (value === command || isInDiff(value))
  return Object.fromEntries(Object.entries(input).filter((field) => !isShown(field)))
}

function toDiffLines(sign: string, text: string): string {
  return `\n${text.replace(/^/gm, sign)}\n`
}

/** The most telling field of a tool's input, otherwise all of it as JSON. */
export function describeToolInput(input: unknown): string {
  if (typeof input === 'object' && input !== null) {
    for (const name of ['command', 'file_path', 'path', 'pattern', 'url']) {
      const value = (input as Record<string, unknown>)[name]
      if (typeof value === 'string') return value
    }
  }
  return input === undefined ? '' : JSON.stringify(input)
}
