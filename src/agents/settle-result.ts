/** What a run amounts to: the agent's own verdict, and how its process ended. Pure. */
import { constants } from 'node:os'
import type { ProcessExit } from '../kit/process/process.ts'
import type { Verdict } from './agent.ts'
import { ANSWER_LIMIT_CHARACTERS } from './output-reader.ts'

export type AgentResult = Verdict & {
  exitCode: number
  /** What was asked for and could not be had, in sentences. */
  warnings: readonly string[]
  ended: ProcessExit['ended']
  durationMs: number
}

/** As `timeout(1)` has it. */
const EXIT_TIMEOUT = 124
/** As shells have it for an interrupt. */
const EXIT_CANCELLED = 130

type Facts = {
  backend: string
  timeoutMs: number | null
  exit: ProcessExit
  verdict: Verdict
  /** What the runner saw before it ended the agent, if it did. */
  cut: Cut | undefined
  /** The agent had said its last word. */
  hasEnded: boolean
  warnings: readonly string[]
}

/** Why the runner itself ended the agent: it stayed after its last word, or it would not stop talking. */
export type Cut = 'lingered' | 'overfull'

/** The terminal event decides where there is one; whoever ended the process after it ended nothing. */
export function settleResult(facts: Facts): AgentResult {
  const { exit, verdict, warnings } = facts
  const { error: said, ...rest } = verdict
  const ended = isOver(facts) ? 'itself' : exit.ended
  return { ...rest, ...outcomeOf(facts, ended, said), warnings, ended, durationMs: exit.durationMs }
}

function isOver({ hasEnded, verdict, cut }: Facts): boolean {
  return hasEnded && (cut === 'lingered' || verdict.error === undefined)
}

type Outcome = { exitCode: number; error?: NonNullable<Verdict['error']> }

function outcomeOf(facts: Facts, ended: ProcessExit['ended'], said: Verdict['error']): Outcome {
  if (facts.cut === 'overfull') return overfull(facts)
  switch (ended) {
    case 'itself':
      return ownEnd(facts.exit, said)
    case 'timeout':
      return timedOut(facts)
    case 'cancelled':
      return { exitCode: EXIT_CANCELLED, error: { code: 'agent_cancelled', message: 'the run was cancelled' } }
  }
}

function ownEnd(exit: ProcessExit, error: Verdict['error']): Outcome {
  if (error === undefined) return { exitCode: 0 }
  const isOurSignal = exit.ended !== 'itself'
  const signalled = exit.signal === null || isOurSignal ? 1 : 128 + constants.signals[exit.signal]
  return { exitCode: isOurSignal ? signalled : exit.code || signalled, error }
}

function timedOut({ backend, timeoutMs }: Facts): Outcome {
  const message = `${backend} did not finish within ${(timeoutMs ?? 0) / 1000} s and was ended`
  return { exitCode: EXIT_TIMEOUT, error: { code: 'agent_timeout', message } }
}

function overfull({ backend }: Facts): Outcome {
  const message = `${backend} said more than ${ANSWER_LIMIT_CHARACTERS} characters and was ended`
  return { exitCode: 1, error: { code: 'agent_output_too_large', message } }
}
