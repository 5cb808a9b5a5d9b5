/** Runs one prompt on the command line: prints it in the chosen format and ends it on Ctrl-C. */
import { realpathSync } from 'node:fs'
import { relative } from 'node:path'
import { NO_USER } from '../../agents/adapter/permission.ts'
import type { Config } from '../../config/config.shape.ts'
import { USER } from '../../prompts/caller.ts'
import type { PromptStream } from '../../prompts/prompt-context.ts'
import type { PromptEvent } from '../../prompts/prompt-event.ts'
import type { PromptRequest } from '../../prompts/prompt-request.ts'
import type { PromptResult } from '../../prompts/prompt-result.ts'
import type { StartOptions } from '../../service/drover-service.ts'
import type { InProcessDrover } from '../../service/in-process.ts'
import type { Session } from '../../sessions/session.shape.ts'
import type { Invocation } from '../command.ts'
import { EXIT } from '../exit-status.ts'
import { exitCodeOfSignal, type Interruption, listenForInterruption } from '../interruption.ts'
import { promptThroughServer, type ServerQuestion } from '../local/local-server.ts'
import { toShown } from '../output/printable.ts'
import { shortenSessionId } from '../sessions/session-text.ts'
import type { Terminal } from '../terminal.ts'
import { isInteractive } from './ask-user.ts'
import { type OutputFormat, textOptions } from './prompt-flags.ts'
import {
  createEventPrinter,
  createJsonPrinter,
  createRawPrinter,
  createTextPrinter,
  type PromptPrinter,
  printProblems,
  withNewline,
} from './prompt-printer.ts'
import { missingLogin, withRetryNotice } from './retry-notice.ts'

type PromptExecution = {
  request: PromptRequest
  drover: InProcessDrover
  config: Config
  format: OutputFormat
  /** Instead of the one for the format. */
  printer?: PromptPrinter
}

export async function executePrompt(invocation: Invocation, execution: PromptExecution): Promise<number> {
  return (await runAndPrint(invocation, execution, listenForInterruption())).exitCode
}

type ExecutedPrompt = {
  exitCode: number
  /** Undefined if the reader closed the pipe. */
  result?: PromptResult
  /** The signal that ended it, if any. */
  endedBy?: NodeJS.Signals | undefined
}

export async function runAndPrint(
  invocation: Invocation,
  execution: PromptExecution,
  interruption: Interruption,
): Promise<ExecutedPrompt> {
  const { request, drover } = execution
  const pipeClosed = new AbortController()
  const printer = execution.printer ?? choosePrinter(invocation, execution)
  const onLine = async (line: string) => {
    if ((await printer.line?.(line)) === 'closed') pipeClosed.abort()
  }
  const signal = AbortSignal.any([interruption.signal, pipeClosed.signal])
  const attempt = { ...execution, printer, signal }
  const served = await tryServer(invocation, attempt)
  const events = served ?? (await startHere(drover, request, { signal, ...(printer.line !== undefined && { onLine }) }))
  try {
    await printer.begin?.()
    let next = await events.next()
    for (; next.done !== true; next = await events.next()) {
      if ((await printer.event(next.value)) === 'closed') pipeClosed.abort()
    }
    if (pipeClosed.signal.aborted) return { exitCode: EXIT.pipeClosed }
    const result = served === undefined && couldAsk(invocation, attempt) ? withRemedy(next.value) : next.value
    await printer.end(result)
    const endedBy = interruption.by()
    return { exitCode: endedBy === undefined ? result.exit_code : exitCodeOfSignal(endedBy), result, endedBy }
  } finally {
    await printer.close?.()
  }
}

async function startHere(
  drover: InProcessDrover,
  request: PromptRequest,
  options: StartOptions,
): Promise<PromptStream> {
  return (await drover.prompts.start(USER, request, options)).events()
}

/** Only agents that the server of this user keeps running can ask. */
function couldAsk(invocation: Invocation, attempt: ServerAttempt): boolean {
  return attempt.config.warm.enabled && isInteractive(invocation.runtime) && canUseServer(invocation, attempt)
}

function withRemedy({ warnings, ...result }: PromptResult): PromptResult {
  if (warnings === undefined) return result
  const remedy = '; run drover up first, and drover asks you'
  return { ...result, warnings: warnings.map((each) => (each.includes(NO_USER) ? `${each}${remedy}` : each)) }
}

