/** The edge where a fault becomes an exit code and a text on stderr. */
import { Fault } from '../kit/fault.ts'
import type { Group } from './command.ts'

export type Failure = { exitCode: number; text: string }

/** What the reader of the failure has: the command, if one was found, and how it wants to be answered. */
export type Asker = { group: Group | undefined; command: string; wantsJson: boolean; wantsStack: boolean }

export function failureOf(error: unknown, asker: Asker): Failure {
  return error instanceof Fault ? faultFailure(error, asker) : bugFailure(error, asker)
}

/**
 * 2 means that the invocation was wrong and nothing was attempted. Trouble after that is 1 in the prompts half and 3 in
 * the changes half, where 1 is left for "no structured error could be written".
 */
export function exitCodeOf(kind: Fault['kind'], group: Group | undefined): number {
  if (kind === 'usage') return 2
  return group === 'Changes' || group === 'Hosts' ? 3 : 1
}

function faultFailure(fault: Fault, asker: Asker): Failure {
  const exitCode = exitCodeOf(fault.kind, asker.group)
  if (asker.wantsJson) {
    return { exitCode, text: JSON.stringify({ error: fault.code, message: fault.message, details: fault.details }) }
  }
  const lines = [`drover: ${fault.message}`]
  if (fault.kind === 'usage')
    lines.push(`Run "${['drover', asker.command, '--help'].filter(Boolean).join(' ')}" for help.`)
  if (asker.wantsStack) lines.push(String(fault.stack))
  return { exitCode, text: lines.join('\n') }
}

/** Anything that is not a fault is our own mistake; say so, and keep the details for those who ask. */
function bugFailure(error: unknown, asker: Asker): Failure {
  const exitCode = exitCodeOf('internal', asker.group)
  const message = error instanceof Error ? error.message : String(error)
  if (asker.wantsJson) return { exitCode, text: JSON.stringify({ error: 'internal', message }) }
  const stack = asker.wantsStack ? `\n${error instanceof Error ? error.stack : ''}` : ''
  return {
    exitCode,
    text: `drover: internal error: ${message}\nThis is a bug in drover. DROVER_DEBUG=1 shows where it happened.${stack}`,
  }
}
