/**
 * Runs one prompt on one agent. Events come as the agent prints them; `init` is always the first and `done` always the
 * last, however the agent ends. The generator returns the result.
 */
import { OWNER_VARIABLE } from '../kit/process/environment-variables.ts'
import { type RunningProcess, startProcess } from '../kit/process/process.ts'
import { readLines } from '../kit/read-lines.ts'
import type { AgentCommand, AgentEvent, AgentRequest, LineAgent, TraceContext } from './adapter/agent.ts'
import type { JsonRecord } from './adapter/json-fields.ts'
import type { AgentRun, StopReason } from './agent-result.ts'
import type { AgentBoundary } from './boundary/open-agent-boundary.ts'
import { forgetSession } from './clean-up.ts'
import { createNotices, withNotices } from './notices.ts'
import {
  type AgentRunOptions,
  type OnOutput,
  reportUsage,
  runTurn,
  type TurnDriver,
  type TurnEnding,
} from './run-turn.ts'
import { removeScratch, writeScratch } from './scratch-files.ts'

/** Throws a Fault when the agent cannot be started; after the first event it never throws. */
export async function* runAgent(request: AgentRequest, command: AgentCommand, options: AgentRunOptions): AgentRun {
  const { agent } = request
  if ('profile' in agent) {
    const { owner, signal, priorUsage, onLine, onApproval, onUsage, onBoundaryEvent, onSteerable, stop } = options
    const marked = { ...command, env: toProcessEnvironment(command.env, { owner, trace: request.trace }) }
    const common = { owner, signal, priorUsage, onLine, onApproval, onUsage, onBoundaryEvent, onSteerable, stop }
    const { runAcpAgent } = await import('./acp/run-acp-agent.ts')
    return yield* runAcpAgent({ agent, request, command: marked, ...common })
  }
  const { owner, ...rest } = options
  const toEnvironment = (env: AgentCommand['env']) => toProcessEnvironment(env, { owner, trace: request.trace })
  const { resumeId } = request
  const earlier = resumeId === undefined ? undefined : await agent.readSessionCounts?.(resumeId, request)
  const turn = new ColdTurn(agent, { request, command, toEnvironment, earlier, ...rest })
  return yield* runTurn(request, turn, options.stop)
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

const DEFAULT_EXIT_GRACE_MS = 5000
/** No agent prints longer events: a longer line is skipped with a warning. */
const LINE_LIMIT_BYTES = 10 * 1024 * 1024

type ColdTurnParts = Omit<AgentRunOptions, 'owner' | 'onApproval'> & {
  request: AgentRequest
  command: AgentCommand
  /** What the agent has counted in the session before this turn. */
  earlier: JsonRecord | undefined
  /** Adds what marks the processes of this turn. */
  toEnvironment(env: AgentCommand['env']): AgentCommand['env']
}

/** A turn in a process that is started for it and ends with it. Ends an agent that is silent, writes too much or does not exit. */
class ColdTurn implements TurnDriver {
  readonly reader
  readonly model
  readonly #parts: ColdTurnParts
  readonly #notices
  readonly #warnings: string[]
  /** A caller that stops reading must end the agent. `close` alone would come too late, while a line is awaited. */
  readonly #stop = new AbortController()
  #stopReason: StopReason | undefined
  #process: RunningProcess | undefined
  #boundary: AgentBoundary | undefined
  #onOutput: OnOutput | undefined
  #forgetting: Promise<readonly string[]> | undefined

  constructor(agent: LineAgent, parts: ColdTurnParts) {
    const { request, command, priorUsage, earlier } = parts
    this.#parts = parts
    this.model = request.model ?? agent.configuredModel?.(request)
    const { wantsDeltas } = request
    this.reader = agent.createReader({ wantsDeltas, earlier, ...(priorUsage !== undefined && { priorUsage }) })
    this.#notices = createNotices(this.reader, { takesMore: parts.onSteerable !== undefined })
    this.#warnings = [...command.warnings]
  }

  async begin(onOutput: OnOutput): Promise<void> {
    this.#onOutput = onOutput
    const { request, command, signal, toEnvironment, onBoundaryEvent = () => {}, onSteerable } = this.#parts
    writeScratch(request.scratchDirectory, command)
    const bare = { argv: command.argv, env: toEnvironment(command.env) }
    if (request.boundary !== undefined) {
      const { openAgentBoundary } = await import('./boundary/open-agent-boundary.ts')
      this.#boundary = await openAgentBoundary(request, { ...bare, plan: request.boundary }, (event) => {
        onBoundaryEvent(event)
        if (event.is === 'exceeded') this.stop(event.fault)
      })
    }
    this.#process = await startProcess({
      ...(this.#boundary?.command ?? bare),
      shownAs: request.shownAs,
      cwd: request.workdir,
      stdin: command.stdin,
      timeoutMs: request.timeoutMs,
      signal: AbortSignal.any([signal, this.#stop.signal]),
      onStderr: this.#notices.add,
      sweep: 'always',
      cancelSignal: request.agent.cancelSignal,
    })
    onSteerable?.({
      send: async () => (this.reader.hasEnded() ? undefined : false),
      tell: (event) => this.#notices.tell(event),
    })
  }

  async *read(): AsyncGenerator<AgentEvent[]> {
    const { reader } = this
    const { request, onLine, onUsage, exitGraceMs = DEFAULT_EXIT_GRACE_MS } = this.#parts
    const { stdout, exit } = this.#running()
    const { firstEventTimeoutMs = null } = request
    const lateness = firstEventTimeoutMs === null ? undefined : setTimeout(() => this.stop('late'), firstEventTimeoutMs)
    let exitDeadline: NodeJS.Timeout | undefined
    try {
      const batches = readLines(stdout, { limitBytes: LINE_LIMIT_BYTES, onOversize: this.#onOversize })
      for await (const { lines, noted } of withNotices(batches, this.#notices)) {
        if (onLine !== undefined) for (const line of lines) await onLine(line)
        const events = [...noted, ...lines.flatMap((line) => reader.readLine(line))]
        this.#onOutput?.(events)
        reportUsage(reader, onUsage)
        yield events
        if (reader.hasBegun() || reader.hasEnded()) clearTimeout(lateness)
        if (reader.hasEnded()) exitDeadline ??= setTimeout(() => this.stop('lingered'), exitGraceMs)
        if (reader.isTooLong()) return this.stop('answer_too_long')
      }
      await exit
    } finally {
      clearTimeout(lateness)
      clearTimeout(exitDeadline)
    }
  }

  stop(reason: StopReason): void {
    if (!this.#parts.signal.aborted) this.#stopReason ??= reason
    this.#stop.abort()
  }

  async settle(isSilent: boolean): Promise<TurnEnding> {
    const exit = await this.#running().exit
    const failure = exit.ended === 'itself' && isSilent ? this.#boundary?.failureOf(exit) : undefined
    if (failure !== undefined) throw failure
    await this.#boundary?.endTurn()
    return { exit, staysUp: false, stopReason: this.#stopReason }
  }

  cutOff(): readonly string[] | undefined {
    return this.#boundary?.cutOff()
  }

  async warnings(sessionId: string | undefined): Promise<readonly string[]> {
    return [...this.#warnings, ...(await this.#forget(sessionId))]
  }

  async close(sessionId: string | undefined): Promise<void> {
    this.#stop.abort()
    await this.#process?.exit
    await this.#boundary?.close()
    await removeScratch(this.#parts.request.scratchDirectory)
    await this.#forget(sessionId)
  }

  #running(): RunningProcess {
    if (this.#process === undefined) throw new Error('the turn has not begun')
    return this.#process
  }

  readonly #onOversize = (bytes: number) => {
    this.#warnings.push(`a line of ${bytes} bytes was skipped: it is too long for an event`)
  }

  /** Deletes the session of an ephemeral prompt, once, when the agent has ended with or without a result. */
  #forget(sessionId: string | undefined): Promise<readonly string[]> {
    this.#forgetting ??= this.#forgetNow(sessionId)
    return this.#forgetting
  }

  async #forgetNow(sessionId: string | undefined): Promise<readonly string[]> {
    const { request, toEnvironment, onLeftover } = this.#parts
    const { command, warnings } = await forgetSession(request, sessionId)
    if (command !== undefined) onLeftover?.({ ...command, env: toEnvironment(command.env) })
    return warnings
  }
}
