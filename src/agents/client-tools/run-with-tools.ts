/**
 * Runs a turn of an agent that may call functions of the client. When it calls some, a `tool_request` event tells so, and the agent
 * waits for the answers. That time does not count as time of the agent.
 */
import type { AgentEvent, AgentRequest, Usage } from '../adapter/agent.ts'
import type { ClientTool, ToolChoice, ToolReply, ToolResults } from '../adapter/client-tool.ts'
import type { JsonRecord } from '../adapter/json-fields.ts'
import type { AgentRun } from '../agent-result.ts'
import { agentTimedOut, clientToolsAbandoned } from '../faults.ts'
import { removeScratch } from '../scratch-files.ts'
import { type ToolRequest, toToolRequest } from './tool-request.ts'
import { openToolServer } from './tool-server.ts'

export type ToolRunOptions = {
  /** Gets the answers of the client. Rejects with a Fault if there will be none, which ends the turn. */
  onToolRequest(request: ToolRequest): Promise<ToolResults>
  newCallId(): string
  /** What the turn has used so far, if the agent says so. */
  usageSoFar(): Usage | undefined
  /** Starts the agent. The signal stops it for the reason that it has. */
  run(request: AgentRequest, stop: AbortSignal): AgentRun
}

export async function* runWithTools(request: AgentRequest, options: ToolRunOptions): AgentRun {
  const tools = request.clientTools ?? []
  const stop = new AbortController()
  const batches = new CallBatches(tools)
  if (request.toolChoice !== undefined) batches.limit(request.toolChoice)
  const clock = new RunningTime(request.timeoutMs, () =>
    stop.abort(agentTimedOut({ backend: request.backend, seconds: (request.timeoutMs ?? 0) / 1000 })),
  )
  const server = await openToolServer(request, {
    tools,
    onCall: (name, input) => batches.make(name, input),
    onGone: () => stop.abort(clientToolsAbandoned({ backend: request.backend })),
  })
  const events = options.run({ ...request, timeoutMs: null }, stop.signal)
  const askClient = async (calls: readonly MadeCall[], asked: ToolRequest) => {
    const { replies, choice } = await options.onToolRequest(asked)
    batches.limit(choice)
    for (const [at, { reply }] of calls.entries()) reply(replies[at] ?? NO_REPLY)
    clock.resume()
    batches.settle()
  }
  try {
    let next = events.next()
    for (;;) {
      const first = await Promise.race([next, batches.next()])
      if ('length' in first) {
        batches.take()
        clock.pause()
        const asked = toToolRequest(first.map(toWireCall), { ...options, usage: options.usageSoFar() })
        yield { type: 'tool_request', content: asked }
        askClient(first, asked).catch((reason) => stop.abort(reason))
        continue
      }
      if (first.done) return first.value
      batches.heard(first.value)
      yield first.value
      next = events.next()
    }
  } finally {
    clock.pause()
    batches.close()
    await events.return(undefined as never)
    await server.close()
    await removeScratch(request.scratchDirectory)
  }
}

const toWireCall = ({ name, input }: MadeCall) => ({ name, input: JSON.stringify(input) })

const NO_REPLY: ToolReply = { content: [{ type: 'text', text: 'there is no result' }], isError: true }

/** A time limit that can be paused. */
class RunningTime {
  readonly #onEnd: () => void
  #leftMs: number | null
  #since = 0
  #timer: NodeJS.Timeout | undefined

  constructor(limitMs: number | null, onEnd: () => void) {
    this.#leftMs = limitMs
    this.#onEnd = onEnd
    this.resume()
  }

  pause(): void {
    if (this.#timer === undefined || this.#leftMs === null) return
    clearTimeout(this.#timer)
    this.#timer = undefined
    this.#leftMs -= performance.now() - this.#since
  }

  resume(): void {
    if (this.#leftMs === null) return
    this.#since = performance.now()
    this.#timer = setTimeout(this.#onEnd, Math.min(Math.max(this.#leftMs, 0), 2 ** 31 - 1))
  }
}

/** A call without its id. */
type MadeCall = { name: string; input: JsonRecord; reply: (reply: ToolReply) => void }

/** A call that comes later is in the next batch. */
const QUIET_MS = 100
/** An agent may announce calls that it makes only after the first one is answered. */
const MOST_QUIET_MS = 1000

/**
 * Collects the calls of an agent into batches. A client runs the calls of one batch at the same time, so a batch waits until the
 * agent is quiet and has made every call that it has announced. The next batch waits until the one before is answered.
 */
class CallBatches {
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
