/** What the tools need of drover. The HTTP endpoint has it in its process, `drover mcp` behind a socket. */
import type { DrivenRun } from '../../drive/service/driven-run.shape.ts'
import type { Execution, ExecutionEvent } from '../../executions/store/execution.shape.ts'
import type { CompareRequest, PromptRequest, ResumeRequest } from '../../prompts/prompt-request.shape.ts'
import type { AnswerBody, StartBody } from '../native/runs.shape.ts'

type From = { readonly after: number; readonly signal: AbortSignal }

/** Every function throws a Fault for what drover refuses. */
export type ToolPort = {
  readonly version: string
  readonly defaultBackend: string
  /** The setting `server.mcp_wait_secs`. */
  readonly waitSecs: number
  /** Aborted when drover ends: tools then answer with what they have. */
  readonly closing: AbortSignal
  /** These return the id of the execution. It goes on without its caller. */
  prompt(request: PromptRequest): Promise<string>
  compare(request: CompareRequest): Promise<string>
  resume(sessionId: string, request: ResumeRequest): Promise<string>
  findExecution(id: string): Promise<Execution>
  followExecution(id: string, from: From): AsyncIterable<readonly ExecutionEvent[]>
  /** Throws `execution_ended` for one that has ended. */
  cancelExecution(id: string): Promise<void>
  startRun(request: StartBody): Promise<DrivenRun>
  showRun(id: string): Promise<DrivenRun>
  /** Yields whenever something has happened in the run. */
  followRun(id: string, from: From): AsyncIterable<unknown>
  answerRun(id: string, answer: AnswerBody): Promise<DrivenRun>
}
