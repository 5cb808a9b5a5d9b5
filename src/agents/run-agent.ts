/**
 * Runs one prompt on one agent. Events come as the agent gives them; `init` is always the first and `done` always the
 * last, however the agent ends. The generator returns the result.
 */
import { type RunningProcess, startProcess } from '../kit/process.ts'
import { readLines } from '../kit/read-lines.ts'
import type { Agent, AgentEvent, AgentRequest, OutputReader, Surroundings, Usage } from './agent.ts'
import { cleanUpSession } from './clean-up-session.ts'
import { createScratch } from './scratch-files.ts'
import { type AgentResult, settleResult } from './settle-result.ts'

/** An agent that has said its last word may take this long to exit before it is ended. */
const LAST_WORD_GRACE_MS = 5000
/** A longer line is no event of any agent: it is skipped, and said so. */
const LINE_LIMIT_BYTES = 10 * 1024 * 1024

export type AgentOrder = {
  agent: Agent
  request: AgentRequest
  /** How the agent is started: its path, or a program with arguments that stands in for it. */
  program: readonly [string, ...string[]]
  env: Readonly<Record<string, string | undefined>>
  isRoot: boolean
  /** Null: no deadline. */
  timeoutMs: number | null
  signal: AbortSignal
  /** What earlier turns of a resumed session have used, for agents that count whole sessions. */
  priorUsage?: Usage
  /** Sees every line that the agent prints, as it is. */
  onLine?: (line: string) => void
}

/** Throws a Fault when the agent cannot be started; after the first event it never throws. */
export async function* runAgent(order: AgentOrder): AsyncGenerator<AgentEvent, AgentResult, undefined> {
  const { agent, request } = order
  const scratch = createScratch()
  // To stop reading the events early must end the agent, and an abort reaches it where `finally` would come too late.
  const left = new AbortController()
  try {
    const around = { ...order, executable: order.program[0], scratchDirectory: scratch.directory }
    const command = agent.toCommand(request, around)
    scratch.write(command.files)
    const running = await startProcess({
      argv: [...order.program, ...command.argv.slice(1)],
      cwd: request.workdir,
      env: command.env,
      stdin: command.stdin,
      timeoutMs: order.timeoutMs,
      signal: AbortSignal.any([order.signal, left.signal]),
      sweep: 'always',
      cancelSignal: agent.cancelSignal,
    })
    const reader = agent.createReader(order.priorUsage === undefined ? {} : { priorUsage: order.priorUsage })
    const open = createOpening(request)
    const warnings = [...command.warnings]
    for await (const events of readEvents(running, { order, reader, left, warnings })) yield* open(events)
    const exit = await running.exit
    const { events, verdict } = reader.finish(exit)
    yield* open(events)
    const hasEnded = reader.hasEnded()
    const { backend } = agent
    const result = settleResult({ backend, timeoutMs: order.timeoutMs, exit, verdict, hasEnded, warnings })
    yield* open(closingEvents(result))
    tidyUp({ order, around, sessionId: result.sessionId })
    return result
  } finally {
    left.abort()
    scratch.remove()
  }
}

type Reading = { order: AgentOrder; reader: OutputReader; left: AbortController; warnings: string[] }

async function* readEvents(running: RunningProcess, reading: Reading): AsyncGenerator<AgentEvent[]> {
  const { order, reader, left, warnings } = reading
  let lastWord: NodeJS.Timeout | undefined
  const onOversize = (bytes: number) =>
    warnings.push(`a line of ${bytes} bytes was skipped: it is too long for an event`)
  try {
    for await (const lines of readLines(running.stdout, { limitBytes: LINE_LIMIT_BYTES, onOversize })) {
      yield lines.flatMap((line) => {
        order.onLine?.(line)
        return reader.readLine(line)
      })
      if (reader.hasEnded()) lastWord ??= setTimeout(() => left.abort(), LAST_WORD_GRACE_MS)
    }
    await running.exit
  } finally {
    clearTimeout(lastWord)
  }
}

/** Puts an `init` in front of the first event when the agent itself has none, and the model into one that lacks it. */
function createOpening(request: AgentRequest): (events: readonly AgentEvent[]) => AgentEvent[] {
  const known = { ...(request.model !== undefined && { model: request.model }), working_dir: request.workdir }
  let isOpen = false
  return (events) => {
    const [first, ...rest] = events
    if (isOpen || first === undefined) return [...events]
    isOpen = true
    if (first.type !== 'init') return [{ type: 'init', content: known }, ...events]
    return [{ type: 'init', content: { ...known, ...first.content } }, ...rest]
  }
}

function closingEvents(result: AgentResult): AgentEvent[] {
  const { error, exitCode, durationMs, usage, turnCount } = result
  const done: AgentEvent = {
    type: 'done',
    content: {
      exit_code: exitCode,
      duration_ms: durationMs,
      token_usage: usage,
      ...(turnCount !== undefined && { turn_count: turnCount }),
    },
  }
  return error === undefined ? [done] : [{ type: 'error', content: error }, done]
}

function tidyUp(left: { order: AgentOrder; around: Surroundings; sessionId: string | undefined }): void {
  const { agent, request, program } = left.order
  if (!request.isEphemeral || left.sessionId === undefined) return
  const command = agent.toCleanUp?.(left.sessionId, left.around)
  if (command === undefined) return
  cleanUpSession({ ...command, argv: [...program, ...command.argv.slice(1)] }, request.workdir)
}
