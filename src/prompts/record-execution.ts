import type { AgentRequest } from '../agents/adapter/agent.ts'
import { ownerKey } from './caller.ts'
import type { ExecutionKind, ExecutionOptions, ExecutionRecording, ExecutionStart } from './execution-recorder.ts'
import type { PromptContext, PromptStream } from './prompt-context.ts'
import type { PromptEvent } from './prompt-event.ts'
import type { PromptResult } from './prompt-result.ts'

export function beginExecution(
  { backend, model, workdir, prompt, attachments, isEphemeral, isDryRun }: AgentRequest,
  { executions, locate, by }: PromptContext,
  { onBegin, onSession: _, ...options }: ExecutionOptions & Pick<ExecutionStart, 'onCancel' | 'onMessage'>,
): ExecutionRecording | undefined {
  if (executions === undefined) return undefined
  const isDemo = locate(backend)?.isDemo ?? false
  const asked = { kind: kindOf({ isDryRun }), backend, model, workdir, prompt, isDemo, isEphemeral, isDryRun }
  const known = isDryRun ? asked : { ...asked, attachments }
  const recording = executions.begin({ ...known, ...options, client: ownerKey(by), ceilings: by.ceilings })
  onBegin?.(recording)
  return recording
}

/** Of a prompt that is no part of something else. */
export function kindOf({ isDryRun }: Pick<AgentRequest, 'isDryRun'>): ExecutionKind {
  return isDryRun ? 'dry_run' : 'prompt'
}

/** Passes the events on and records them. `done` is passed on when the end is stored. */
export async function* recordRun(run: PromptStream, recording: ExecutionRecording): PromptStream {
  try {
    let done: Extract<PromptEvent, { type: 'done' }> | undefined
    let next = await run.next()
    for (; next.done !== true; next = await run.next()) {
      const saved = recording.event(next.value)
      if (saved !== undefined) await saved
      if (next.value.type === 'done') done = next.value
      else yield next.value
    }
    const { result, added } = await endRecording(next.value, recording)
    if (done !== undefined) yield addWarnings(done, added)
    return result
  } catch (error) {
    await recording.abandon(error)
    throw error
  } finally {
    await run.return(undefined as never)
    await recording.abandon()
  }
}

/** The same for a prompt without events. */
export async function recordResult(
  recording: ExecutionRecording | undefined,
  work: () => Promise<PromptResult>,
): Promise<PromptResult> {
  if (recording === undefined) return await work()
  try {
    await recording.started()
    return (await endRecording(await work(), recording)).result
  } finally {
    await recording.abandon()
  }
}

/** The result with the execution and with warnings about what could not be stored. */
async function endRecording(
  ended: PromptResult,
  recording: ExecutionRecording,
): Promise<{ result: PromptResult; added: string[] }> {
  const result = { ...ended, execution_id: recording.id }
  const added = await recording.end(result)
  if (added.length === 0) return { result, added }
  return { result: { ...result, warnings: [...(ended.warnings ?? []), ...added] }, added }
}

function addWarnings(done: Extract<PromptEvent, { type: 'done' }>, added: readonly string[]): PromptEvent {
  if (added.length === 0) return done
  return { ...done, content: { ...done.content, warnings: [...(done.content.warnings ?? []), ...added] } }
}
