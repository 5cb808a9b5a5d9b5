/**
 * Runs one prompt on one agent. Events come as the agent prints them; `init` is always the first and `done` always the
 * last, however the agent ends. The generator returns the result.
 */
import { OWNER_VARIABLE } from '../kit/process/environment-variables.ts'
import { type ProcessCommand, type RunningProcess, startProcess } from '../kit/process/process.ts'
import type {
  AgentCommand,
  AgentEvent,
  AgentRequest,
  ApprovalRequest,
  AttributedReply,
  TraceContext,
  Usage,
} from './adapter/agent.ts'
import { type AgentResult, toAgentResult } from './agent-result.ts'
import { checkAnswer } from './check-answer.ts'
import { forgetSession } from './clean-up.ts'
import { createNotices } from './notices.ts'
import { type Reading, readEvents } from './read-events.ts'
import { removeScratch, writeScratch } from './scratch-files.ts'
import { closingEvents, createOpening, warningsIn } from './turn-events.ts'

const DEFAULT_EXIT_GRACE_MS = 5000

export type AgentRunOptions = {
  signal: AbortSignal
  /** Marks the agent's processes, so that they are found if this process dies without ending them. */
  owner?: string | undefined
  /** The usage of earlier turns of a resumed session, for agents that count whole sessions. */
  priorUsage?: Usage | undefined
  /** Gets every line that the agent prints, unchanged. */
  onLine?: ((line: string) => Promise<void>) | undefined
  /** Decides about what the agent asks for, if it speaks ACP; others cannot ask in a process of their own. */
  onApproval?: ((request: ApprovalRequest) => Promise<AttributedReply>) | undefined
  /** Learns what the turn has used so far, from agents that say so before its end. It is no part of the events. */
  onUsage?: ((usage: Usage) => void) | undefined
  /** How long the agent may take to exit after its terminal event. */
  exitGraceMs?: number
  /** Gets the command that deletes a session which the agent stored although the prompt is ephemeral. */
  onLeftover?: ((command: AgentCommand) => void) | undefined
}

/** Throws a Fault when the agent cannot be started; after the first event it never throws. */
export async function* runAgent(
  request: AgentRequest,
  command: AgentCommand,
  options: AgentRunOptions,
): AsyncGenerator<AgentEvent, AgentResult, undefined> {
  const { agent } = request
  if ('profile' in agent) {
    const { owner, signal, priorUsage, onLine, onApproval, onUsage } = options
    const marked = { ...command, env: toProcessEnvironment(command.env, { owner, trace: request.trace }) }
    const common = { owner, signal, priorUsage, onLine, onApproval, onUsage }
    const { runAcpAgent } = await import('./acp/run-acp-agent.ts')
    return yield* runAcpAgent({ agent, request, command: marked, ...common })
  }
  // A caller that stops reading must end the agent. `finally` alone would run too late, while a line is awaited.
  const stop = new AbortController()
  const model = request.model ?? agent.configuredModel?.(request)
  const opening = createOpening({ model, workdir: request.workdir })
  const reader = agent.createReader(options.priorUsage === undefined ? {} : { priorUsage: options.priorUsage })
  const notices = createNotices(reader)
  const { onLine, onUsage, exitGraceMs = DEFAULT_EXIT_GRACE_MS } = options
  const { warnings: missing } = command
  const reading = createReading(request, { reader, notices, stop, onLine, onUsage, exitGraceMs, warnings: missing })
  const forget = forgetOnce(request, opening.sessionId, options)
  let running: RunningProcess | undefined
  try {
    writeScratch(request.scratchDirectory, command)
    const signal = AbortSignal.any([options.signal, stop.signal])
    running = await start(request, command, { owner: options.owner, signal, onStderr: notices.add })
    for await (const events of readEvents(running, reading)) yield* opening.add(events)
    const exit = await running.exit
    const { events, result: finished } = reader.finish(exit)
    const output = checkAnswer(finished, request)
    yield* opening.add(events)
    const warnings = [...reading.warnings, ...(await forget()), ...warningsIn(output, request)]
    const { stopReason } = reading
    const outcome = toAgentResult({ request, exit, output, stopReason, hasEnded: reader.hasEnded(), warnings })
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

type ReadingParts = Pick<Reading, 'reader' | 'notices' | 'stop' | 'onLine' | 'onUsage' | 'exitGraceMs'> & {
  warnings: readonly string[]
}

function createReading({ firstEventTimeoutMs = null }: AgentRequest, parts: ReadingParts): Reading {
  return { ...parts, firstEventTimeoutMs, warnings: [...parts.warnings], stopReason: undefined }
}

/** Deletes the session of an ephemeral prompt, once, when the agent has ended with or without a result. */
function forgetOnce(request: AgentRequest, sessionId: () => string | undefined, options: AgentRunOptions) {
  let forgetting: Promise<readonly string[]> | undefined
  const forget = async () => {
    const { command, warnings } = await forgetSession(request, sessionId())
    const marks = { owner: options.owner, trace: request.trace }
    if (command !== undefined) options.onLeftover?.({ ...command, env: toProcessEnvironment(command.env, marks) })
    return warnings
  }
  return () => {
    forgetting ??= forget()
    return forgetting
  }
}

function start(
  request: AgentRequest,
  command: AgentCommand,
  { signal, owner, onStderr }: Pick<AgentRunOptions, 'signal' | 'owner'> & Pick<ProcessCommand, 'onStderr'>,
): Promise<RunningProcess> {
  return startProcess({
    argv: command.argv,
    shownAs: request.shownAs,
    cwd: request.workdir,
    env: toProcessEnvironment(command.env, { owner, trace: request.trace }),
    stdin: command.stdin,
    timeoutMs: request.timeoutMs,
    signal,
    onStderr,
    sweep: 'always',
    cancelSignal: request.agent.cancelSignal,
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
