/** The script of the fake agent: what it answers, and how it goes wrong. Tests pass it in `FAKE_AGENT_SCRIPT`. */
import type { DemoUsage } from '../../src/demo/demo-answer.ts'

/** Points of a turn: the prompt is read; the first events are printed; the first word is printed; all words are printed. */
const POINTS = ['start', 'init', 'word', 'text'] as const
export type Point = (typeof POINTS)[number]

const FAILURE_STATUSES = [400, 401, 402, 403, 404, 429, 500, 503, 529] as const
export type FailureStatus = (typeof FAILURE_STATUSES)[number]

export type Script = {
  /** Pieces of the answer, instead of the canned text. */
  text?: readonly string[]
  /** Pause after each piece, and between retry notices. */
  chunkMs?: number
  /** A file with one byte for each piece that may be printed; the agent waits until it has grown. */
  permits?: string
  usage?: Partial<DemoUsage>
  /** A shell command that really runs, in a separate session. */
  tool?: string
  toolDenied?: boolean
  /** Calls of tools of its MCP server, before its answer. Those of one list are made at the same time. `{{results}}` in `text` stands for the last results, `{{tools}}` for the names of all tools. */
  calls?: readonly (readonly { name: string; input: Record<string, unknown> }[])[]
  /** Makes them only if the prompt contains this text. */
  callsIf?: string
  fail?: FailureStatus
  /** What the model service says with `fail`. */
  failText?: string
  /** How long the model service asks callers to wait after `fail`. */
  retryAfterSecs?: number
  /** Of a turn that ends by itself. */
  exitCode?: number
  /** The session id that is printed, instead of a UUID. */
  sessionId?: string
  /** Text for stderr, before anything else. */
  stderr?: string
  /** Before the first word of output. */
  delayMs?: number
  hangAfter?: Point
  /** By SIGKILL. */
  crashAfter?: Point
  garbageLines?: readonly string[]
  /** One event line of exactly this size, without its line end. */
  longLineBytes?: number
  /** The number of event lines to print, as fast as they are read. */
  lines?: number
  /** The last line stops in its middle. */
  halfLine?: boolean
  /** With `fail`, for this reason. */
  retryForever?: boolean
  /** Printed in place of all other output, as by a program that prints no JSON. */
  plainText?: string
  /** A file to print unchanged, instead of an answer. */
  replay?: string
  ignoreSigterm?: boolean
  ignoreSigint?: boolean
  /** A process in a separate session that holds stdout and outlives the agent. */
  forkDaemon?: boolean
  /** Where to write, as JSON, the process ids `agent`, `tool` and `daemon`, and `hangs: true` once it hangs. */
  pidFile?: string
}

type Rule = { expects: string; isMet: (value: unknown) => boolean }

const COUNT: Rule = { expects: 'a whole number of at least 0', isMet: isCount }
const TEXT: Rule = { expects: 'a string', isMet: (value) => typeof value === 'string' }
const SWITCH: Rule = { expects: 'true or false', isMet: (value) => typeof value === 'boolean' }
const TEXTS: Rule = { expects: 'a list of strings', isMet: (value) => Array.isArray(value) && value.every(TEXT.isMet) }
const POINT = oneOf(POINTS)

const RULES: Readonly<Record<keyof Script, Rule>> = {
  text: TEXTS,
  chunkMs: COUNT,
  permits: TEXT,
  usage: { expects: 'an object of the counts input, cached, output, reasoning', isMet: isUsage },
  tool: TEXT,
  toolDenied: SWITCH,
  calls: { expects: 'a list of lists', isMet: (value) => Array.isArray(value) && value.every(Array.isArray) },
  callsIf: TEXT,
  fail: oneOf(FAILURE_STATUSES),
  failText: TEXT,
  retryAfterSecs: COUNT,
  sessionId: TEXT,
  exitCode: { expects: 'a whole number from 0 to 255', isMet: (value) => isCount(value) && Number(value) <= 255 },
  stderr: TEXT,
  delayMs: COUNT,
  hangAfter: POINT,
  crashAfter: POINT,
  garbageLines: TEXTS,
  longLineBytes: COUNT,
  lines: COUNT,
  halfLine: SWITCH,
  retryForever: SWITCH,
  plainText: TEXT,
  replay: TEXT,
  ignoreSigterm: SWITCH,
  ignoreSigint: SWITCH,
  forkDaemon: SWITCH,
  pidFile: TEXT,
}

export function readScript(text: string): { script: Script } | { problem: string } {
  const value = parseJson(text)
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return { problem: 'it is not a JSON object' }
  for (const [key, given] of Object.entries(value)) {
    if (!isKey(key)) return { problem: `unknown key "${key}"; the keys are ${Object.keys(RULES).join(', ')}` }
    if (!RULES[key].isMet(given)) return { problem: `"${key}" must be ${RULES[key].expects}` }
  }
  return { script: value }
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

function isKey(key: string): key is keyof Script {
  return Object.hasOwn(RULES, key)
}

function isCount(value: unknown): boolean {
  return Number.isSafeInteger(value) && Number(value) >= 0
}

function isUsage(value: unknown): boolean {
  const counts = ['input', 'cached', 'output', 'reasoning']
  if (typeof value !== 'object' || value === null) return false
  return Object.entries(value).every(([key, count]) => counts.includes(key) && isCount(count))
}

function oneOf(choices: readonly unknown[]): Rule {
  return { expects: `one of ${choices.join(', ')}`, isMet: (value) => choices.includes(value) }
}
