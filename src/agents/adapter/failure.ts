/** How agents fail, and how to tell from a message which failure it is. docs/agents.md has the same table. */
export const FAILURES = {
  agent_auth_failed: 'The agent has no key or login, or the model service refuses it (401, 403).',
  agent_rate_limited: 'The model service limits the number of requests, or a quota is used up (429).',
  agent_request_rejected: 'The model service rejects the request, for instance because it is too long (400).',
  agent_overloaded: 'The model service has too much work (503, 529).',
  agent_service_failed: 'The model service failed (any other 5xx).',
  agent_unreachable: 'The model service cannot be reached, or the connection was cut.',
  agent_max_turns: 'The agent stopped because it reached its maximum number of turns.',
  agent_session_missing: 'The session to be resumed does not exist for this agent, user and directory.',
  agent_bad_flag: 'The agent does not accept an argument; its version may be too old or too new.',
  agent_output_invalid: 'The answer does not match the schema of the request.',
  agent_ended_early: 'The agent exited, or was stopped, before it reported that it had finished.',
  agent_failed: 'Any other failure; the message comes from the agent.',
} as const

export type FailureCode = keyof typeof FAILURES

/** A failure as the agent reported it. */
export type AgentFailure = {
  message: string
  code?: FailureCode | undefined
  /** The HTTP status of the model service. */
  status?: number | undefined
  /** How long the model service wants the caller to wait. */
  retryAfterMs?: number | undefined
  /** How to log in, as the agent itself says. */
  login?: string | undefined
}

/** The first match decides, so specific texts come before words that occur in many messages. */
const PATTERNS: readonly (readonly [RegExp, FailureCode])[] = [
  [
    /no conversation found|no rollout found|error resuming session|requires a valid session|invalid session identifier|no previous sessions found|(?:session|thread) not found/i,
    'agent_session_missing',
  ],
  [/unknown option|unexpected argument|unknown argument/i, 'agent_bad_flag'],
  [/\binterrupted\b/i, 'agent_ended_early'],
  [/max(?:imum)? (?:number of |session )?turns/i, 'agent_max_turns'],
  [
    /unable to connect|waiting for network|stream disconnected|connection reset|fetch failed|network error|(?:^|: )terminated\b|\bE(?:CONN|NOTFOUND|TIMEDOUT|AI_)/i,
    'agent_unreachable',
  ],
  [/not logged in|authenticat|unauthorized|api[ _]key|missing environment variable/i, 'agent_auth_failed'],
  [/rate.?limit|quota|too many requests/i, 'agent_rate_limited'],
  [/overloaded|at capacity/i, 'agent_overloaded'],
  // The first is what codex says about status 500, whatever the reason.
  [/high demand|internal server error/i, 'agent_service_failed'],
]

const STATUS = /(?:status(?: code)?:? |API Error: |rejected \(|"code": ?)([45]\d\d)\b/

/** A failure with everything that its message says: its code, the HTTP status, and how long to wait. */
export function classifyFailure(failure: AgentFailure): AgentFailure & { code: FailureCode } {
  const { message, login, retryAfterMs = waitIn(message) } = failure
  const status = failure.status ?? statusIn(message)
  const code = failure.code ?? codeOfStatus(status) ?? codeOfMessage(message) ?? (status === 400 ? REJECTED : OTHER)
  return { message, code, status, retryAfterMs, login }
}

const REJECTED = 'agent_request_rejected'
const OTHER = 'agent_failed'

function statusIn(message: string): number | undefined {
  const [, status] = STATUS.exec(message) ?? []
  return status === undefined ? undefined : Number(status)
}

/** Not for 400: some services also answer 400 for a wrong key or a used up quota, and only the message tells. */
function codeOfStatus(status = 0): FailureCode | undefined {
  if (status === 401 || status === 403) return 'agent_auth_failed'
  if (status === 429) return 'agent_rate_limited'
  if (status === 503 || status === 529) return 'agent_overloaded'
  return status >= 500 && status <= 599 ? 'agent_service_failed' : undefined
}

function codeOfMessage(message: string): FailureCode | undefined {
  return PATTERNS.find(([pattern]) => pattern.test(message))?.[1]
}

const WAIT = /(?:try again|retry|wait)(?:ing)?(?: in| after|:)? (?:about )?(\d+(?:\.\d+)?) ?(ms|s|m|h)/i
const UNIT_MS: Readonly<Record<string, number>> = { ms: 1, s: 1000, m: 60_000, h: 3_600_000 }

/** `Please try again in 1.5s`, `retry in 2 minutes` */
function waitIn(message: string): number | undefined {
  const [, count, unit = ''] = WAIT.exec(message) ?? []
  return count === undefined ? undefined : Number(count) * (UNIT_MS[unit.toLowerCase()] ?? 0)
}
