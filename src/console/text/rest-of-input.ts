import type { ApprovalRequest } from '../../agents/adapter/agent.shape.ts'

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
