/** Reads what `gh api --include` prints, and decides from its headers what follows. Pure. */

export type HttpAnswer = {
  /** Undefined if gh printed no answer, because it got none. */
  status: number | undefined
  /** By their names in lower case. */
  headers: Readonly<Record<string, string>>
  body: Buffer
}

const STATUS_LINE = /^HTTP\/[0-9.]+ ([0-9]{3})\b/
const HEADERS_END = Buffer.from('\r\n\r\n')

export function parseHttpAnswer(printed: Buffer): HttpAnswer {
  const end = printed.indexOf(HEADERS_END)
  const [first = '', ...lines] = end === -1 ? [] : printed.subarray(0, end).toString('latin1').split(/\r?\n/)
  const status = STATUS_LINE.exec(first)?.[1]
  if (status === undefined) return { status: undefined, headers: {}, body: printed }
  const headers = Object.fromEntries(
    lines.map((line) => {
      const colon = line.indexOf(':')
      return [line.slice(0, colon).toLowerCase(), line.slice(colon + 1).trim()]
    }),
  )
  return { status: Number(status), headers, body: printed.subarray(end + HEADERS_END.length) }
}

/** The path of the next page: the same path, because an answer must not choose where a token is sent. */
export function nextPage(path: string, { link = '' }: HttpAnswer['headers']): string | undefined {
  const url = /<([^<>]+)>;\s*rel="next"/.exec(link)?.[1]
  if (url === undefined || !URL.canParse(url)) return undefined
  return `${path.split('?', 1)[0]}${new URL(url).search}`
}

const SERVER_ERROR_WAIT_MS = 2000
const SERVER_ERROR_TRIES = 3
/** As GitHub asks for if it does not say how long. */
const SECONDARY_LIMIT_WAIT_MS = 60_000
const LONGEST_WAIT_MS = 60 * 60_000

type Refusal = Pick<HttpAnswer, 'status' | 'headers'> & {
  /** The requests that failed so far, with this one. */
  failures: number
  /** In milliseconds since 1970. */
  now: number
  /** Whether sending it again does no harm. */
  isRepeatable: boolean
}

/** How long to wait before the request is sent again, in milliseconds. Undefined if it is not sent again. */
export function waitBeforeRetry({ status = 0, headers, failures, now, isRepeatable }: Refusal): number | undefined {
  const isLimited = status === 429 || (status === 403 && saysLimited(headers))
  if (isLimited) return Math.min(LONGEST_WAIT_MS, limitWait(headers, { failures, now }))
  const isServerError = status >= 500 && isRepeatable && failures <= SERVER_ERROR_TRIES
  return isServerError ? SERVER_ERROR_WAIT_MS * 2 ** (failures - 1) : undefined
}

function saysLimited(headers: HttpAnswer['headers']): boolean {
  return headers['retry-after'] !== undefined || headers['x-ratelimit-remaining'] === '0'
}

/** A limit refuses a request before it is done, so every request can be sent again. */
function limitWait(headers: HttpAnswer['headers'], { failures, now }: { failures: number; now: number }): number {
  const after = Number(headers['retry-after'])
  if (Number.isFinite(after)) return Math.max(1, after) * 1000
  const reset = Number(headers['x-ratelimit-reset']) * 1000
  if (headers['x-ratelimit-remaining'] === '0' && Number.isFinite(reset)) return Math.max(1000, reset - now + 1000)
  return SECONDARY_LIMIT_WAIT_MS * 2 ** (failures - 1)
}
