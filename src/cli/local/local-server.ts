/** Runs the prompts of this user's commands in the server, where agents are warm. */
import { once } from 'node:events'
import { createServer, type Server, type Socket } from 'node:net'
import { listen } from '../../http/listen.ts'
import { Fault } from '../../kit/fault.ts'
import type { Log } from '../../kit/log.ts'
import { readLines } from '../../kit/read-lines.ts'
import type { PromptContext } from '../../prompts/prompt-context.ts'
import { runPrompt } from '../../prompts/run-prompt.ts'
import { LINE_LIMIT_BYTES, type LocalCall, type LocalReply, type LocalStatus } from './local-socket.ts'

export type LocalServerOptions = {
  path: string
  version: string
  config: string
  isBackground: boolean
  /** The context for a prompt of a caller with this environment and directory. */
  contextFor(caller: { env: Record<string, string>; cwd: string }): PromptContext
  warm: () => LocalStatus['warm']
  /** Called when a user asks the server to end. */
  onStop: () => void
  log: Log
}

export class LocalServer {
  readonly #options: LocalServerOptions
  readonly #server: Server
  readonly #sockets = new Set<Socket>()
  #running = 0
  #lastUsed = performance.now()
  #isClosing = false

  constructor(options: LocalServerOptions) {
    this.#options = options
    this.#server = createServer((socket) => void this.#serve(socket))
  }

  /** Throws a Fault if another server is there. */
  async listen(): Promise<void> {
    await listen(this.#server, { socket: this.#options.path })
  }

  isRunning(): boolean {
    return this.#running > 0
  }

  /** How long no prompt has run. */
  idleMs(): number {
    return this.#running > 0 ? 0 : performance.now() - this.#lastUsed
  }

  /** Stops accepting prompts; running ones go on until `end`. */
  close(): void {
    this.#isClosing = true
    this.#server.close()
  }

  end(): void {
    for (const socket of this.#sockets) socket.destroy()
  }

  async #serve(socket: Socket): Promise<void> {
    this.#sockets.add(socket)
    socket.on('error', () => {})
    socket.once('close', () => this.#sockets.delete(socket))
    const lines = readLines(socket, { limitBytes: LINE_LIMIT_BYTES, onOversize: () => socket.destroy() })
    try {
      const first = await lines.next()
      const call = first.done === true ? undefined : parseCall(first.value[0] ?? '')
      if (call !== undefined) await this.#answer(socket, call, lines)
    } catch (error) {
      this.#options.log.error({ reason: String(error) }, 'a local request failed')
    } finally {
      socket.end()
    }
  }

  async #answer(socket: Socket, call: LocalCall, lines: AsyncGenerator<string[], void>): Promise<void> {
    const { version, config } = this.#options
    if (call.call === 'status') return await send(socket, { status: this.#status() })
    if (call.call !== 'prompt') {
      await send(socket, { status: this.#status() })
      return this.#options.onStop()
    }
    const isSame = call.version === version && call.config === config
    if (!isSame || this.#isClosing) {
      return await send(socket, { refused: isSame ? 'it is stopping' : 'it has another version or configuration' })
    }
    await send(socket, { accepted: true })
    await this.#prompt(socket, call, abortedWith(lines))
  }

  async #prompt(socket: Socket, call: Extract<LocalCall, { call: 'prompt' }>, signal: AbortSignal): Promise<void> {
    this.#running += 1
    try {
      const run = runPrompt(call.request, this.#options.contextFor(call), { signal })
      let next = await run.next()
      for (; next.done !== true; next = await run.next()) await send(socket, { event: next.value })
      await send(socket, { result: next.value })
    } catch (error) {
      if (!(error instanceof Fault)) throw error
      const { code, kind, message, details } = error
      await send(socket, { fault: { code, kind, message, details } })
    } finally {
      this.#running -= 1
      this.#lastUsed = performance.now()
    }
  }

  #status(): LocalStatus {
    const { version, isBackground, warm } = this.#options
    return { pid: process.pid, version, isBackground, running: this.#running, warm: warm() }
  }
}

function parseCall(line: string): LocalCall | undefined {
  try {
    return JSON.parse(line)
  } catch {
    return undefined
  }
}

/** Aborted when the client says so, or is gone. */
function abortedWith(lines: AsyncGenerator<string[], void>): AbortSignal {
  const controller = new AbortController()
  const watch = async () => {
    // Any further line asks for the end.
    await lines.next()
    controller.abort()
  }
  void watch().catch(() => controller.abort())
  return controller.signal
}

async function send(socket: Socket, reply: LocalReply): Promise<void> {
  if (socket.destroyed || socket.write(`${JSON.stringify(reply)}\n`)) return
  await Promise.race([once(socket, 'drain'), once(socket, 'close')]).catch(() => undefined)
}
