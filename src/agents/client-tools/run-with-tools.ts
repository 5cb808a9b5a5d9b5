/**
 * Runs a turn of an agent that may call functions of the client. When it calls some, a `tool_request` event tells so, and the agent
 * waits for the answers. That time does not count as time of the agent.
 */
import type { AgentRequest, Usage } from '../adapter/agent.ts'
import type { ToolReply, ToolResults } from '../adapter/client-tool.ts'
import type { AgentRun } from '../agent-result.ts'
import { agentTimedOut, clientToolsAbandoned } from '../faults.ts'
import { removeScratch } from '../scratch-files.ts'
import { CallBatches, type MadeCall } from './call-batches.ts'
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
