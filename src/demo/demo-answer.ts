/** The canned answer of the demo agent. The words of the prompt decide whether it thinks, calls a tool or fails (docs/testing.md lists them); nothing else is read from it. */

export const AGENT_NAMES = ['claude', 'codex', 'gemini'] as const
export type AgentName = (typeof AGENT_NAMES)[number]

export type DemoAnswer = {
  /** One per request to the model; every reply but the last ends with a tool call. */
  replies: readonly Reply[]
  failure?: DemoFailure
  usage: DemoUsage
}

/** Token counts of one turn. `input` includes `cached`. */
export type DemoUsage = { input: number; cached: number; output: number; reasoning: number }

export type Reply = { thinking?: string; chunks: readonly string[]; call?: ToolCall }

/** The command never runs: its result is made up. */
type ToolCall = { command: string; result: DemoToolResult }

export type DemoToolResult = { output: string; exitCode: number }

const QUOTE_LENGTH = 80
export const CALL: ToolCall = {
  command: 'echo "hello from drover"',
  result: { output: 'hello from drover', exitCode: 0 },
}
const THINKING = 'Whatever a model would think here, this demo agent does not.'

type Turn = {
  agent: AgentName
  prompt: string
  resumeId?: string | undefined
  /** What has happened in the turn: sentences of the answer. */
  happened?: readonly string[]
  /** Instead of the canned answer. */
  text?: string | undefined
}

export function planAnswer(turn: Turn): DemoAnswer {
  const { prompt } = turn
  const words = wordsOf(prompt)
  const call = /\brun (a|the|this|some) command\b/i.test(words) ? CALL : undefined
  const last: Reply = { chunks: toWords(turn.text ?? finalText(turn, call)) }
  const replies = call === undefined ? [last] : [{ chunks: toWords('I will pretend to run a command.'), call }, last]
  const thinking = /\bthink/i.test(words) ? THINKING : undefined
  const { failure } = readAsked(prompt)
  const [first = last, ...others] = replies
  return {
    replies: [thinking === undefined ? first : { ...first, thinking }, ...others],
    ...(failure !== undefined && { failure }),
    usage: estimateUsage(prompt, replies, thinking ?? ''),
  }
}

function finalText({ agent, prompt, resumeId, happened = [] }: Turn, call: ToolCall | undefined): string {
  return [
    `This is drover's built-in demo agent, standing in for ${agent}. No model was called.`,
    resumeId === undefined ? '' : `It continues session ${resumeId}.`,
    call === undefined ? '' : 'No command was run either: the call and its output are made up.',
    ...happened,
    `Your prompt arrived: "${quote(prompt)}"`,
  ]
    .filter((sentence) => sentence !== '')
    .join(' ')
}

function quote(prompt: string): string {
  const whole = prompt.trim()
  // A prompt may have megabytes, so only its start is split into characters. A character has at most two code units.
  const characters = [...whole.slice(0, 2 * QUOTE_LENGTH + 1).replace(/\s+/g, ' ')]
  const head = characters.slice(0, QUOTE_LENGTH).join('')
  return whole.length > 2 * QUOTE_LENGTH + 1 || characters.length > QUOTE_LENGTH ? `${head}…` : head
}

/** Each word keeps the space before it, so that the words join to the same text. */
export function toWords(text: string): string[] {
  return text.match(/\s*\S+/g) ?? []
}

/** The same text in fewer chunks. */
export function inPieces(chunks: readonly string[], pieces: number): string[] {
  const size = Math.ceil(chunks.length / pieces)
  return Array.from({ length: Math.ceil(chunks.length / size) }, (_, at) =>
    chunks.slice(at * size, (at + 1) * size).join(''),
  )
}

type ReplyText = { chunks: readonly string[]; call?: { command: string } }

/** Every further request sends the prompt again, and finds it in the cache. */
export function estimateUsage(prompt: string, replies: readonly ReplyText[], thinking: string): DemoUsage {
  const tokens = estimateTokens(prompt)
  const text = replies.map(({ chunks, call }) => chunks.join('') + (call?.command ?? '')).join('')
  return {
    input: tokens * replies.length,
    cached: tokens * (replies.length - 1),
    output: estimateTokens(text),
    reasoning: estimateTokens(thinking),
  }
}

/** A rough count: four characters to a token. */
export function estimateTokens(text: string): number {
  return Math.ceil(text.length / 4)
}

/** Formats the steps of a turn as one agent prints them on stdout. An agent prints nothing for a method it leaves out. */
export type TurnOutput = {
  begin(prompt: string): string
  thinking?(text: string): string
  word?(text: string): string
  /** The text of a reply is complete. */
  textEnd?(text: string): string
  toolCall(command: string): string
  toolResult(command: string, result: DemoToolResult): string
  functionCall(call: DemoFunctionCall): string
  functionResult(call: DemoFunctionCall, result: { text: string; isError: boolean }): string
  /** No one could be asked about the last tool call. */
  noteDenied?(command: string): void
  finish(usage: DemoUsage): string
  fail(failure: DemoFailure): { output: string; exitCode: number }
}

export type DemoFunctionCall = { server: string; name: string; input: object }

/** What all the lines of one turn are about. */
export type DemoTurnFacts = { sessionId: string; model: string; hasPartialMessages: boolean }

export function toLines(events: readonly object[]): string {
  return events.map((event) => `${JSON.stringify(event)}\n`).join('')
}

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
  /** Whether it fails after its answer, not before. */
  failsLate: boolean
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
const CALL_REQUEST = /\bplease,? call ([\w.-]{1,128})(?: with (\{.*\}))?/i
const LATE = /\bafter your answer\b/i
const PERMISSION = /\bplease,? ask for permission\b/i
/** What drover tells an agent if the client requires a call. */
const REQUIRED = /Call (?:at least one tool|one of these tools \(([^)]*)\)) of the MCP server "client" now\./g
const PIECES = /\bplease,? answer in (\d{1,4}) pieces?\b/i

export function readAsked(prompt: string): Asked {
  const text = ANSWER.exec(prompt)?.[1]?.trimEnd()
  const words = wordsOf(prompt)
  const failure = failureIn(words)
  const call = callIn(words) ?? requiredCall(prompt)
  const pieces = Number(PIECES.exec(words)?.[1] ?? 0)
  return {
    waitMs: secondsIn(WAIT.exec(words)) * 1000,
    ...(failure !== undefined && { failure }),
    ...(call !== undefined && { call }),
    failsLate: LATE.test(words),
    asksPermission: PERMISSION.test(words),
    ...(pieces > 0 && { pieces: Math.min(pieces, MOST_PIECES) }),
    ...(text !== undefined && { text }),
  }
}

/** A text to answer with asks for nothing. */
function wordsOf(prompt: string): string {
  return prompt.replace(ANSWER, '')
}

function callIn(words: string): WantedCall | undefined {
  const [, name, input] = CALL_REQUEST.exec(words) ?? []
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
