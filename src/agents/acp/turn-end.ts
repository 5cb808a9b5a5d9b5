/**
 * Decides whether a turn has succeeded. `end_turn` alone does not say so: half of the agents end a turn like this when the
 * model service has failed. Pure.
 */

import type { AcpProfile } from '../adapter/acp-profile.ts'
import { type AgentFailure, failureCode, noAnswer } from '../adapter/failure.ts'
import { countAt, isObject, type JsonRecord, objectAt, parseObject, textAt, textsAt } from '../adapter/json-fields.ts'

export type TurnFacts = {
  backend: string
  profile: Pick<AcpProfile, 'failure' | 'login'>
  /** The result of the prompt. */
  result: JsonRecord
  /** The last message, and its last chunk. */
  text: string
  lastChunk: string
  /** The agent has written, thought or used a tool. */
  hasBegun: boolean
  /** A tool call was denied. Some agents then end the turn. */
  wasDenied: boolean
  /** The last progress that the agent reported, such as a retry. */
  lastNotice: string | undefined
}

const STOPPED: Readonly<Record<string, AgentFailure>> = {
  max_tokens: {
    code: 'agent_failed',
    message: 'the answer was cut off, because the model reached its limit of tokens',
  },
  max_turn_requests: { code: 'agent_max_turns', message: 'the agent reached its maximum number of model requests' },
  refusal: { code: 'agent_request_rejected', message: 'the model refused to answer' },
}

export function judgeTurn(facts: TurnFacts): 'success' | AgentFailure {
  const { backend, result, wasDenied } = facts
  const reason = textAt(result, 'stopReason')
  if (reason === 'end_turn') return outcomeOfEnd(facts)
  if (reason === 'cancelled') {
    if (wasDenied) return endedByDenial(backend)
    return { code: 'agent_ended_early', message: `${backend} canceled the turn by itself` }
  }
  const known = reason === undefined ? undefined : STOPPED[reason]
  if (known !== undefined) return known
  const shown = reason === undefined ? 'no reason' : `the unknown reason ${JSON.stringify(reason.slice(0, 50))}`
  return { code: 'agent_failed', message: `${backend} ended the turn and gave ${shown}` }
}

function outcomeOfEnd(facts: TurnFacts): 'success' | AgentFailure {
  const { backend, profile, result, text, lastChunk, hasBegun, wasDenied, lastNotice } = facts
  const { failure } = profile
  const hasText = text.trim() !== ''
  if (failure?.lastChunk?.test(lastChunk)) return { message: withoutAdvice(lastChunk), status: statusIn(lastChunk) }
  if (failure?.usageIsNull && result['usage'] === null && hasText) return { message: lastChunk.trim() || text.trim() }
  if (hasText) return 'success'
  if (wasDenied) return endedByDenial(backend)
  if (hasBegun) return { code: 'agent_ended_early', message: `${backend} ended the turn without an answer` }
  return noAnswer(backend, lastNotice)
}

function endedByDenial(backend: string): AgentFailure {
  return { code: 'agent_ended_early', message: `${backend} ended the turn because a tool call was denied` }
}

/** Without what agents put around an error. */
function withoutAdvice(text: string): string {
  return text
    .replace(/^(?:Ran into this error|Error): /, '')
    .replace(/\n+Please (?:retry if you think this is a transient|resend)[\s\S]*$/, '')
    .trim()
}

const AUTH_REQUIRED = -32_000

/** The field of an error in which drover puts the ways to log in that the agent offers. */
export const LOGINS = 'drover/logins'

/** The failure in an error of the protocol. */
export function failureOfError(
  error: unknown,
  { backend, profile }: Pick<TurnFacts, 'backend' | 'profile'>,
): AgentFailure {
  const details = isObject(error) ? error : {}
  const login = profile.login === undefined ? loginOffered(textsAt(details, LOGINS)) : undefined
  return { ...readFailure(details, backend), ...(login !== undefined && { login }) }
}

function loginOffered(logins: readonly string[]): string | undefined {
  return logins.length === 0 ? undefined : `start it in a terminal and log in with ${logins.join(' or ')}`
}

function readFailure(details: JsonRecord, backend: string): AgentFailure {
  const message = unwrap(textAt(details, 'message') ?? 'the agent gave no reason')
  const data = textAt(details, 'data') ?? textAt(objectAt(details, 'data'), 'details', 'message', 'error')
  const more = data?.split('\n', 1)[0]?.trim()
  const said = !more || message.includes(more) ? message : `${message}: ${more}`
  const code = Number(details['code'])
  const isLoginMissing = code === AUTH_REQUIRED && /auth/i.test(message)
  if (isLoginMissing) return { code: 'agent_auth_failed', message: `${backend} is not logged in` }
  // Some agents report every failure without a status as 500.
  if (code === 500 && failureCode({ message: said }) === 'agent_unreachable')
    return { message: said, code: 'agent_unreachable' }
  const status = code >= 400 && code <= 599 ? code : countAt(objectAt(details, 'data'), 'status', 'statusCode')
  return { message: said, status: status ?? statusIn(more ?? message) }
}

/** `401 no key`, `Unauthorized (401) from …`, `API error (status 429)` */
function statusIn(text: string): number | undefined {
  const [, status] = /(?:^|\(|Last error: )(?:HTTP |status )?([45]\d\d)\b/.exec(text) ?? []
  return status === undefined ? undefined : Number(status)
}

/** Some agents pass on the error response of the model service as JSON. */
function unwrap(message: string): string {
  const error = objectAt(parseObject(message), 'error')
  const text = textAt(error, 'message')
  if (text === undefined) return message
  const kind = [countAt(error, 'code'), textAt(error, 'status')].filter((part) => part !== undefined).join(' ')
  return kind === '' ? text : `${kind}: ${text}`
}
