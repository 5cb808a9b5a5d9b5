/** The demo agent as a claude that stays up: it takes a message at a time, and asks for permission on its output. */
import { randomUUID } from 'node:crypto'
import { createInterface } from 'node:readline'
import type { Readable } from 'node:stream'
import type { DemoClaudeOutput } from './claude-output.ts'
import { toLines } from './demo-answer.ts'
import { type DemoMessage, flagValue, type Permit, readRequest, type TurnSettings, takeTurn } from './take-turn.ts'

type Frame =
  | ({ type: 'user'; uuid: string } & DemoMessage)
  | { type: 'control_request'; request_id: string; request: { subtype: string } }
  | { type: 'control_response'; response: { request_id: string; response?: { behavior: string; message?: string } } }

/** Until the end of its input. */
export async function stayUp(input: Readable, settings: TurnSettings, print: (lines: string) => void): Promise<void> {
  const process = new WaitingClaude(settings, print)
  for await (const line of createInterface({ input })) process.take(JSON.parse(line) as Frame)
  process.interrupt()
}

class WaitingClaude {
  readonly #settings: TurnSettings
  readonly #print: (lines: string) => void
  readonly #sessionId: string
  #resumed: string | undefined
  readonly #asked = new Map<string, (permit: Permit) => void>()
  #turns: Promise<unknown> = Promise.resolve()
  #current = new AbortController()

  constructor(settings: TurnSettings, print: (lines: string) => void) {
    this.#settings = settings
    this.#print = print
    this.#resumed = flagValue(settings.argv, '--resume')
    this.#sessionId = this.#resumed ?? randomUUID()
  }

  take(frame: Frame): void {
    if (frame.type === 'user') this.#turns = this.#turns.then(() => this.#takeTurn(frame))
    if (frame.type === 'control_response') {
      const { request_id: id, response } = frame.response
      this.#asked.get(id)?.({ isAllowed: response?.behavior === 'allow', message: response?.message })
    }
    if (frame.type !== 'control_request') return
    if (frame.request.subtype === 'interrupt') this.interrupt()
    const response = { subtype: 'success', request_id: frame.request_id, response: {} }
    this.#print(toLines([{ type: 'control_response', response }]))
  }

  interrupt(): void {
    this.#current.abort()
  }

  async #takeTurn(message: Extract<Frame, { type: 'user' }>): Promise<void> {
    this.#current = new AbortController()
    const { signal } = this.#current
    const request = readRequest({ agent: 'claude', argv: this.#settings.argv, stdin: JSON.stringify(message) })
    const resumeId = this.#resumed
    this.#resumed = this.#sessionId
    await takeTurn({ ...request, resumeId }, this.#settings, {
      ...{ signal, sessionId: this.#sessionId },
      print: this.#print,
      onBegin: () => this.#print(toLines([{ ...message, isReplay: true, session_id: this.#sessionId }])),
      ask: (output, command) => this.#ask(output, command, signal),
    })
  }

  async #ask(output: DemoClaudeOutput, command: string, signal: AbortSignal): Promise<Permit> {
    const id = randomUUID()
    const { promise, resolve, reject } = Promise.withResolvers<Permit>()
    signal.throwIfAborted()
    signal.addEventListener('abort', () => reject(signal.reason), { once: true })
    this.#asked.set(id, resolve)
    this.#print(output.permissionRequest(id, command))
    return await promise
  }
}
