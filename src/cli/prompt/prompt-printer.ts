/** Prints a prompt: the answer as text, the result as JSON, or one event per line. */

import type { Backend } from '../../agents/adapter/agent.ts'
import { parseObject } from '../../agents/adapter/json-fields.ts'
import { CANCELED } from '../../agents/agent-result.ts'
import type { JsonObject } from '../../kit/json-value.ts'
import { shuttingDown } from '../../prompts/faults.ts'
import type { PromptEvent } from '../../prompts/prompt-event.ts'
import { type PromptResult, toPromptStatus } from '../../prompts/prompt-result.ts'
import { splitTokens } from '../../prompts/tokens.ts'
import { formatPaid, formatUsage } from '../output/format-amounts.ts'
import { toMessage } from '../output/printable.ts'
import { shortenSessionId } from '../sessions/session-text.ts'
import type { Terminal, Written } from '../terminal.ts'
import { StreamedAnswer } from './streamed-answer.ts'

export type PromptPrinter = {
  /** Called before the agent starts. */
  begin?(): Promise<void>
  /** Gets every line that the agent prints, unchanged. */
  line?(line: string): Promise<Written>
  /** `closed` when the reader has gone away, so that the agent can be stopped. */
  event(event: PromptEvent): Promise<Written>
  /** Draws nothing until the next event, because the user is asked something. */
  pause?(): Promise<void>
  end(result: PromptResult): Promise<void>
  /** Called last, also after a failure. */
  close?(): Promise<void>
}

export type PrintOptions = {
  backend: Backend
  showTokens: boolean
  showTiming: boolean
  /** Text on a terminal is not printed as the agent wrote it. */
  rendersMarkdown: boolean
  wrapsWords: boolean
  /** `drover -c` in the current directory will find the session. Without it, nothing is said about the session. */
  isHere?: boolean
  /** The demo agent answers, which continues the session only with `--demo`. */
  isDemo?: boolean
}

/** The result, once it is complete. */
export function createJsonPrinter({ out }: Terminal, backend: Backend): PromptPrinter {
  const raw = new RawOutput(backend)
  return {
    line: async (line) => {
      raw.add(line)
      return 'written'
    },
    event: async () => 'written',
    end: async (result) => void (await out.write(`${JSON.stringify(toJsonReport(result, raw.value()), null, 2)}\n`)),
  }
}

/** One event per line, as over HTTP. */
export function createEventPrinter({ out }: Terminal): PromptPrinter {
  return { event: (event) => out.write(`${JSON.stringify(event)}\n`), end: async () => undefined }
}

/** The lines of the agent, and failures. */
export function createRawPrinter(terminal: Terminal): PromptPrinter {
  return {
    line: (line) => terminal.out.write(`${line}\n`),
    event: async () => 'written',
    end: (result) => printProblems(terminal, result),
  }
}

/** The answer: streamed on a terminal, complete in a file or a pipe. */
export function createTextPrinter(terminal: Terminal, options: PrintOptions): PromptPrinter {
  const stream = terminal.out.isTty ? new StreamedAnswer(terminal, options) : undefined
  return {
    begin: async () => await stream?.begin(options.backend),
    event: async (event) => (stream === undefined ? 'written' : await stream.event(event)),
    pause: async () => await stream?.pause(),
    close: async () => await stream?.end(),
    end: async (result) => {
      if (stream === undefined) await terminal.out.write(withNewline(result.output))
      else await stream.end()
      await printProblems(terminal, result)
      await printCost(terminal, result, options)
      await printSessionHint(terminal, result, options)
    },
  }
}

export function withNewline(text: string): string {
  return text === '' || text.endsWith('\n') ? text : `${text}\n`
}

/** Warnings, a cancellation or a failure. */
export async function printProblems({ err }: Terminal, result: PromptResult): Promise<void> {
  const { backend, warnings = [], error } = result
  const lines = warnings.map((warning) => `drover: warning: ${toMessage(warning)}\n`)
  const isCancelled = toPromptStatus(result) === 'canceled'
  if (isCancelled) lines.push(`drover: ${backend} was ${toMessage(describeCancel(result))}\n`)
  else if (error !== undefined) lines.push(`drover: ${backend} failed: ${toMessage(error)}\n`)
  await err.write(lines.join(''))
}

