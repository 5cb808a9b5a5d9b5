import type { Fault } from '../kit/fault.ts'
import {
  issueNotFound,
  providerForbidden,
  providerLoginRequired,
  providerRateLimited,
  providerUnreachable,
} from './faults.ts'
import type { GraphqlErrors } from './github-answers.shape.ts'

export type ProviderError = NonNullable<GraphqlErrors['errors']>[number]

export type FailureSigns = {
  exitCode: number
  stderr: string
  /** The errors in the answer of GitHub. */
  errors: readonly ProviderError[]
}

/** The exit code of gh without credentials. */
const NOT_LOGGED_IN = 4

/** The subject of the request, and the error line, if there is one. */
type About = { subject: string; said: string | undefined }

type Row = { types: readonly string[]; words: RegExp; toFault: (about: About) => Fault }

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
export function recognizeFailure(signs: FailureSigns, about: About): Fault | undefined {
  const { exitCode, stderr, errors } = signs
  if (exitCode === NOT_LOGGED_IN) return providerLoginRequired({})
  const text = [stderr, ...errors.map(({ message = '' }) => message)].join('\n')
  const types = errors.map(({ type = '' }) => type)
  const row = FAILURES.find((each) => each.words.test(text) || each.types.some((type) => types.includes(type)))
  return row?.toFault(about)
}
