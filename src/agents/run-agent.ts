/**
 * Runs one prompt on one agent. Events come as the agent prints them; `init` is always the first and `done` always the
 * last, however the agent ends. The generator returns the result.
 */
import { OWNER_VARIABLE } from '../kit/process/environment-variables.ts'
import { type RunningProcess, startProcess } from '../kit/process/process.ts'
import { readLines } from '../kit/read-lines.ts'
import type {
  AgentCommand,
  AgentError,
  AgentEvent,
  AgentRequest,
  OutputReader,
  TraceContext,
  Usage,
} from './adapter/agent.ts'
import { warnOfDenials } from './adapter/denials.ts'
import { type AgentResult, type StopReason, toAgentResult } from './agent-result.ts'
import { forgetSession, type Leftover } from './clean-up.ts'
import { AGENTS } from './registry.ts'
import { removeScratch, writeScratch } from './scratch-files.ts'

const DEFAULT_EXIT_GRACE_MS = 5000
/** No agent prints longer events: a longer line is skipped with a warning. */
const LINE_LIMIT_BYTES = 10 * 1024 * 1024

export type AgentRunOptions = {
  signal: AbortSignal
  /** Marks the agent's processes, so that they are found if this process dies without ending them. */
  owner?: string | undefined
  /** The usage of earlier turns of a resumed session, for agents that count whole sessions. */
  priorUsage?: Usage | undefined
  /** How long the agent may take to exit after its terminal event. */
  exitGraceMs?: number | undefined
  /** Gets every line that the agent prints, unchanged. */
  onLine?: ((line: string) => Promise<void>) | undefined
  /** Gets the command that deletes a session which the agent stored although the prompt is ephemeral. */
  onLeftover?: ((command: AgentCommand) => void) | undefined
}

/** Throws a Fault when the agent cannot be started; after the first event it never throws. */
export async function* runAgent(
  request: AgentRequest,
  command: AgentCommand,
  options: AgentRunOptions,
): AsyncGenerator<AgentEvent, AgentResult, undefined> {
  const { backend, timeoutMs } = request
  // A caller that stops reading must end the agent. `finally` alone would run too late, while a line is awaited.
  const stop = new AbortController()
  const model = request.model ?? AGENTS[backend].configuredModel?.(request)
  const opening = createOpening({ model, workdir: request.workdir })
  let running: RunningProcess | undefined
  let forgetting: Promise<Leftover> | undefined
  /** Called when the agent has ended, with or without a result. */
  const forget = () => {
    forgetting ??= forgetSession(request, opening.sessionId()).then((left) => {
      if (left.command)
        options.onLeftover?.({
          ...left.command,
          env: toProcessEnvironment(left.command.env, { owner: options.owner, trace: request.trace }),
        })
      return left
    })
    return forgetting
  }
  try {
    writeScratch(request.scratchDirectory, command)
    running = await start(request, command, { ...options, signal: AbortSignal.any([options.signal, stop.signal]) })
    const { priorUsage, onLine, exitGraceMs = DEFAULT_EXIT_GRACE_MS } = options
    const reader = AGENTS[backend].createReader(priorUsage === undefined ? {} : { priorUsage })
    const reading: Reading = {
      reader,
      onLine,
      exitGraceMs,
      stop,
      warnings: [...command.warnings],
      stopReason: undefined,
    }
    for await (const events of readEvents(running, reading)) yield* opening.add(events)
    const exit = await running.exit
    const { events, result: output } = reader.finish(exit)
    yield* opening.add(events)
    const { stopReason } = reading
    const left = await forget()
    const warnings = [
      ...reading.warnings,
      ...left.warnings,
      ...(output.warnings ?? []),
      ...warnOfDenials(output.denials ?? [], request),
    ]
    const hasEnded = reader.hasEnded()
    const outcome = toAgentResult({ backend, timeoutMs, exit, output, stopReason, hasEnded, warnings })
    const result = { ...(model !== undefined && { model }), ...outcome }
    yield* opening.add(closingEvents(result))
    return result
  } finally {
    stop.abort()
    await running?.exit
    await removeScratch(request.scratchDirectory)
    await forget()
  }
}