/** `canceled`, and what the agent was retrying then, or that its server stopped. */
export function describeCancel({ error = '', error_code: code }: Pick<PromptResult, 'error' | 'error_code'>): string {
  if (code === shuttingDown.code) return `canceled: ${error}`
  return `canceled${error.startsWith(CANCELED) ? error.slice(CANCELED.length) : ''}`
}

type CostOptions = Pick<PrintOptions, 'showTokens' | 'showTiming'>

/** A person always sees what was paid; a pipe gets it only with `--usage`. */
export async function printCost({ out, err }: Terminal, result: PromptResult, options: CostOptions): Promise<void> {
  const isPaid = result.cost_usd !== 0 && result.cost_kind !== 'plan'
  const cost = options.showTokens || (isPaid && out.isTty && err.isTty) ? formatPaid(result) : undefined
  const parts = [
    ...(options.showTokens ? [`tokens: ${formatUsage(result.token_usage, result.backend)}`] : []),
    ...(options.showTiming ? [`${(result.duration_ms / 1000).toFixed(2)} s`] : []),
    ...(cost === undefined ? [] : [`cost: ${cost}`]),
  ]
  if (parts.length > 0) await err.write(`${err.style('dim', parts.join(' · '))}\n`)
}

/** Tells the user how to continue the session; after a failure the error is more important. */
async function printSessionHint({ out, err }: Terminal, result: PromptResult, options: PrintOptions): Promise<void> {
  const { isHere, isDemo = false } = options
  const { session_id: id, backend_session_id: agentId, error_code: code } = result
  const isResumable = id !== '' && agentId !== undefined
  const hasFailed = toPromptStatus(result) === 'failed' && code !== 'agent_timeout'
  if (isHere === undefined || !out.isTty || !err.isTty || !isResumable || hasFailed) return
  const short = shortenSessionId({ id })
  const command = `drover ${isHere ? '-c' : `resume ${short}`}${isDemo ? ' --demo' : ''} "…"`
  await err.write(`${err.style('dim', `session ${short} · continue with ${command}`)}\n`)
}

type Raw = JsonObject | { events: JsonObject[] }

export type SharedUsage = {
  /** Counted alike for each agent. Missing if the agent reported no tokens. */
  usage?: { input_tokens: number; output_tokens: number; total_tokens: number }
}

export function sharedUsage({ token_usage: usage, backend }: PromptResult): SharedUsage {
  const { input, output } = splitTokens(usage, backend)
  if (input + output === 0) return {}
  return { usage: { input_tokens: input, output_tokens: output, total_tokens: input + output } }
}

type JsonReport = PromptResult &
  SharedUsage & {
    /** Same as `output`. */
    content: string
    duration_seconds: number
    /** What the agent printed: the last object of claude and gemini, every event of codex. */
    raw?: Raw
  }

/** The JSON of one prompt: the result as over HTTP, and beside it fields for scripts. */
function toJsonReport(result: PromptResult, raw: Raw | undefined): JsonReport {
  return {
    ...result,
    content: result.output,
    duration_seconds: result.duration_ms / 1000,
    ...sharedUsage(result),
    ...(raw !== undefined && { raw }),
  }
}

/** More than the events of any useful answer; all of them are held in memory. */
const RAW_LIMIT_BYTES = 16 * 1024 * 1024

/** Collects the lines of an agent for `raw`. */
class RawOutput {
  readonly #backend: Backend
  readonly #events: JsonObject[] = []
  #bytes = 0

  constructor(backend: Backend) {
    this.#backend = backend
  }

  add(line: string): void {
    const event = parseObject(line) as JsonObject | undefined
    if (event === undefined) return
    if (this.#backend === 'codex') this.#bytes += Buffer.byteLength(line)
    else this.#events.length = 0
    if (this.#bytes <= RAW_LIMIT_BYTES) this.#events.push(event)
  }

  /** Undefined if the agent printed no JSON, or too much. */
  value(): Raw | undefined {
    if (this.#events.length === 0 || this.#bytes > RAW_LIMIT_BYTES) return undefined
    return this.#backend === 'codex' ? { events: this.#events } : this.#events[0]
  }
}