type ServerAttempt = PromptExecution & { printer: PromptPrinter; signal: AbortSignal }

async function tryServer(invocation: Invocation, attempt: ServerAttempt): Promise<PromptStream | undefined> {
  const { request, config, printer, signal } = attempt
  if (!canUseServer(invocation, attempt)) return undefined
  const facts = { backend: request.backend, timeoutSecs: config.warm.approval_timeout_secs }
  const onApproval = async (question: ServerQuestion, isOver: AbortSignal) => {
    const { askApproval } = await import('./ask-approval.ts')
    await printer.pause?.()
    return await askApproval(invocation.runtime, { ...facts, ...question }, isOver)
  }
  return await promptThroughServer(invocation, { request, config, signal, onApproval })
}

/** The lines of an agent and dry runs are not for the server. */
function canUseServer({ flags }: Invocation, { request, config, printer }: ServerAttempt): boolean {
  const isDryRun = request.dry_run === true || config.unified_flags.dry_run
  return !isDryRun && !flags.isOn('direct') && !flags.isOn('demo') && printer.line === undefined
}

function choosePrinter(invocation: Invocation, execution: PromptExecution): PromptPrinter {
  const { request, config, format } = execution
  const { terminal } = invocation.runtime
  const isDryRun = request.dry_run === true || config.unified_flags.dry_run
  // A dry run has no raw lines.
  if (isDryRun && (format === 'text' || format === 'raw')) return createDryRunPrinter(terminal, request.resumes)
  const printer = createPrinter(invocation, execution)
  return isDryRun && request.resumes !== undefined ? withSessionId(printer, request.resumes) : printer
}

function createPrinter(invocation: Invocation, { request, config, drover, format }: PromptExecution): PromptPrinter {
  const { terminal } = invocation.runtime
  const isHere = belongsToDirectory(request, invocation.runtime.cwd)
  const { out, err } = terminal
  const located = drover.agents.find(request.backend)
  const isDemo = located?.isDemo === true
  const findLogin = () => missingLogin(located, invocation.runtime.env)
  const say = (line: string) => void err.write(line).catch(() => undefined)
  const retries = { backend: request.backend, findLogin, say }
  const options = { backend: request.backend, isHere, isDemo, ...textOptions(invocation, config) }
  switch (format) {
    case 'json':
      return withRetryNotice(createJsonPrinter(terminal, options.backend), retries)
    case 'stream-json':
      return createEventPrinter(terminal)
    case 'raw':
      return createRawPrinter(terminal)
    case 'text': {
      const printer = createTextPrinter(terminal, options)
      return out.isTty && err.canRedraw ? printer : withRetryNotice(printer, retries)
    }
  }
}

/** Whether `drover -c` in this directory will find the session of this prompt. */
function belongsToDirectory({ workdir: asked, resumes, forks }: PromptRequest, directory: string): boolean {
  const workdir = asked ?? (resumes ?? forks)?.working_dir
  return workdir === undefined || relative(realpathSync(directory), workdir) === ''
}

/** Prints the command to stdout, and its directory and session to stderr. */
function createDryRunPrinter(terminal: Terminal, resumes: Session | undefined): PromptPrinter {
  const { out, err } = terminal
  return {
    event: async (event) => {
      if (event.type === 'init') await err.write(`${describeDryRun(event.content.working_dir, resumes)}\n`)
      return 'written'
    },
    end: async (result) => {
      await out.write(withNewline(toShown(result.output, out)))
      await printProblems(terminal, result)
    },
  }
}

function describeDryRun(workdir: string | undefined, resumes: Session | undefined): string {
  const action = resumes === undefined ? 'run' : `resume session ${shortenSessionId(resumes)} (${resumes.backend})`
  return `Would ${action} in ${workdir}`
}

/** Adds the session id to the JSON of a dry run, which opens no session and so reports none. */
function withSessionId(printer: PromptPrinter, { id }: Session): PromptPrinter {
  return {
    event: (event: PromptEvent) => printer.event({ ...event, session_id: id }),
    end: (result) => printer.end({ ...result, session_id: id }),
  }
}
