/** What the words of a prompt ask of the demo agent. docs/testing.md lists them. Pure. */

/** The error that the model's API is said to have returned. */
export type DemoFailure = {
  status: 401 | 429 | 500 | 529
  message: string
  /** When the limit is lifted. */
  resetSecs?: number
}

/** A function of the client, or a tool of an MCP server. Without a name: any function of the client, or any of `only`. */
export type WantedCall = {
  name?: string
  only?: readonly string[]
  /** Made up from the schema of the function if it is missing. */
  input?: Record<string, unknown>
}

export type Asked = {
  waitMs: number
  failure?: DemoFailure
  call?: WantedCall
  /** Whether it asks before it pretends to run a command. */
  asksPermission: boolean
  /** In how many pieces it answers. */
  pieces?: number
  /** Instead of the canned answer. */
  text?: string
}

const MOST_PIECES = 1000
const HOUR_SECS = 3600
const UNIT_SECS: Readonly<Record<string, number>> = { second: 1, minute: 60, hour: HOUR_SECS, day: 24 * HOUR_SECS }

const BECAUSE = 'because the prompt asks for it'
const ANSWER = /\bplease,? answer: *(\S.*)$/im
const WAIT = /\bplease,? wait (?:for )?(\d{1,6}) (second|minute|hour)s?\b/i
const LIMIT = /\bplease,? reach your limit\b(?: for (\d{1,6}) (second|minute|hour|day)s?\b)?/i
const OVERLOADED = /\bplease,? be overloaded\b/i
const LOGGED_OUT = /\bplease,? be logged out\b/i
const CALL = /\bplease,? call ([\w.-]{1,128})(?: with (\{.*\}))?/i
const PERMISSION = /\bplease,? ask for permission\b/i
/** What drover tells an agent if the client requires a call. */
const REQUIRED = /Call (?:at least one tool|one of these tools \(([^)]*)\)) of the MCP server "client" now\./g
const PIECES = /\bplease,? answer in (\d{1,4}) pieces?\b/i

export function readAsked(prompt: string): Asked {
  const text = ANSWER.exec(prompt)?.[1]?.trimEnd()
  // A text to answer with asks for nothing else.
  const words = prompt.replace(ANSWER, '')
  const failure = failureIn(words)
  const call = callIn(words) ?? requiredCall(prompt)
  const pieces = Number(PIECES.exec(words)?.[1] ?? 0)
  return {
    waitMs: secondsIn(WAIT.exec(words)) * 1000,
    ...(failure !== undefined && { failure }),
    ...(call !== undefined && { call }),
    asksPermission: PERMISSION.test(words),
    ...(pieces > 0 && { pieces: Math.min(pieces, MOST_PIECES) }),
    ...(text !== undefined && { text }),
  }
}

function callIn(words: string): WantedCall | undefined {
  const [, name, input] = CALL.exec(words) ?? []
  return name === undefined ? undefined : { name: name.replace(/[.-]+$/, ''), input: toInput(input) }
}

/** The last of the calls that a text requires; undefined if it requires none. */
export function requiredCall(text: string): WantedCall | undefined {
  const last = [...text.matchAll(REQUIRED)].at(-1)
  if (last === undefined) return undefined
  return last[1] === undefined ? {} : { only: last[1].split(', ') }
}

function failureIn(words: string): DemoFailure | undefined {
  const limit = LIMIT.exec(words)
  if (limit !== null) {
    const resetSecs = limit[1] === undefined ? HOUR_SECS : secondsIn(limit)
    return { status: 429, message: `the demo agent has reached its limit ${BECAUSE}`, resetSecs }
  }
  if (OVERLOADED.test(words)) return { status: 529, message: `the demo agent is overloaded ${BECAUSE}` }
  if (LOGGED_OUT.test(words)) return { status: 401, message: `the demo agent is logged out ${BECAUSE}` }
  if (asksToFail(words)) return { status: 500, message: 'the demo agent fails because the prompt asks it to' }
  return undefined
}

/** Only "fail" alone on its line or after a "please" counts: a prompt about failing tests is a prompt like any other. */
function asksToFail(prompt: string): boolean {
  return /^[ \t]*fail[.!]?[ \t\r]*$/im.test(prompt) || /\bplease,? fail\b/i.test(prompt)
}

function secondsIn(match: RegExpExecArray | null): number {
  const [, count = '0', unit = 'second'] = match ?? []
  return Number(count) * (UNIT_SECS[unit.toLowerCase()] ?? 0)
}

/** What is no JSON object is no input. */
function toInput(json: string | undefined): Record<string, unknown> {
  try {
    return JSON.parse(json ?? '{}')
  } catch {
    return {}
  }
}
