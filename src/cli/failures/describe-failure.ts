/** Turns whatever a command threw into an exit code and a text for stderr. */
import { executionIdMalformed } from '../../executions/store/faults.ts'
import { Fault, isFault, toErrorMessage } from '../../kit/fault.ts'
import { isRetryable } from '../../kit/retryable.ts'
import { resumeInvalid } from '../../prompts/faults.ts'
import { toWireNames } from '../../service/public-error.ts'
import { sessionFieldInvalid, sessionIdMalformed } from '../../sessions/faults.ts'
import type { Group } from '../command.ts'
import { EXIT, isChangeGroup, toExitCode } from '../exit-status.ts'
import { flagUnknown } from '../faults.ts'
import { toMessage } from '../output/printable.ts'
import { FailureWithRemedy, type Remedy } from '../remedies.ts'

export type DescribedFailure = { exitCode: number; text: string }

/** What decides the form of a failure: the command, if one was found, and who reads stderr. */
export type FailureContext = {
  group: Group | undefined
  command: string
  wantsJson: boolean
  wantsStack: boolean
  /** A person reads it. */
  isTty: boolean
  /** The id of the worktree that the command is about, for failures without a remedy. */
  findWorkspaceId: () => Promise<string>
}

export async function describeFailure(thrown: unknown, context: FailureContext): Promise<DescribedFailure> {
  const { error, remedy } = thrown instanceof FailureWithRemedy ? thrown : { error: thrown, remedy: {} }
  if (isChangeGroup(context.group) && wantsCliError(context)) return describeForProtocol(error, remedy, context)
  if (error instanceof Fault) return describeFault(error, remedy, context)
  return describeBug(error, context)
}

/** Commands for programs report errors as JSON without `--json` too; people try `source` on a terminal. */
function wantsCliError({ wantsJson, isTty, command }: FailureContext): boolean {
  const [first] = command.split(' ')
  return wantsJson || first === 'protocol' || (first === 'source' && !isTty)
}

async function describeForProtocol(error: unknown, remedy: Remedy, context: FailureContext): Promise<DescribedFailure> {
  const { formatCliError } = await import('./to-cli-error.ts')
  const exitCode =
    remedy.exitCode ?? (error instanceof Fault && error.kind === 'usage' ? EXIT.wrongUse : EXIT.changeFailure)
  // Asking git takes time, and may be what failed.
  const workspaceId = remedy.next?.workspace_identity ?? (await context.findWorkspaceId())
  return { exitCode, text: formatCliError({ error, remedy, exitCode, workspaceId }) }
}

/** Faults of a request elsewhere. On the command line only an argument can cause them. */
const USAGE_ON_COMMAND_LINE = [executionIdMalformed, sessionIdMalformed, sessionFieldInvalid, resumeInvalid]

/** What lists the ids, after a wrong one. Clients of a server have other words for it. */
const LIST_OF: Readonly<Record<string, string>> = {
  session_not_found: 'drover sessions list',
  execution_not_found: 'drover ps --all',
}

async function describeFault(fault: Fault, remedy: Remedy, context: FailureContext): Promise<DescribedFailure> {
  const { next, typedInputs } = remedy
  const isUsage = remedy.exitCode === EXIT.wrongUse || USAGE_ON_COMMAND_LINE.some(({ code }) => code === fault.code)
  const kind = isUsage ? 'usage' : fault.kind
  const exitCode = toExitCode(kind, context.group)
  if (context.wantsJson) {
    const { code: error, message, details } = fault
    return {
      exitCode,
      text: JSON.stringify({ error, message, retryable: isRetryable(error), details: toWireNames(details) }),
    }
  }
  const list = LIST_OF[fault.code]
  const message = list === undefined ? fault.message : `${fault.message}; ${list} shows the ids`
  const lines = [`drover: ${context.isTty ? toMessage(message) : message}`]
  const command = isFault(fault, flagUnknown) ? fault.details.command : context.command
  if (kind === 'usage') lines.push(`Run "${['drover', command, '--help'].filter(Boolean).join(' ')}" for help.`)
  if (next !== undefined && next.variants.length > 0) {
    const { formatCommands } = await import('./next-text.ts')
    lines.push('Next:', ...formatCommands(next, typedInputs).map((line) => `  ${line}`))
  }
  if (context.wantsStack) lines.push(String(fault.stack))
  return { exitCode, text: lines.join('\n') }
}

/** Anything that is not a fault is a bug in drover. */
function describeBug(error: unknown, context: FailureContext): DescribedFailure {
  const exitCode = toExitCode('internal', context.group)
  const message = toErrorMessage(error)
  if (context.wantsJson) return { exitCode, text: JSON.stringify({ error: 'internal', message, retryable: false }) }
  const stack = context.wantsStack ? `\n${error instanceof Error ? error.stack : ''}` : ''
  return {
    exitCode,
    text: `drover: internal error: ${message}\nThis is a bug in drover. DROVER_DEBUG=1 shows where it happened.${stack}`,
  }
}
