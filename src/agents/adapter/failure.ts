/** How agents fail, and how to tell from a message which failure it is. docs/agents.md has the same table. */
export const FAILURES = {
  agent_auth_failed: 'The agent has no key or login, or the model service refuses it (401, 403).',
  agent_rate_limited: 'The model service limits the number of requests, or a quota is used up (429).',
  agent_overloaded: 'The model service is overloaded or broken (5xx).',
  agent_unreachable: 'The model service cannot be reached, or the connection was cut.',
  agent_max_turns: 'The agent stopped because it reached its maximum number of turns.',
  agent_session_missing: 'The session to be resumed does not exist for this agent, user and directory.',
  agent_bad_flag: 'The agent does not accept an argument; its version may be too old or too new.',
  agent_ended_early: 'The agent ended, or was ended, before it reported that it had finished.',
  agent_failed: 'Any other failure; the message comes from the agent.',
} as const

export type FailureCode = keyof typeof FAILURES

/** A failure as the agent reported it. */
export type AgentFailure = { message: string; code?: FailureCode | undefined; status?: number | undefined }

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
    /unable to connect|stream disconnected|fetch failed|network error|(?:^|: )terminated\b|\bE(?:CONN|NOTFOUND|TIMEDOUT|AI_)/i,
    'agent_unreachable',
  ],
  [/not logged in|authenticat|unauthorized|api[ _]key|missing environment variable/i, 'agent_auth_failed'],
  [/rate.?limit|quota|too many requests/i, 'agent_rate_limited'],
  [/overloaded|high demand|internal server error/i, 'agent_overloaded'],
]

const STATUS = /(?:status(?: code)?:? |API Error: |rejected \(|"code": ?)([45]\d\d)\b/

export function classifyFailure({ message, code, status }: AgentFailure): FailureCode {
  const known = status ?? Number(STATUS.exec(message)?.[1] ?? 0)
  return code ?? codeOfStatus(known) ?? PATTERNS.find(([pattern]) => pattern.test(message))?.[1] ?? 'agent_failed'
}

function codeOfStatus(status: number): FailureCode | undefined {
  if (status === 401 || status === 403) return 'agent_auth_failed'
  if (status === 429) return 'agent_rate_limited'
  return status >= 500 && status <= 599 ? 'agent_overloaded' : undefined
}
