/** The edge where a fault becomes an exit code and a text on stderr. */
import { Fault } from '../../kit/fault.ts'
import { resumeInvalid } from '../../prompts/faults.ts'
import { sessionFieldInvalid, sessionIdMalformed } from '../../sessions/faults.ts'
import type { Group } from '../command.ts'
import { toPrintable } from '../output/printable.ts'
import { type Advice, AdvisedFailure } from './advised-failure.ts'

export type Failure = { exitCode: number; text: string }

/** What the reader of the failure has: the command, if one was found, and how it wants to be answered. */
export type Asker = {
  group: Group | undefined
  command: string
  wantsJson: boolean
  wantsStack: boolean
  /** A person is there to read it. */
  isTty: boolean
  /** The id of the worktree that the command was about, or what stands in for it. */
  nameWorkspace: () => Promise<string>
}

export async function failureOf(thrown: unknown, asker: Asker): Promise<Failure> {
  const isAdvised = thrown instanceof AdvisedFailure
  const error = isAdvised ? thrown.error : thrown
  const advice = isAdvised ? thrown.advice : {}
  if (isOfChanges(asker.group) && wantsCliError(asker)) return protocolFailure(error, advice, asker)
  if (error instanceof Fault) return faultFailure(error, advice, asker)
  return bugFailure(error, asker)
}

/**
 * 2 means that the invocation was wrong and nothing was attempted. Trouble after that is 1 in the prompts half and 3 in
 * the changes half, where 1 is left for "no structured error could be written". A server has 1 for everything.
 */
export function exitCodeOf(kind: Fault['kind'], group: Group | undefined): number {
  if (group === 'Server') return 1
  if (kind === 'usage') return 2
  return isOfChanges(group) ? 3 : 1
}

export function isOfChanges(group: Group | undefined): boolean {
  return group === 'Changes' || group === 'Hosts'
}

/** Whoever runs these commands from a program gets one form of error, whether it thought of `--json` or not. */
function wantsCliError({ wantsJson, isTty, command }: Asker): boolean {
  return wantsJson || !isTty || command.split(' ')[0] === 'protocol'
}

async function protocolFailure(error: unknown, advice: Advice, asker: Asker): Promise<Failure> {
  const { writeCliError } = await import('./cli-error.ts')
  const exitCode = advice.exitCode ?? (error instanceof Fault && error.kind === 'usage' ? 2 : 3)
  // Looking for the worktree takes time, and may be what failed.
  const workspace = advice.next?.workspace_identity ?? (await asker.nameWorkspace())
  return { exitCode, text: writeCliError({ error, advice, exitCode, workspace }) }
}

/** Elsewhere these are the trouble of a request; here they can only be about the words of the command line. */
const ABOUT_WORDS = [sessionIdMalformed, sessionFieldInvalid, resumeInvalid]

async function faultFailure(fault: Fault, { next, given, exitCode: advised }: Advice, asker: Asker): Promise<Failure> {
  const isUsage = advised === 2 || ABOUT_WORDS.some(({ code }) => code === fault.code)
  const kind = isUsage ? 'usage' : fault.kind
  const exitCode = exitCodeOf(kind, asker.group)
  if (asker.wantsJson) {
    return { exitCode, text: JSON.stringify({ error: fault.code, message: fault.message, details: fault.details }) }
  }
  const lines = [`drover: ${asker.isTty ? toPrintable(fault.message) : fault.message}`]
  if (kind === 'usage') lines.push(`Run "${['drover', asker.command, '--help'].filter(Boolean).join(' ')}" for help.`)
  if (next !== undefined && next.variants.length > 0) {
    const { sayNext } = await import('./next-text.ts')
    lines.push('Next:', ...sayNext(next, given).map((line) => `  ${line}`))
  }
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
