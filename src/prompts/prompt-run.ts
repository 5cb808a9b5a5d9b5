/** What a caller says about the run of a prompt, and what it gets. */
import type { OnApproval, Usage } from '../agents/adapter/agent.ts'
import type { ExecutionOptions } from './execution-recorder.ts'
import type { PromptEvent } from './prompt-event.ts'
import type { PromptResult } from './prompt-result.ts'

export type PromptRunOptions = {
  signal: AbortSignal
  /** Gets every line that the agent prints, unchanged. */
  onLine?: (line: string) => Promise<void>
  /** Decides about what the agent asks for, in place of the approvals of the context. */
  onApproval?: OnApproval | undefined
  /** Learns what the turn has used so far, from agents that say so before its end. */
  onUsage?: ((usage: Usage) => void) | undefined
  execution?: ExecutionOptions
  /** It goes to one process only. If that ends before its first event, a Fault is thrown. */
  isSentOnce?: boolean
}

export type PromptStream = AsyncGenerator<PromptEvent, PromptResult, undefined>
