/** Calls a tool: checks its arguments, does the work, and turns every Fault into a tool error. */
import type { DrivenRun } from '../../drive/service/driven-run.shape.ts'
import { executionEnded } from '../../executions/store/faults.ts'
import { Fault } from '../../kit/fault.ts'
import { checker } from '../../kit/schema.ts'
import { omitEmpty } from '../../prompts/omit-empty.ts'
import {
  validateCompareTool,
  validateExecutionCancelTool,
  validateExecutionGetTool,
  validatePromptTool,
  validateResumeTool,
  validateRunAnswerTool,
  validateRunStartTool,
  validateRunStatusTool,
} from './checks.generated.js'
import type { ToolPort } from './tool-port.ts'
import { executionResult, faultResult, runResult, type ToolResult } from './tool-result.ts'
import type { ToolName } from './tools.generated.js'
import type {
  CompareTool,
  ExecutionCancelTool,
  ExecutionGetTool,
  PromptTool,
  ResumeTool,
  RunAnswerTool,
  RunStartTool,
  RunStatusTool,
} from './tools.shape.ts'
import { type Report, watchExecution } from './watch-execution.ts'

export type ToolCall = {
  port: ToolPort
  /** As the client sent them. */
  given: unknown
  /** Aborted when the client cancels the call, or is gone. */
  signal: AbortSignal
  report: Report
}

const SUBJECT = 'the call'
const checkPrompt = checker<PromptTool>(SUBJECT, validatePromptTool)
const checkCompare = checker<CompareTool>(SUBJECT, validateCompareTool)
const checkResume = checker<ResumeTool>(SUBJECT, validateResumeTool)
const checkGet = checker<ExecutionGetTool>(SUBJECT, validateExecutionGetTool)
const checkCancel = checker<ExecutionCancelTool>(SUBJECT, validateExecutionCancelTool)
const checkRunStart = checker<RunStartTool>(SUBJECT, validateRunStartTool)
const checkRunStatus = checker<RunStatusTool>(SUBJECT, validateRunStatusTool)
const checkRunAnswer = checker<RunAnswerTool>(SUBJECT, validateRunAnswerTool)

const TOOLS: Readonly<Record<ToolName, (call: ToolCall) => Promise<ToolResult>>> = {
  prompt: async (call) => {
    const { wait_secs: wait, ...request } = checkPrompt(omitEmpty(call.given))
    const { port } = call
    return await runToHandle(call, wait, () => port.prompt({ backend: port.defaultBackend, ...request }))
  },
  compare: async (call) => {
    const { wait_secs: wait, ...request } = checkCompare(omitEmpty(call.given))
    return await runToHandle(call, wait, () => call.port.compare(request))
  },
  session_resume: async (call) => {
    const { wait_secs: wait, session_id: id, ...request } = checkResume(omitEmpty(call.given))
    return await runToHandle(call, wait, () => call.port.resume(id, request))
  },
  execution_get: async ({ port, given, signal, report }) => {
    const { execution_id: asked, wait_secs: wait = port.waitSecs, events_after: eventsAfter } = checkGet(given)
    const { id } = await port.findExecution(asked)
    const watched = await watchExecution(port, id, { waitMs: wait * 1000, signal, report, eventsAfter })
    return executionResult(await port.findExecution(id), watched)
  },
  execution_cancel: async ({ port, given }) => {
    const { id } = await port.findExecution(checkCancel(given).execution_id)
    await cancel(port, id)
    return executionResult(await port.findExecution(id), { text: '' })
  },
  run_start: async ({ port, given }) => runResult(await port.startRun(checkRunStart(given))),
  run_status: async (call) => {
    const { run_id: id, wait_secs: wait = 0 } = checkRunStatus(call.given)
    return runResult(await waitForRun(call, id, wait * 1000))
  },
  run_answer: async ({ port, given }) => {
    const { run_id: id, ...answer } = checkRunAnswer(given)
    return runResult(await port.answerRun(id, answer))
  },
}

/** Undefined if there is no such tool. An error that is not a Fault is a bug, and is thrown. */
export async function callTool(name: string, call: ToolCall): Promise<ToolResult | undefined> {
  if (!Object.hasOwn(TOOLS, name)) return undefined
  try {
    return await TOOLS[name as ToolName](call)
  } catch (error) {
    if (error instanceof Fault) return faultResult(error)
    throw error
  }
}

/**
 * Starts work and waits for its end. If that takes too long, the answer is a handle, and the work goes on. A client that
 * gives up before has no handle, so the work is ended.
 */
async function runToHandle(
  { port, signal, report }: ToolCall,
  waitSecs: number | undefined,
  start: () => Promise<string>,
): Promise<ToolResult> {
  signal.throwIfAborted()
  const id = await start()
  const waitMs = (waitSecs ?? port.waitSecs) * 1000
  const watched = await watchExecution(port, id, { waitMs, signal, report })
  if (signal.aborted) await cancel(port, id)
  return executionResult(await port.findExecution(id), watched)
}

/** It may have ended meanwhile. */
async function cancel(port: ToolPort, id: string): Promise<void> {
  try {
    await port.cancelExecution(id)
  } catch (error) {
    if (!(error instanceof Fault) || error.code !== executionEnded.code) throw error
  }
}

/** Until it does not work any more, or the time is over. */
async function waitForRun({ port, signal, report }: ToolCall, id: string, waitMs: number): Promise<DrivenRun> {
  let run = await port.showRun(id)
  if (run.state !== 'running' || waitMs === 0) return run
  const stop = AbortSignal.any([signal, port.closing, AbortSignal.timeout(waitMs)])
  for await (const _ of port.followRun(id, { after: run.last_seq, signal: stop })) {
    run = await port.showRun(id)
    report(`run ${id}: ${run.action?.kind ?? run.state}`)
    if (run.state !== 'running') break
  }
  return run
}
