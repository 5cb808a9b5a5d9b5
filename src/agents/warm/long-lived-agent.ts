/**
 * The interface of an agent that stays up and answers several prompts, one at a time. `run-turn.ts` has what is the same
 * for all protocols; there is one implementation per protocol.
 */
import type { ProcessExit } from '../../kit/process/process.ts'
import type { BoundaryEvent } from '../../sandbox/boundary-report.ts'
import type { AgentCommand, AgentEvent, AgentRequest, Backend, OnApproval, Usage } from '../adapter/agent.ts'
import type { AgentResult } from '../agent-result.ts'
import type { Steering } from '../run-turn.ts'

/** One prompt for a long-lived agent. */
export type Turn = {
  request: AgentRequest
  /** The command for a separate process: the text is its `stdin`, and its warnings are about this turn too. */
  command: AgentCommand
  /** Cancels the turn. */
  signal: AbortSignal
  /** The usage of earlier turns of the session, for agents that count whole sessions. */
  priorUsage?: Usage | undefined
  /** Learns what the turn has used so far, from agents that say so before its end. */
  onUsage?: ((usage: Usage) => void) | undefined
  /** Learns of each host that an agent inside of a boundary reaches or is refused. */
  onBoundaryEvent?: ((event: BoundaryEvent) => void) | undefined
  /** Decides about what the agent wants to do. Absent: everything that the agent asks about is denied. */
  onApproval?: OnApproval | undefined
  /** Stops the agent. Its reason is the Fault that the turn fails with. */
  stop?: AbortSignal | undefined
  /** Called when the agent has the prompt. */
  onSteerable?: ((steering: Steering) => void) | undefined
}

type AgentFacts = {
  /** The process runs and takes prompts. */
  isAlive: boolean
  /** The last turn ended cleanly, so that the next prompt may go to this process. */
  isReusable: boolean
  pid: number
  /** The agent's own id of the session of the last turn. */
  sessionId: string | undefined
  /** How many turns have begun. */
  turns: number
}

export type LongLivedAgent = {
  readonly backend: Backend
  /**
   * Runs one turn, with the contract of `runAgent`: `init` is the first event and `done` the last, and the generator
   * returns the result. Throws a Fault if the agent does not take the prompt: the prompt may then run elsewhere, because
   * nothing was done. After the first event it never throws. A caller that stops reading cancels the turn.
   */
  prompt(turn: Turn): AsyncGenerator<AgentEvent, AgentResult, undefined>
  facts(): AgentFacts
  /** The memory of the process and of all that it has started. */
  residentBytes(): Promise<number>
  /** Ends the process and everything that it has started. */
  end(): Promise<void>
  /** Resolves when the process and everything that it has started is gone. */
  exit: Promise<ProcessExit>
}

/** How to start an agent that stays up. */
export type Launch = {
  /** Decides what is fixed for the life of the process: program, directory, environment, and what the protocol cannot switch. */
  request: AgentRequest
  /** For files that the process needs as long as it lives; the caller removes it when the process has ended. */
  scratchDirectory: string
  /** Marks the processes, so that they are found if this process dies without ending them. */
  owner: string | undefined
  /** Ends the start. */
  signal: AbortSignal
}

/** Resolves when the agent takes prompts. Throws a Fault if it does not start; then nothing is left running. */
export type StartAgent = (launch: Launch) => Promise<LongLivedAgent>
