/** Asks GitHub through gh and checks the answer. Throws a fault if there is no usable answer. */
import { setTimeout as sleep } from 'node:timers/promises'
import { Fault } from '../kit/fault.ts'
import { jsonInvalid, messageInvalid, programOutputTooLarge } from '../kit/faults.ts'
import { readJson } from '../kit/json/read-json.ts'
import { checker } from '../kit/schema.ts'
import { validateGraphqlErrors } from './checks.generated.js'
import {
  ghFailed,
  ghInterrupted,
  issueNotFound,
  providerAnswerInvalid,
  providerForbidden,
  providerLoginRequired,
  providerRateLimited,
  providerUnreachable,
} from './faults.ts'
import {
  ANSWER_LIMIT_BYTES,
  askGh,
  type Gh,
  type GhAnswer,
  type GhRequest,
  type HttpAnswer,
  quoteFirstLine,
  quoteGh,
  waitBeforeRetry,
} from './gh.ts'
import type { GraphqlErrors } from './github-answers.shape.ts'

const checkErrors = checker<GraphqlErrors>('answer', validateGraphqlErrors)

export type Provider = {
  gh: Gh
  signal: AbortSignal
  /** In `performance.now()` time. It is never waited longer for a limit of GitHub. */
  deadline: number
}

export function openProvider(gh: Gh, signal: AbortSignal): Provider {
  return { gh, signal, deadline: performance.now() + gh.timeoutMs }
}

export type Question<T> = {
  request: GhRequest
  /** For error messages: `issue https://…`. */
  subject: string
  check: (value: unknown) => T
  /** Errors that may come with a usable answer. */
  tolerates?: (error: ProviderError) => boolean
  /** Of the answer: JSON unless it says otherwise. */
  format?: 'json' | 'text'
}

export async function askProvider<T>(provider: Provider, question: Question<T>): Promise<T> {
  const { value } = await askForPage(provider, question)
  if (value === undefined) throw providerAnswerInvalid({ subject: question.subject, problem: 'it is empty' })
  return value.is
}

export type Page<T> = {
  /** Undefined if it has not changed since the request's `etag`, or if there is none. */
  value: { is: T } | undefined
  headers: HttpAnswer['headers']
}

/** Waits and asks again if GitHub says so and the deadline allows it. */
export async function askForPage<T>(provider: Provider, question: Question<T>): Promise<Page<T>> {
  const { gh, signal, deadline } = provider
  const { request, subject } = question
  for (let failures = 1; ; failures++) {
    const left = deadline - performance.now()
    const timeoutMs = Math.max(1, Math.ceil(Math.min(left, gh.timeoutMs)))
    try {
      const answer = await askGh(gh, request, { timeoutMs, signal })
      const isRepeatable =
        'query' in request ? !request.query.startsWith('mutation') : !('method' in request) || request.method !== 'POST'
      const wait = waitBeforeRetry({ ...answer, failures, now: Date.now(), isRepeatable })
      if (wait === undefined || wait >= left) return readPage(gh, question, answer)
      await sleep(wait, undefined, { signal })
    } catch (error) {
      if (signal.aborted) throw ghInterrupted({}, error)
      throw toProviderFault(error, subject)
    }
  }
}

const NOT_CHANGED = 304
const NO_CONTENT = 204

function readPage<T>(gh: Gh, question: Question<T>, answer: GhAnswer): Page<T> {
  const { subject, check, tolerates = () => false, format = 'json' } = question
  const { status, headers } = answer
  if (status === NOT_CHANGED || status === NO_CONTENT) return { value: undefined, headers }
  if (format === 'text' && answer.exitCode === 0) return { value: { is: check(answer.body.toString('utf8')) }, headers }
  const value = readAnswer(answer, { gh, subject })
  const { errors = [], message } = Array.isArray(value) ? {} : checkErrors(value)
  const fatal = errors.filter((error) => !tolerates(error))
  const isFailure = fatal.length > 0 || (answer.exitCode !== 0 && errors.length === 0)
  if (isFailure)
    throw toFailure(answer, { gh, subject, errors: message === undefined ? fatal : [...fatal, { message }] })
  return { value: { is: check(value) }, headers }
}

