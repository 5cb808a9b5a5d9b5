/** How a run is driven, as its records keep it. */
import { Type } from 'typebox'
import { literals, type Message, named, strict } from '../../kit/shape.ts'
import { FOLLOW_OPTIONS } from './follow-event.shape.ts'

const [text, count] = [Type.String(), Type.Integer({ minimum: 0 })]
const optional = Type.Optional

const BASELINES = ['note', 'skip', 'require'] as const
const ON_FLAGS = ['deliver', 'ask'] as const
const ON_LIMIT = ['ask', 'wait', 'next', 'pause'] as const

export const Options = named(
  'driveOptions',
  strict({
    backend: text,
    model: optional(text),
    review_backend: text,
    review_model: optional(text),
    /** It would review if its cost were known, so that the limit of costs could be kept. */
    unpriced_reviewer: optional(text),
    approval_mode: literals(['default', 'auto', 'sandboxed', 'none', 'always']),
    is_demo: Type.Boolean(),
    checks: Type.Array(text),
    check_timeout_ms: count,
    max_tokens: optional(count),
    max_cost_microusd: optional(count),
    max_time_ms: optional(count),
    rounds: count,
    attempts: count,
    stall_ms: count,
    deliver: literals(['none', 'branch', 'pr']),
    /** How the worktree is prepared, and what happens if a check fails before the work. Older records have none of it. */
    setup: optional(Type.Array(text)),
    copy: optional(Type.Array(text)),
    share: optional(Type.Array(text)),
    setup_timeout_ms: optional(count),
    baseline: optional(literals(BASELINES)),
    /** What happens before the delivery if a flag is serious. Older records have none. */
    on_flags: optional(literals(ON_FLAGS)),
    /** What happens if an agent reaches a limit of its provider. Older records have none of it. */
    on_limit: optional(literals(ON_LIMIT)),
    max_wait_ms: optional(count),
    fallback: optional(Type.Array(text)),
    sandbox: optional(literals(['on', 'off', 'required'])),
    /** The MCP servers that agents get. Absent: none. */
    mcp_servers: optional(Type.Array(text)),
    ...FOLLOW_OPTIONS,
  }),
)
export type Options = Message<typeof Options>
