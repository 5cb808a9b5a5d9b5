/** Requests and answers as people would see them. A test checks each against its schema. */
import type { Message, MessageRequest, MessageStreamEvent } from '../../src/http/anthropic/wire.shape.ts'
import type { Health } from '../../src/http/meta/health.shape.ts'
import type { BackendRecord } from '../../src/http/native/backends.shape.ts'
import type { ChatCompletion, ChatCompletionChunk, ChatRequest, ModelList } from '../../src/http/openai/wire.shape.ts'
import type { PromptEvent } from '../../src/prompts/prompt-event.shape.ts'
import type {
  ChainRequest,
  CompareRequest,
  ParallelRequest,
  PromptRequest,
  ResumeRequest,
} from '../../src/prompts/prompt-request.shape.ts'
import type {
  ChainResult,
  ComparisonResult,
  ParallelResult,
  PromptResult,
} from '../../src/prompts/prompt-result.shape.ts'
import type { Session, SessionPage } from '../../src/sessions/session.shape.ts'

const ID = '9f2c1f6be04d4c7d8b3a5e6f70819203'
const CREATED = 1_790_000_000
const MOMENT = '2026-09-21T13:33:20.000Z'
const USAGE = { input_tokens: 2104, output_tokens: 57, cached_tokens: 1792, reasoning_tokens: 0 }
const NO_USAGE = { input_tokens: 0, output_tokens: 0, cached_tokens: 0, reasoning_tokens: 0 }

const answered: PromptResult = {
  session_id: ID,
  backend: 'claude',
  model: 'claude-opus-4-1',
  exit_code: 0,
  duration_ms: 8123,
  output: 'The parser skips the last line when the file does not end with a newline.',
  token_usage: USAGE,
  backend_session_id: '0b6f6c5e-6f0a-4a39-9c3b-1b6f3ad0f2d1',
}

const timedOut: PromptResult = {
  session_id: ID,
  backend: 'codex',
  exit_code: 124,
  duration_ms: 300_004,
  output: '',
  token_usage: NO_USAGE,
  error: 'codex did not finish within 300 s and was ended',
  error_code: 'agent_timeout',
}

const stateless = { ...answered, session_id: '' }

export const PROMPT = {
  requests: {
    minimal: { backend: 'claude', prompt: 'Why does the parser lose the last line?' } satisfies PromptRequest,
    stream: {
      backend: 'codex',
      prompt: 'Fix the parser and run its tests.',
      workdir: '/srv/projects/parser',
      sandbox_mode: 'workspace',
      output_format: 'stream-json',
      metadata: { ticket: 'P-112' },
    } satisfies PromptRequest,
    dry_run: { backend: 'gemini', prompt: 'Hello', dry_run: true, ephemeral: true } satisfies PromptRequest,
  },
  results: { answered, timed_out: timedOut },
  events: {
    init: { ...envelope(1), type: 'init', content: { model: 'claude-opus-4-1', working_dir: '/srv/projects/parser' } },
    message: {
      ...envelope(2),
      type: 'message',
      content: { text: 'The parser skips', role: 'assistant', is_partial: true },
    },
    done: { ...envelope(3), type: 'done', content: { exit_code: 0, duration_ms: 8123, token_usage: USAGE } },
  } satisfies Record<string, PromptEvent>,
}

export const RESUME: ResumeRequest = { prompt: 'Now write a test for it.' }

export const PARALLEL = {
  request: {
    tasks: [
      { backend: 'claude', prompt: 'Review src/parser.ts.' },
      { backend: 'gemini', prompt: 'Review src/lexer.ts.' },
    ],
    max_parallel: 2,
    fail_fast: false,
  } satisfies ParallelRequest,
  result: {
    total_tasks: 2,
    completed: 1,
    failed: 1,
    canceled: 0,
    total_duration_ms: 300_009,
    results: [stateless, { ...timedOut, session_id: '', backend: 'gemini' }],
  } satisfies ParallelResult,
}

export const CHAIN = {
  request: {
    steps: [
      { name: 'review', backend: 'claude', prompt: 'Review src/parser.ts.' },
      { name: 'plan', backend: 'codex', prompt: 'Plan the fixes for this review:\n\n{{previous}}' },
    ],
    stop_on_failure: true,
  } satisfies ChainRequest,
  result: {
    total_steps: 2,
    completed_steps: 1,
    failed_step: 2,
    total_duration_ms: 308_131,
    results: [
      { step: 1, name: 'review', ...stateless },
      { step: 2, name: 'plan', ...timedOut, session_id: '' },
    ],
  } satisfies ChainResult,
}