/** Output that is not JSON may still be a known failure of gh. */
function readAnswer(answer: GhAnswer, { gh, subject }: { gh: Gh; subject: string }): unknown {
  try {
    return readJson(answer.body, { input: 'the answer', limitBytes: ANSWER_LIMIT_BYTES, numbers: 'any' })
  } catch (error) {
    if (answer.exitCode !== 0) throw toFailure(answer, { gh, subject, errors: [] })
    throw recognizeFailure({ ...answer, errors: [] }, { subject, said: undefined }) ?? error
  }
}

type About = { gh: Gh; subject: string; errors: readonly ProviderError[] }

/** The errors of GitHub say more than the exit code of gh. */
function toFailure(answer: GhAnswer, { gh, subject, errors }: About): Fault {
  const said = quoteFirstLine(gh, [...errors.map(({ message = '' }) => message), answer.stderr])
  const problem = said ?? `it ended with code ${answer.exitCode}`
  return recognizeFailure({ ...answer, errors }, { subject, said }) ?? ghFailed({ problem })
}

function toProviderFault(error: unknown, subject: string): unknown {
  if (!(error instanceof Fault)) return error
  // The location in invalid JSON consists of keys that gh printed, so it is redacted too.
  if (error.code === jsonInvalid.code) return providerAnswerInvalid({ subject, problem: quoteGh(error.message) }, error)
  const isMalformed = [messageInvalid.code, programOutputTooLarge.code].includes(error.code)
  if (isMalformed) return providerAnswerInvalid({ subject, problem: error.message }, error)
  return error.code.startsWith('program_') ? ghFailed({ problem: error.message }, error) : error
}

type ProviderError = NonNullable<GraphqlErrors['errors']>[number]

type FailureSigns = {
  exitCode: number
  stderr: string
  /** The errors in the answer of GitHub. */
  errors: readonly ProviderError[]
}

/** The exit code of gh without credentials. */
const NOT_LOGGED_IN = 4

/** The subject of the request, and the error line, if there is one. */
type FailedRequest = { subject: string; said: string | undefined }

type Row = { types: readonly string[]; words: RegExp; toFault: (about: FailedRequest) => Fault }

/** The first match counts: a rate limit also has status 403, and a missing login has many messages. */
const FAILURES: readonly Row[] = [
  { types: [], words: /\(HTTP 401\)|bad credentials|gh auth login/i, toFault: () => providerLoginRequired({}) },
  {
    types: ['RATE_LIMITED', 'RATE_LIMIT'],
    words: /\(HTTP 429\)|rate limit|abuse detection/i,
    toFault: () => providerRateLimited({}),
  },
  {
    types: ['NOT_FOUND'],
    words: /\(HTTP 4(?:04|10)\)|could not resolve to/i,
    toFault: ({ subject }) => issueNotFound({ subject }),
  },
  {
    types: ['FORBIDDEN', 'INSUFFICIENT_SCOPES'],
    words: /\(HTTP 403\)|SAML enforcement|required scopes/i,
    toFault: providerForbidden,
  },
  {
    types: ['SERVICE_UNAVAILABLE', 'INTERNAL'],
    words:
      /HTTP 5\d\d\b|error connecting to|dial tcp|no such host|connection re(?:fused|set)|network is unreachable|i\/o timeout|TLS handshake|unexpected EOF/i,
    toFault: () => providerUnreachable({}),
  },
]

/** The fault for a failure of gh; undefined if the failure is unknown. */
function recognizeFailure(signs: FailureSigns, about: FailedRequest): Fault | undefined {
  const { exitCode, stderr, errors } = signs
  if (exitCode === NOT_LOGGED_IN) return providerLoginRequired({})
  const text = [stderr, ...errors.map(({ message = '' }) => message)].join('\n')
  const types = errors.map(({ type = '' }) => type)
  const row = FAILURES.find((each) => each.words.test(text) || each.types.some((type) => types.includes(type)))
  return row?.toFault(about)
}
