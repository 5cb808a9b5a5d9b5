import { PromptEvent } from '../../prompts/prompt-event.shape.ts'
import { PromptBody } from '../../prompts/prompt-request.shape.ts'
import { PromptResult } from '../../prompts/prompt-result.shape.ts'
import { RUN_ERRORS } from '../api-description/error-responses.shape.ts'
import {
  ACCEPTED_RESPONSE,
  EXAMPLE,
  eventStream,
  IDEMPOTENCY_KEY,
  type Operation,
  operation,
  PREFER,
  type Response,
  withExecution,
} from '../api-description/operation.shape.ts'

const requests: Record<string, PromptBody> = {
  minimal: { backend: 'claude', prompt: 'Why does the parser lose the last line?' },
  stream: {
    backend: 'codex',
    prompt: 'Fix the parser and run its tests.',
    workdir: '/srv/projects/parser',
    sandbox_mode: 'workspace',
    output_format: 'stream-json',
    metadata: { ticket: 'P-112' },
  },
  image: { backend: 'claude', prompt: 'What is wrong with this page?', attachments: [EXAMPLE.image] },
  dry_run: { backend: 'gemini', prompt: 'Hello', dry_run: true, ephemeral: true },
}

/** Results that the examples of other endpoints use too. */
export const ANSWERED: PromptResult = {
  session_id: EXAMPLE.sessionId,
  execution_id: EXAMPLE.executionId,
  backend: 'claude',
  model: 'claude-opus-4-1',
  exit_code: 0,
  duration_ms: 8123,
  output: 'The parser skips the last line when the file does not end with a newline.',
  token_usage: EXAMPLE.usage,
  backend_session_id: EXAMPLE.backendSessionId,
}

export const TIMED_OUT: PromptResult = {
  session_id: EXAMPLE.sessionId,
  execution_id: EXAMPLE.executionId,
  backend: 'codex',
  exit_code: 124,
  duration_ms: 300_004,
  output: '',
  token_usage: { input_tokens: 0, output_tokens: 0, cached_tokens: 0, reasoning_tokens: 0 },
  error: 'codex did not finish within 300 s and was stopped',
  error_code: 'agent_timeout',
}

const envelope = (sequence: number) => ({
  backend: 'claude' as const,
  session_id: EXAMPLE.sessionId,
  timestamp: EXAMPLE.timestamp,
  sequence,
})

const events: Record<string, PromptEvent> = {
  init: { ...envelope(1), type: 'init', content: { model: 'claude-opus-4-1', working_dir: '/srv/projects/parser' } },
  message: {
    ...envelope(2),
    type: 'message',
    content: { text: 'The parser skips', role: 'assistant', is_partial: true },
  },
  done: { ...envelope(3), type: 'done', content: { exit_code: 0, duration_ms: 8123, token_usage: EXAMPLE.usage } },
}

/** The response of every endpoint that runs a single prompt. */
export const PROMPT_RESPONSE: Response = withExecution({
  description:
    'The agent has ended, or a dry run returns the command. `exit_code` and `error` show whether the agent succeeded. ' +
    'With `output_format` `stream-json`, one event per line, from `init` to `done`.',
  content: {
    'application/json': { shape: PromptResult, examples: { answered: ANSWERED, timed_out: TIMED_OUT } },
    'application/x-ndjson': eventStream(
      { shape: PromptEvent, description: 'One event per line, each a JSON object (`PromptEvent`).' },
      { events, frame: (event) => `${JSON.stringify(event)}\n` },
    ),
  },
})

export const OPERATIONS: readonly Operation[] = [
  operation('post /api/v1/prompt', 'executePrompt', {
    summary: 'Run one prompt',
    parameters: [IDEMPOTENCY_KEY, PREFER],
    body: { shape: PromptBody, examples: requests },
    responses: { 200: PROMPT_RESPONSE, 202: ACCEPTED_RESPONSE },
    errors: RUN_ERRORS,
  }),
]
