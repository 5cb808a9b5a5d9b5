/** All that an agent asks for, as text for the one who decides. Pure. */
import type { ApprovalRequest } from './adapter/agent.ts'
import { describeQuestions } from './adapter/answers.ts'

/** The command, the diff, and what else the input says: a user must not allow something that is not shown. */
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
