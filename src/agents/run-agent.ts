/**
 * Runs one prompt on one agent. Events come as the agent gives them; `init` is always the first and `done` always the
 * last, however the agent ends. The generator returns the result.
 */
import { type RunningProcess, startProcess } from '../kit/process/process.ts'
import { readLines } from '../kit/read-lines.ts'
import type { Agent, AgentCommand, AgentEvent, AgentRequest, OutputReader, Surroundings, Usage } from './agent.ts'
import { toAgentEnvironment } from './agent-environment.ts'
import { cleanUpSession } from './clean-up-session.ts'
import { createScratch } from './scratch-files.ts'
import { type AgentResult, type Cut, settleResult } from './settle-result.ts'

/** An agent that has said its last word may take this long to exit before it is ended. */
const LAST_WORD_GRACE_MS = 5000
/** A longer line is no event of any agent: it is skipped, and said so. */
const LINE_LIMIT_BYTES = 10 * 1024 * 1024

export type AgentOrder = {
  agent: Agent
  request: AgentRequest
  /** How the agent is started: its path, or a program with arguments that stands in for it. */
  program: readonly [string, ...string[]]
  /** What callers who must not know where it is installed are told instead. */
  shownAs?: string | undefined
  env: Readonly<Record<string, string | undefined>>
  isRoot: boolean
  /** Null: no deadline. */
  timeoutMs: number | null
  signal: AbortSignal
  /** What earlier turns of a resumed session have used, for agents that count whole sessions. */
  priorUsage?: Usage
  /** Sees every line that the agent prints, as it is. */
  onLine?: (line: string) => Promise<void>
}

/** Throws a Fault when the agent cannot be started; after the first event it never throws. */
export async function* runAgent(order: AgentOrder): AsyncGenerator<AgentEvent, AgentResult, undefined> {
  const { agent, request } = order
  const scratch = createScratch()
  const around = { ...order, executable: order.program[0], scratchDirectory: scratch.directory }
  const command = agent.toCommand(request, around)
  // To stop reading the events early must end the agent, and an abort reaches it where `finally` would come too late.
  const left = new AbortController()
  const open = createOpening(request)
  let running: RunningProcess | undefined
  try {
    scratch.write(command.files)
    running = await start(order, command, left.signal)
    const reader = agent.createReader(order.priorUsage === undefined ? {} : { priorUsage: order.priorUsage })
    const reading: Reading = { order, reader, left, warnings: [...command.warnings], cut: undefined }
    for await (const events of readEvents(running, reading)) yield* open.add(events)
    const exit = await running.exit
    const { events, verdict } = reader.finish(exit)
    yield* open.add(events)
    const { cut, warnings } = reading
    const { backend } = agent
    const { timeoutMs } = order
    const result = settleResult({ backend, timeoutMs, exit, verdict, cut, hasEnded: reader.hasEnded(), warnings })
    yield* open.add(closingEvents(result))
    return result
  } finally {
    left.abort()
    await running?.exit
    scratch.remove()
    tidyUp({ order, around, sessionId: open.sessionId() })
  }
}

function start(order: AgentOrder, command: AgentCommand, left: AbortSignal): Promise<RunningProcess> {
  return startProcess({
    argv: [...order.program, ...command.argv.slice(1)],
    shownAs: order.shownAs,
    cwd: order.request.workdir,
    env: toAgentEnvironment(order.env, command.switches),
    stdin: command.stdin,
    timeoutMs: order.timeoutMs,
    signal: AbortSignal.any([order.signal, left]),
    sweep: 'always',
    cancelSignal: order.agent.cancelSignal,
  })
}

type Reading = {
  order: AgentOrder
  reader: OutputReader
  left: AbortController
  warnings: string[]
  cut: Cut | undefined
}

async function* readEvents(running: RunningProcess, reading: Reading): AsyncGenerator<AgentEvent[]> {
  const { order, reader, warnings } = reading
  const cutOff = (why: Cut) => {
    reading.cut ??= why
    reading.left.abort()
  }
  let lastWord: NodeJS.Timeout | undefined
  const onOversize = (bytes: number) =>
    warnings.push(`a line of ${bytes} bytes was skipped: it is too long for an event`)
  try {
    for await (const lines of readLines(running.stdout, { limitBytes: LINE_LIMIT_BYTES, onOversize })) {
      if (order.onLine !== undefined) for (const line of lines) await order.onLine(line)
      yield lines.flatMap((line) => reader.readLine(line))
      if (reader.hasEnded()) lastWord ??= setTimeout(() => cutOff('lingered'), LAST_WORD_GRACE_MS)
      if (reader.isOverfull()) return cutOff('overfull')
    }
    await running.exit
  } finally {
    clearTimeout(lastWord)
  }
}

/** Puts an `init` in front of the first event when the agent itself has none, and the model into one that lacks it. */
function createOpening(request: AgentRequest) {
  const known = { ...(request.model !== undefined && { model: request.model }), working_dir: request.workdir }
  let opening: Extract<AgentEvent, { type: 'init' }> | undefined
  return {
    add(events: readonly AgentEvent[]): AgentEvent[] {
      const [first, ...rest] = events
      if (opening !== undefined || first === undefined) return [...events]
      opening = { type: 'init', content: { ...known, ...(first.type === 'init' && first.content) } }
      return [opening, ...(first.type === 'init' ? rest : events)]
    },
    /** The agent's own session, once it has named it. */
    sessionId: () => opening?.content.backend_session_id,
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
  return error === undefined ? [done] : [{ type: 'error', content: error }, done]
}

function tidyUp(left: { order: AgentOrder; around: Surroundings; sessionId: string | undefined }): void {
  const { agent, request, program, env } = left.order
  if (!request.isEphemeral || left.sessionId === undefined) return
  const command = agent.toCleanUp?.(left.sessionId, left.around)
  if (command === undefined) return
  cleanUpSession({ ...command, argv: [...program, ...command.argv.slice(1)] }, { cwd: request.workdir, env })
}
