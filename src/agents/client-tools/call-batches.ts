/**
 * Collects the calls of an agent into batches. A client runs the calls of one batch at the same time, so a batch waits until the
 * agent is quiet and has made every call that it has announced. The next batch waits until the one before is answered.
 */
import type { AgentEvent } from '../adapter/agent.ts'
import type { ClientTool, ToolChoice, ToolReply } from '../adapter/client-tool.ts'
import type { JsonRecord } from '../adapter/json-fields.ts'

/** A call without its id. */
export type MadeCall = { name: string; input: JsonRecord; reply: (reply: ToolReply) => void }

/** A call that comes later is in the next batch. */
const QUIET_MS = 100
/** An agent may announce calls that it makes only after the first one is answered. */
const MOST_QUIET_MS = 1000

export class CallBatches {
  readonly #names: ReadonlySet<string>
  /** Undefined: all of them may be called. */
  #allowed: readonly string[] | undefined
  #isSingle = false
  #made: MadeCall[] = []
  /** Calls in events that have not been made. */
  #announced = 0
  #isBusy = false
  #firstAt = 0
  #timer: NodeJS.Timeout | undefined
  #next = Promise.withResolvers<readonly MadeCall[]>()

  constructor(tools: readonly ClientTool[]) {
    this.#names = new Set(tools.map(({ name }) => name))
  }

  make(name: string, input: JsonRecord): Promise<ToolReply> {
    if (!this.#names.has(name)) return Promise.resolve(toRefusal(`there is no tool ${name}`))
    if (this.#allowed?.includes(name) === false) return Promise.resolve(toRefusal(explain(this.#allowed)))
    const { promise, resolve } = Promise.withResolvers<ToolReply>()
    if (this.#made.length === 0) this.#firstAt = performance.now()
    this.#made.push({ name, input, reply: resolve })
    this.#wait()
    return promise
  }

  /** From now on the agent may call what the client allows. */
  limit({ only, isSingle }: ToolChoice): void {
    this.#allowed = only
    this.#isSingle = isSingle === true
  }

  /** The agent has printed something. */
  heard({ type, content }: AgentEvent): void {
    if (type === 'tool_use' && this.#isOfClient(content.tool_name)) this.#announced += 1
    this.#wait()
  }

  /** The next batch. It stays the same until it is taken. */
  next(): Promise<readonly MadeCall[]> {
    return this.#next.promise
  }

  /** The batch is with the client. */
  take(): void {
    this.#isBusy = true
    this.#next = Promise.withResolvers()
  }

  /** The batch that was taken is answered. */
  settle(): void {
    this.#isBusy = false
    this.#wait()
  }

  /** No batch follows. */
  close(): void {
    clearTimeout(this.#timer)
    this.#isBusy = true
  }

  #wait(): void {
    clearTimeout(this.#timer)
    if (this.#made.length === 0 || this.#isBusy) return
    const waited = performance.now() - this.#firstAt
    const isAwaited = this.#announced > this.#made.length
    const ms = isAwaited ? MOST_QUIET_MS - waited : QUIET_MS
    this.#timer = setTimeout(() => this.#flush(), Math.max(0, Math.min(ms, MOST_QUIET_MS)))
  }

  #flush(): void {
    const batch = this.#isSingle ? this.#made.slice(0, 1) : this.#made
    this.#announced = Math.max(0, this.#announced - batch.length)
    this.#made = this.#made.slice(batch.length)
    this.#next.resolve(batch)
  }

  /** Agents put the name of the server in front, as in `mcp__client__name`. */
  #isOfClient(toolName: string): boolean {
    return [...this.#names].some((name) => toolName.endsWith(name))
  }
}

function explain(allowed: readonly string[]): string {
  if (allowed.length === 0) return 'no tool of this server may be called now; answer without it'
  return `only these tools of this server may be called now: ${allowed.join(', ')}`
}

function toRefusal(text: string): ToolReply {
  return { content: [{ type: 'text', text }], isError: true }
}
