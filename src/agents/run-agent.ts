/**
 * Runs one prompt on one agent. Events come as the agent gives them; `init` is always the first and `done` always the
 * last, however the agent ends. The generator returns the result.
 */

import { OWNER_VARIABLE } from '../kit/process/environment-variables.ts'
import { type RunningProcess, startProcess } from '../kit/process/process.ts'
import { readLines } from '../kit/read-lines.ts'
import type { AgentCommand, AgentEvent, AgentRequest, OutputReader, Usage } from './agent.ts'
import { buildCleanUpCommand } from './build-command.ts'
import { cleanUpSession } from './clean-up-session.ts'
import { AGENTS } from './registry.ts'
import { removeScratch, writeScratch } from './scratch-files.ts'
import { type AgentResult, type Cut, settleResult } from './settle-result.ts'

/** An agent that has said its last word may take this long to exit before it is ended. */
const LAST_WORD_GRACE_MS = 5000
/** A longer line is no event of any agent: it is skipped, and said so. */
const LINE_LIMIT_BYTES = 10 * 1024 * 1024

export type AgentRunOptions = {
  signal: AbortSignal
  /** Marks the agent's processes, so that they are found if this process dies without ending them. */
  owner?: string | undefined
  /** The usage of earlier turns of a resumed session, for agents that count whole sessions. */
  priorUsage?: Usage | undefined
  /** Gets every line that the agent prints, unchanged. */
  onLine?: ((line: string) => Promise<void>) | undefined
}

/** Throws a Fault when the agent cannot be started; after the first event it never throws. */
export async function* runAgent(
  request: AgentRequest,
  command: AgentCommand,
  options: AgentRunOptions,
): AsyncGenerator<AgentEvent, AgentResult, undefined> {
  const { backend, timeoutMs } = request
  // To stop reading the events early must end the agent, and an abort reaches it where `finally` would come too late.
  const left = new AbortController()
  const open = createOpening(request)
  let running: RunningProcess | undefined
  try {
    writeScratch(request.scratchDirectory, command.files)
    running = await start(request, command, { ...options, signal: AbortSignal.any([options.signal, left.signal]) })
    const reader = AGENTS[backend].createReader(
      options.priorUsage === undefined ? {} : { priorUsage: options.priorUsage },
    )
    const reading: Reading = {
      reader,
      onLine: options.onLine,
      left,
      warnings: [...command.warnings],
      cut: undefined,
    }
    for await (const events of readEvents(running, reading)) yield* open.add(events)
    const exit = await running.exit
    const { events, verdict } = reader.finish(exit)
    yield* open.add(events)
    const { cut, warnings } = reading
    const result = settleResult({ backend, timeoutMs, exit, verdict, cut, hasEnded: reader.hasEnded(), warnings })
    yield* open.add(closingEvents(result))
    return result
  } finally {
    left.abort()
    await running?.exit
    removeScratch(request.scratchDirectory)
    cleanUpEphemeral(request, open.sessionId(), options.owner)
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
    env: withOwner(command.env, owner),
    stdin: command.stdin,
    timeoutMs: request.timeoutMs,
    signal,
    sweep: 'always',
    cancelSignal: AGENTS[request.backend].cancelSignal,
  })
}

function withOwner(env: AgentCommand['env'], owner: string | undefined): AgentCommand['env'] {
  return owner === undefined ? env : { ...env, [OWNER_VARIABLE]: owner }
}

type Reading = {
  reader: OutputReader
  onLine: AgentRunOptions['onLine']
  left: AbortController
  warnings: string[]
  cut: Cut | undefined
}

async function* readEvents(running: RunningProcess, reading: Reading): AsyncGenerator<AgentEvent[]> {
  const { onLine, reader, warnings } = reading
  const cutOff = (why: Cut) => {
    reading.cut ??= why
    reading.left.abort()
  }
  let lastWord: NodeJS.Timeout | undefined
  const onOversize = (bytes: number) =>
    warnings.push(`a line of ${bytes} bytes was skipped: it is too long for an event`)
  try {
    for await (const lines of readLines(running.stdout, { limitBytes: LINE_LIMIT_BYTES, onOversize })) {
      if (onLine !== undefined) for (const line of lines) await onLine(line)
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

/** Some agents store a session even for an ephemeral prompt. */
function cleanUpEphemeral(request: AgentRequest, sessionId: string | undefined, owner: string | undefined): void {
  if (!request.isEphemeral || sessionId === undefined) return
  const command = buildCleanUpCommand(request, sessionId)
  if (command !== undefined) cleanUpSession({ ...command, env: withOwner(command.env, owner) }, request.workdir)
}
