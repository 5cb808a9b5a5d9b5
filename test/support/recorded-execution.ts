import type { AgentEvent } from '../../src/agents/adapter/agent.ts'
import type { PromptEvent } from '../../src/prompts/prompt-event.ts'
import type { TestServer } from './start-server.ts'

const USAGE = { input_tokens: 3, output_tokens: 2, cached_tokens: 0, reasoning_tokens: 0 }

/** Stores an execution with exactly these events, as if an agent had printed them. Returns its id. */
export async function recordExecution(
  { context }: TestServer,
  { events, prompt, output = '' }: { events: readonly AgentEvent[]; prompt: string; output?: string },
): Promise<string> {
  const recording = context.drover.records.begin({
    kind: 'prompt',
    backend: 'claude',
    workdir: '/srv/project',
    prompt,
    isEphemeral: false,
    onCancel: () => {},
  })
  await recording.started()
  const timestamp = new Date().toISOString()
  for (const [at, event] of events.entries()) {
    await recording.event({ ...event, backend: 'claude', session_id: '', timestamp, sequence: at + 1 } as PromptEvent)
  }
  await recording.end({
    session_id: '',
    execution_id: recording.id,
    backend: 'claude',
    exit_code: 0,
    duration_ms: 5,
    output,
    token_usage: USAGE,
  })
  return recording.id
}
