/** What a run amounts to: the agent's own verdict, and how its process ended. Pure. */
import { constants } from 'node:os'
import type { Exit } from '../kit/process.ts'
import type { Verdict } from './agent.ts'

export type AgentResult = Verdict & {
  exitCode: number
  /** What was asked for and could not be had, in sentences. */
  warnings: readonly string[]
  ended: Exit['ended']
  durationMs: number
}

/** As `timeout(1)` has it. */
const EXIT_TIMEOUT = 124
/** As shells have it for an interrupt. */
const EXIT_CANCELLED = 130

type Facts = {
  backend: string
  timeoutMs: number | null
  exit: Exit
  verdict: Verdict
  /** The agent had said its last word. */
  hasEnded: boolean
  warnings: readonly string[]
}

/** The terminal event decides where there is one; whoever ended the process after it ended nothing. */
export function settleResult(facts: Facts): AgentResult {
  const { exit, verdict, hasEnded, warnings } = facts
  const ended = hasEnded && verdict.error === undefined ? 'itself' : exit.ended
  const { error: said, ...rest } = verdict
  const outcome = { itself: () => ownEnd(exit, said), timeout: () => timedOut(facts), cancelled }[ended]()
  return { ...rest, ...outcome, warnings, ended, durationMs: exit.durationMs }
}

type Outcome = { exitCode: number; error?: NonNullable<Verdict['error']> }

function ownEnd(exit: Exit, error: Verdict['error']): Outcome {
  if (error === undefined) return { exitCode: 0 }
  const signalled = exit.signal === null ? 1 : 128 + constants.signals[exit.signal]
  return { exitCode: exit.code || signalled, error }
}

function timedOut({ backend, timeoutMs }: Facts): Outcome {
  const message = `${backend} did not finish within ${(timeoutMs ?? 0) / 1000} s and was ended`
  return { exitCode: EXIT_TIMEOUT, error: { code: 'agent_timeout', message } }
}

function cancelled(): Outcome {
  return { exitCode: EXIT_CANCELLED, error: { code: 'agent_cancelled', message: 'the run was cancelled' } }
}
