/** Asks GitHub through gh and checks the answer. Throws a fault if there is no usable answer. */
import { Fault } from '../kit/fault.ts'
import { jsonInvalid, messageInvalid, programOutputTooLarge } from '../kit/faults.ts'
import { readJson } from '../kit/json/read-json.ts'
import { checker } from '../kit/schema.ts'
import { validateGraphqlErrors } from './checks.generated.js'
import { ghFailed, providerAnswerInvalid } from './faults.ts'
import { ANSWER_LIMIT_BYTES, askGh, type Gh, type GhAnswer, type GhRequest, quoteFirstLine, quoteGh } from './gh.ts'
import type { GraphqlErrors } from './gh-answers.shape.ts'
import { type ProviderError, recognizeFailure } from './provider-failure.ts'

const checkErrors = checker<GraphqlErrors>('answer', validateGraphqlErrors)

export type Provider = { gh: Gh; signal: AbortSignal /** In `performance.now()` time. */; deadline: number }

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
}

export async function askProvider<T>({ gh, signal, deadline }: Provider, question: Question<T>): Promise<T> {
  const { request, subject, check, tolerates = () => false } = question
  const timeoutMs = Math.max(1, Math.ceil(deadline - performance.now()))
  try {
    const answer = await askGh(gh, request, { timeoutMs, signal })
    const value = readAnswer(answer, { gh, subject })
    const { errors = [], message } = checkErrors(value)
    const fatal = errors.filter((error) => !tolerates(error))
    const isFailure = fatal.length > 0 || (answer.exitCode !== 0 && errors.length === 0)
    if (isFailure)
      throw toFailure(answer, { gh, subject, errors: message === undefined ? fatal : [...fatal, { message }] })
    return check(value)
  } catch (error) {
    throw toProviderFault(error, subject)
  }
}

/** Output that is not JSON may still be a known failure of gh. */
function readAnswer(answer: GhAnswer, { gh, subject }: { gh: Gh; subject: string }): unknown {
  try {
    return readJson(answer.stdout, { input: 'the answer', limitBytes: ANSWER_LIMIT_BYTES, numbers: 'any' })
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
