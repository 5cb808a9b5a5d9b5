/** How agents fail, and how to tell from a message which failure it is. docs/agents.md has the same table. */
import { constants } from 'node:os'
import type { AgentError, Backend } from './agent.ts'
import { believable, type Moment, waitIn, waitUntil } from './reset-time.ts'

export const FAILURES = {
  agent_auth_failed: 'The agent has no key or login, or the model service refuses it (401, 403).',
  agent_rate_limited: 'The model service limits the number of requests for a short time (429).',
  agent_usage_limited:
    'The usage window of the plan is used up, for instance five hours, a day or a week. Wait until it resets.',
  agent_out_of_credit: 'The account has no credit left, or has reached its spend limit (402). Waiting does not help.',
  agent_request_rejected: 'The model service rejects the request, for instance because it is too long (400).',
  agent_model_unknown: 'The model service does not know the model, or does not offer it to this account (404).',
  agent_overloaded: 'The model service has too much work (503, 529).',
  agent_service_failed: 'The model service failed (any other 5xx).',
  agent_unreachable: 'The model service cannot be reached, or the connection was cut.',
  agent_host_refused:
    'The sandbox refuses the model service of the agent. List its host in `sandbox.hosts`, with its port if it is on this machine.',
  agent_max_turns: 'The agent stopped because it reached its maximum number of turns.',
  agent_session_missing:
    'An argument for the agent itself, in `extra` or in the config, names a session that it does not have for this user and directory. A session of drover that its agent no longer has is `session_expired`.',
  agent_bad_flag: 'The agent does not accept an argument; its version may be too old or too new.',
  agent_output_invalid: 'The answer does not match the schema of the request.',
  agent_ended_early:
    'The agent exited, or was stopped, before it reported that it had finished, or it ended its turn without any answer.',
  agent_failed: 'Any other failure; the message comes from the agent.',
} as const

export type FailureCode = keyof typeof FAILURES

/** Limits that time lifts. */
export const PASSING: readonly string[] = ['agent_usage_limited', 'agent_rate_limited'] satisfies readonly FailureCode[]
/** The model service fails, perhaps for seconds only. */
export const OUTAGES: readonly string[] = [
  'agent_overloaded',
  'agent_service_failed',
  'agent_unreachable',
] satisfies readonly FailureCode[]
/** Only a person can change these. */
export const LASTING: readonly string[] = [
  'agent_out_of_credit',
  'agent_auth_failed',
  'agent_host_refused',
] satisfies readonly FailureCode[]

/** A failure as the agent reported it. */
export type AgentFailure = {
  message: string
  code?: FailureCode | undefined
  /** The HTTP status of the model service. */
  status?: number | undefined
  /** How long the model service wants the caller to wait. */
  retryAfterMs?: number | undefined
  /** When the usage window resets, in Unix seconds; for agents that report it apart from the message. */
  resetsAt?: number | undefined
  /** How to log in, as the agent itself says. */
  login?: string | undefined
}

/**
 * What the status does not tell: 429 may also mean that the plan or the credit is used up, and some services answer 400
 * or 403 then. The first match decides.
 */