function start(
  request: AgentRequest,
  command: AgentCommand,
  { signal, owner }: AgentRunOptions,
): Promise<RunningProcess> {
  return startProcess({
    argv: command.argv,
    shownAs: request.shownAs,
    cwd: request.workdir,
    env: toProcessEnvironment(command.env, { owner, trace: request.trace }),
    stdin: command.stdin,
    timeoutMs: request.timeoutMs,
    signal,
    sweep: 'always',
    cancelSignal: AGENTS[request.backend].cancelSignal,
  })
}

function toProcessEnvironment(
  env: AgentCommand['env'],
  { owner, trace }: { owner: string | undefined; trace: TraceContext | undefined },
): AgentCommand['env'] {
  const owned = owner === undefined ? env : { ...env, [OWNER_VARIABLE]: owner }
  if (trace === undefined) return owned
  // The caller's own TRACESTATE belongs to another trace.
  const { TRACESTATE: _, ...rest } = owned
  const { traceparent, tracestate } = trace
  return { ...rest, TRACEPARENT: traceparent, ...(tracestate !== undefined && { TRACESTATE: tracestate }) }
}

type Reading = {
  reader: OutputReader
  onLine: AgentRunOptions['onLine']
  exitGraceMs: number
  stop: AbortController
  warnings: string[]
  stopReason: StopReason | undefined
}

async function* readEvents(running: RunningProcess, reading: Reading): AsyncGenerator<AgentEvent[]> {
  const { onLine, reader, exitGraceMs, warnings } = reading
  const stopAgent = (reason: StopReason) => {
    reading.stopReason ??= reason
    reading.stop.abort()
  }
  let exitDeadline: NodeJS.Timeout | undefined
  const onOversize = (bytes: number) =>
    warnings.push(`a line of ${bytes} bytes was skipped: it is too long for an event`)
  try {
    for await (const lines of readLines(running.stdout, { limitBytes: LINE_LIMIT_BYTES, onOversize })) {
      if (onLine !== undefined) for (const line of lines) await onLine(line)
      yield lines.flatMap((line) => reader.readLine(line))
      if (reader.hasEnded()) exitDeadline ??= setTimeout(() => stopAgent('lingered'), exitGraceMs)
      if (reader.isTooLong()) return stopAgent('answer_too_long')
    }
    await running.exit
  } finally {
    clearTimeout(exitDeadline)
  }
}

/** Makes `init` the first event: adds one if the agent prints none, and the model if the agent's own lacks it. */
function createOpening({ model, workdir }: { model: string | undefined; workdir: string }) {
  const known = { ...(model !== undefined && { model }), working_dir: workdir }
  let init: Extract<AgentEvent, { type: 'init' }> | undefined
  return {
    add(events: readonly AgentEvent[]): AgentEvent[] {
      const [first, ...rest] = events
      if (init !== undefined || first === undefined) return [...events]
      init = { type: 'init', content: { ...known, ...(first.type === 'init' && first.content) } }
      return [init, ...(first.type === 'init' ? rest : events)]
    },
    /** The agent's own id of its session, if it has printed one. */
    sessionId: () => init?.content.backend_session_id,
  }
}

function closingEvents(result: AgentResult): AgentEvent[] {
  const { error, exitCode, durationMs, usage, turnCount, warnings } = result
  const done: AgentEvent = {
    type: 'done',
    content: {
      exit_code: exitCode,
      duration_ms: durationMs,
      token_usage: usage,
      ...(turnCount !== undefined && { turn_count: turnCount }),
      ...(warnings.length > 0 && { warnings }),
    },
  }
  return error === undefined ? [done] : [errorEvent(error), done]
}

function errorEvent({ code, message, upstreamStatus, retryAfterSecs }: AgentError): AgentEvent {
  const details = {
    ...(upstreamStatus !== undefined && { upstream_status: upstreamStatus }),
    ...(retryAfterSecs !== undefined && { retry_after_secs: retryAfterSecs }),
  }
  return { type: 'error', content: { code, message, ...(Object.keys(details).length > 0 && { details }) } }
}
