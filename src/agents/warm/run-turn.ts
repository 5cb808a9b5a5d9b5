/**
 * Runs one turn of a long-lived agent; what is the same for all protocols. `init` is the first event and `done` the last.
 * A turn has ended when the agent says so and everything that it has started is gone; otherwise the process is ended.
 */
import type { ProcessExit } from '../../kit/process/process.ts'
import type { AgentEvent } from '../adapter/agent.ts'
import { exitCodeOfFailure } from '../adapter/exit-codes.ts'
import { type AgentResult, toAgentResult } from '../agent-result.ts'
import { checkAnswer } from '../check-answer.ts'
import { closingEvents, createOpening, warningsIn } from '../turn-events.ts'
import { ActiveTurn, type TurnProtocol } from './active-turn.ts'
import { agentDisconnected } from './faults.ts'
import type { Turn } from './long-lived-agent.ts'
import type { WarmProcess } from './warm-process.ts'

type TurnEnd = {
  /** The agent ended the turn, and nothing that the turn has started still runs. */
  isClean: boolean
  sessionId: string | undefined
}

type TurnParts = {
  turn: Turn
  protocol: TurnProtocol
  /** Called once, before the last event is passed on. */
  onEnd: (end: TurnEnd) => void
}

/** Throws a Fault before the first event if the agent does not take the prompt or ends without a word. */
export async function* runTurn(
  agent: WarmProcess,
  { turn, protocol, onEnd }: TurnParts,
): AsyncGenerator<AgentEvent, AgentResult, undefined> {
  const { request, command } = turn
  const { reader, model } = protocol
  const startedAt = performance.now()
  const opening = createOpening({ model, workdir: request.workdir })
  const active = new ActiveTurn(agent, turn, protocol)
  let end: TurnEnd = { isClean: false, sessionId: undefined }
  try {
    await agent.beginTurn(active.onStderr)
    await active.begin()
    for await (const events of active.queue.read()) yield* opening.add(events)
    await active.stopped()
    const isTidy = await leaveNothing(agent)
    const durationMs = Math.round(performance.now() - startedAt)
    const hasEnded = reader.hasEnded()
    const exit = await awaitExit(agent, { hasEnded, ended: active.ended, durationMs })
    const isLost = !hasEnded && active.ended === 'itself'
    if (isLost && opening.isEmpty()) throw agentDisconnected({ method: 'the prompt' })
    const { events, result: finished } = reader.finish(exit)
    const output = checkAnswer(finished, request)
    yield* opening.add(events)
    const warnings = [...command.warnings, ...active.warnings, ...warningsIn(output, request)]
    const { stopReason } = active
    const code = hasEnded && output.error !== undefined ? exitCodeOfFailure(request.backend, output.error) : exit.code
    const outcome = toAgentResult({ request, exit: { ...exit, code }, output, stopReason, hasEnded, warnings })
    const result = { ...(model !== undefined && { model }), ...outcome }
    const isOrderly = hasEnded && (result.error === undefined || active.isCancelled)
    end = { isClean: isTidy && isOrderly && active.isTrusted && agent.isAlive(), sessionId: result.sessionId }
    yield* opening.add(closingEvents(result))
    return result
  } finally {
    active.close()
    onEnd(end)
    if (!end.isClean) await agent.end()
  }
}

/** True if the process can continue. */
async function leaveNothing(agent: WarmProcess): Promise<boolean> {
  if (agent.isAlive() && (await agent.endTurn())) return true
  await agent.end()
  return false
}

type TurnFacts = Pick<ProcessExit, 'ended' | 'durationMs'> & { hasEnded: boolean }

/** How the process ended. After the end of the turn, `exitCodeOfFailure` knows more. */
async function awaitExit(agent: WarmProcess, { hasEnded, ...turn }: TurnFacts): Promise<ProcessExit> {
  const stderrTail = agent.stderrTail()
  if (!hasEnded && !agent.isAlive()) return { ...(await agent.exit), ...turn, stderrTail }
  return { pid: agent.pid, code: 1, signal: null, forced: false, stderrTail, ...turn }
}