const LIMITS: readonly (readonly [RegExp, FailureCode])[] = [
  // The same sentence with a reset is about the plan, without it about the money.
  [/out of (?:usage credits|extra usage) \u00b7 resets/i, 'agent_usage_limited'],
  // Google writes the first words of a used up credit about every quota.
  [/per_?day|daily quota|quota will reset|exhausted your capacity/i, 'agent_usage_limited'],
  [/quota exceeded for metric/i, 'agent_rate_limited'],
  [
    /credit balance|credits are depleted|balance exhausted|out of (?:usage\b|credits?|extra usage)|insufficient[_ ](?:quota|balance|funds|credits?|g1_credits)|exceeded your current quota|check your plan and billing|spend(?:ing)?[_ ](?:limit|cap)|credit limit|requires more credits|billing_error|payment required|usage limit is set to \$0|seat type doesn't include|usage allocation has been disabled/i,
    'agent_out_of_credit',
  ],
  [
    /(?:hit|reached|exceeded) your (?:[\w'\u2019. -]{1,40} )?(?:usage )?limits?\b|usage[_ ]limit|(?:hour|daily|weekly|monthly|session) (?:usage )?limit|specified api usage limits/i,
    'agent_usage_limited',
  ],
]

/** What claude, Google and OpenAI say. Gemini passes the text on without the status, or with 500. */
const UNKNOWN_MODEL =
  /issue with the selected model|models\/[\w.-]+ is not found for API version|the model [`'"]?[\w./:-]+[`'"]? does not exist/i

/** The first match decides, so specific texts come before words that occur in many messages. */
const PATTERNS: readonly (readonly [RegExp, FailureCode])[] = [
  [
    /no conversation found|no rollout found|error resuming session|requires a valid session|invalid session identifier|no previous sessions found|(?:session|thread) not found/i,
    'agent_session_missing',
  ],
  [/empty response/i, 'agent_ended_early'],
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

/** Some agents end a turn like this if the model service has failed. `lastNotice`: the last progress that the agent reported. */
export function noAnswer(backend: string, lastNotice?: string): AgentFailure {
  const retried = lastNotice === undefined ? '' : `; its last message was: ${lastNotice}`
  const message = `${backend} ended the turn without an answer; its model service may have failed${retried}`
  return { code: 'agent_ended_early', message }
}

/** A failure with everything that its message says: its code, the HTTP status, and how long to wait. */
export function classifyFailure(failure: AgentFailure, moment: Moment): AgentFailure & { code: FailureCode } {
  const { message, login } = failure
  const code = failureCode(failure)
  return { message, code, status: statusOf(failure), retryAfterMs: waitOf(failure, code, moment), login }
}

/** An agent that retries reports its own short delays, which say nothing about the reset of a plan. */
function waitOf({ message, resetsAt, retryAfterMs }: AgentFailure, code: FailureCode, moment: Moment) {
  const reset = resetsAt === undefined ? undefined : waitUntil(resetsAt, moment)
  const [said, asked] = [waitIn(message, moment), believable(retryAfterMs)]
  return reset ?? (code === 'agent_usage_limited' ? (said ?? asked) : (asked ?? said))
}

export function failureCode(failure: AgentFailure): FailureCode {
  const { message, code } = failure
  const status = statusOf(failure)
  return (
    code ??
    codeOfLimit(message, status) ??
    (UNKNOWN_MODEL.test(message) ? 'agent_model_unknown' : codeOfStatus(status)) ??
    codeOf(PATTERNS, message) ??
    (status === 400 ? REJECTED : OTHER)
  )
}

const REJECTED = 'agent_request_rejected'
const OTHER = 'agent_failed'

function statusOf({ message, status }: AgentFailure): number | undefined {
  return status ?? statusIn(message)
}

function statusIn(message: string): number | undefined {
  const [, status] = STATUS.exec(message) ?? []
  return status === undefined ? undefined : Number(status)
}

/** A service that has failed says nothing about a limit. */
function codeOfLimit(message: string, status = 400): FailureCode | undefined {
  return status < 500 ? codeOf(LIMITS, message) : undefined
}

/** Not for 400: some services also answer 400 for a wrong key or a used up quota, and only the message tells. */
function codeOfStatus(status = 0): FailureCode | undefined {
  if (status === 401 || status === 403) return 'agent_auth_failed'
  if (status === 402) return 'agent_out_of_credit'
  if (status === 404) return 'agent_model_unknown'
  if (status === 429) return 'agent_rate_limited'
  if (status === 503 || status === 529) return 'agent_overloaded'
  return status >= 500 && status <= 599 ? 'agent_service_failed' : undefined
}

function codeOf(patterns: typeof PATTERNS, message: string): FailureCode | undefined {
  return patterns.find(([pattern]) => pattern.test(message))?.[1]
}

/** The agent was ended at its deadline; as `timeout(1)` has it. */
export const EXIT_TIMEOUT = 124
/** The prompt was cancelled; as shells have it for SIGINT. */
export const EXIT_CANCELLED = 130

/** As shells have it for a program that a signal ended. */
export function exitCodeOfSignal(signal: NodeJS.Signals): number {
  return 128 + constants.signals[signal]
}

/** Exit codes that say what went wrong. Any other code but 0 only says that something did. */
const FAILURE_CODES: Readonly<Record<Backend, Readonly<Record<number, FailureCode>> | undefined>> = {
  gemini: { 41: 'agent_auth_failed', 53: 'agent_max_turns' },
}

/** What the exit code alone says about a failure. */
export function failureOfExitCode(backend: Backend, code: number | null): Pick<AgentFailure, 'code' | 'status'> {
  if (code === null) return {}
  const known = FAILURE_CODES[backend]?.[code]
  if (known !== undefined) return { code: known }
  return backend === 'gemini' ? geminiStatus(code) : {}
}

/** Gemini exits with the HTTP status of the model service, of which the system keeps the lower 8 bits. */
function geminiStatus(code: number): Pick<AgentFailure, 'status'> {
  if (code === 529 % 256) return { status: 529 }
  return code >= 400 % 256 && code <= 255 ? { status: code + 256 } : {}
}

/** How an agent would have exited if its process had been for this failure alone. */
export function exitCodeOfFailure(backend: Backend, { code, upstreamStatus = 0 }: AgentError): number {
  const known = Object.entries(FAILURE_CODES[backend] ?? {}).find(([, each]) => each === code)
  if (backend === 'gemini' && upstreamStatus % 256 !== 0) return upstreamStatus % 256
  return known === undefined ? 1 : Number(known[0])
}

/** Lines that agents print even when nothing is wrong, and stack frames. */
const NOISE = [
  /^WARNING: proceeding, even though/,
  /^warning: Codex could not find bubblewrap/,
  /^Reading (?:additional input|prompt) from stdin/,
  /^Ripgrep is not available/,
  /^YOLO mode is enabled/,
  /^\[STARTUP\]/,
  /^Loaded cached credentials/,
  /^Warning: .*color/,
  /^Permission deny rule/,
  /^Attempt \d+ failed/,
  /^Error executing tool/,
  /^An unexpected critical error occurred/,
  /^\s+at /,
]

/** Lines that are the whole message; the other lines are usage text, a banner or a repetition. */
const MESSAGES = [
  /^(?:\[ERROR\]|ERROR:|Error:|error:) *(\S.*)$/,
  /^(No conversation found.*|Error resuming session:.*|Unknown arguments?:.*|turn interrupted)$/,
  /Full report available at: \S+ (.+)$/,
]

const LIMIT = 2000

/** Finds the message about a failure at the end of an agent's stderr. Undefined if there is only noise. */
export function stderrMessage(stderrTail: string): string | undefined {
  const lines = stderrTail.split(/\r?\n/).filter((line) => !NOISE.some((noise) => noise.test(line)))
  const line = lines.findLast((each) => MESSAGES.some((message) => message.test(each)))
  if (line !== undefined) return MESSAGES.map((message) => message.exec(line)?.[1]).find((text) => text !== undefined)
  return lines.join('\n').trim().slice(-LIMIT) || undefined
}