export const COMPARISON = {
  request: { prompt: 'Name three risks of this design.', backends: ['claude', 'codex'] } satisfies CompareRequest,
  result: {
    prompt: 'Name three risks of this design.',
    backends: ['claude', 'codex'],
    results: [stateless, { ...timedOut, session_id: '' }],
    total_duration_ms: 300_007,
  } satisfies ComparisonResult,
}

const backend: BackendRecord = {
  name: 'claude',
  available: true,
  enabled: true,
  default: true,
  demo: false,
  version: '2.1.0',
  capabilities: {
    deltas: true,
    resume: true,
    system_prompt: 'flag',
    max_turns: true,
    os_sandbox: false,
    usage: { cached: true, reasoning: false },
  },
}

export const BACKENDS = { backends: [backend] }

export const SESSION: Session = {
  id: ID,
  backend: 'claude',
  status: 'completed',
  created_at: MOMENT,
  last_used: '2026-09-21T13:33:28.123Z',
  working_dir: '/srv/projects/parser',
  backend_session_id: '0b6f6c5e-6f0a-4a39-9c3b-1b6f3ad0f2d1',
  model: 'claude-opus-4-1',
  initial_prompt: 'Why does the parser lose the last line?',
  turn_count: 1,
  token_usage: USAGE,
  tags: ['api'],
  metadata: { ticket: 'P-112' },
  policy: { approval_mode: 'default', sandbox_mode: 'default', extra: [] },
}

export const SESSIONS: SessionPage = { sessions: [SESSION], total: 1, limit: 100, offset: 0 }

export const HEALTH = {
  ok: {
    status: 'ok',
    version: '0.1.0',
    uptime: '2m31s',
    uptime_ms: 151_204,
    backends: [{ name: 'claude', available: true, version: '2.1.0' }],
    session_store: { available: true, session_count: 12 },
  },
  unhealthy: {
    status: 'unhealthy',
    version: '0.1.0',
    uptime: '2m31s',
    uptime_ms: 151_204,
    backends: [],
    session_store: { available: false, session_count: 0, error: 'the session store does not answer' },
  },
} satisfies Record<string, Health>

export const MODELS: ModelList = {
  object: 'list',
  data: ['claude', 'codex', 'gemini'].map((id) => ({ id, object: 'model', created: CREATED, owned_by: 'drover' })),
}

const CHAT_ID = 'chatcmpl-4f1f0c5d9b8a4d67a3f2c1e0'

export const CHAT = {
  request: {
    model: 'claude',
    messages: [
      { role: 'system', content: 'Answer in one sentence.' },
      { role: 'user', content: 'What is a monad?' },
    ],
  } satisfies ChatRequest,
  completion: {
    id: CHAT_ID,
    object: 'chat.completion',
    created: CREATED,
    model: 'claude',
    choices: [
      { index: 0, message: { role: 'assistant', content: 'A way to chain computations.' }, finish_reason: 'stop' },
    ],
    usage: { prompt_tokens: 2104, completion_tokens: 57, total_tokens: 2161 },
  } satisfies ChatCompletion,
  chunks: {
    role: chunk({ role: 'assistant' }, null),
    content: chunk({ content: 'A way to' }, null),
    last: chunk({}, 'stop'),
  },
}

export const MESSAGE = {
  request: {
    model: 'claude',
    max_tokens: 1024,
    system: 'Answer in one sentence.',
    messages: [{ role: 'user', content: 'What is a monad?' }],
  } satisfies MessageRequest,
  message: {
    id: 'msg_4f1f0c5d9b8a4d67a3f2c1e0',
    type: 'message',
    role: 'assistant',
    content: [{ type: 'text', text: 'A way to chain computations.' }],
    model: 'claude',
    stop_reason: 'end_turn',
    stop_sequence: null,
    usage: { input_tokens: 2104, output_tokens: 57 },
  } satisfies Message,
  events: {
    message_start: {
      type: 'message_start',
      message: {
        id: 'msg_4f1f0c5d9b8a4d67a3f2c1e0',
        type: 'message',
        role: 'assistant',
        content: [],
        model: 'claude',
        stop_reason: null,
        stop_sequence: null,
        usage: { input_tokens: 0, output_tokens: 0 },
      },
    },
    content_block_delta: { type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: 'A way to' } },
    message_delta: {
      type: 'message_delta',
      delta: { stop_reason: 'end_turn', stop_sequence: null },
      usage: { output_tokens: 57 },
    },
  } satisfies Record<string, MessageStreamEvent>,
}

function envelope(sequence: number) {
  return { backend: 'claude' as const, session_id: ID, timestamp: MOMENT, sequence }
}

function chunk(delta: ChatCompletionChunk['choices'][number]['delta'], end: 'stop' | null): ChatCompletionChunk {
  const choices = [{ index: 0, delta, finish_reason: end }]
  return { id: CHAT_ID, object: 'chat.completion.chunk', created: CREATED, model: 'claude', choices }
}
