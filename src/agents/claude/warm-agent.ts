/** A claude process that stays up. One process is one session. */
import { randomIds } from '../../kit/ids.ts'
import { type JsonRecord, textAt } from '../adapter/json-fields.ts'
import { createOutputReader } from '../adapter/output-reader.ts'
import { createLongLivedAgent, type TurnPort, type TurnProtocol } from '../warm/active-turn.ts'
import { agentDisconnected } from '../warm/faults.ts'
import { type Frame, type OnWarning, readFrames } from '../warm/frames.ts'
import type { Launch, LongLivedAgent, Turn } from '../warm/long-lived-agent.ts'
import { startWarmProcess, type WarmProcess } from '../warm/warm-process.ts'
import { toMessage, toWarmClaudeCommand } from './command.ts'
import { ClaudeOutput } from './output.ts'
import { readSessionCounts } from './session-file.ts'
import { type ClaudeFrame, ClaudeTurnFrames, toApprovalRequest, toPermissionAnswer } from './warm-frames.ts'

/** How long a result without its message may be the last frame. */
const FOREIGN_RESULT_WAIT_MS = 10_000

export async function startClaude(launch: Launch): Promise<LongLivedAgent> {
  const { request } = launch
  const counts = request.resumeId === undefined ? undefined : await readSessionCounts(request.resumeId, request)
  const process = await startWarmProcess(launch, { ...toWarmClaudeCommand(request), cancelSignal: 'SIGINT' })
  const claude = new ClaudeProcess(process, counts)
  await claude.initialize()
  return createLongLivedAgent('claude', process, (turn) => claude.createTurn(turn))
}

class ClaudeProcess {
  readonly #process: WarmProcess
  readonly #answers = new Map<string, PromiseWithResolvers<void>>()
  /** The last result of the process, or what the session had counted before it. */
  #lastResult: JsonRecord | undefined
  #active: { frames: ClaudeTurnFrames; port: TurnPort } | undefined
  #foreignTimer: NodeJS.Timeout | undefined

  constructor(process: WarmProcess, counts: JsonRecord | undefined) {
    this.#process = process
    this.#lastResult = counts
    void this.#readAll()
  }

  /** Claude answers when it is ready for the first message. */
  async initialize(): Promise<void> {
    await this.#request('initialize')
  }

  createTurn({ request }: Turn): TurnProtocol {
    const messageId = randomIds.uuid()
    const frames = new ClaudeTurnFrames(messageId, this.#lastResult)
    return {
      reader: createOutputReader(new ClaudeOutput(request)),
      model: request.model,
      begin: async (port) => {
        this.#active = { frames, port }
        void this.#send({ ...toMessage(request), uuid: messageId })
      },
      steer: async (text) => {
        if (this.#active?.frames !== frames) return false
        const id = randomIds.uuid()
        frames.expect(id)
        void this.#send({ ...toMessage({ prompt: text }), uuid: id })
        return true
      },
      cancel: () => {
        // Claude would begin a turn for a message that it has not read yet.
        if (frames.dropExpected()) this.#active?.port.distrust()
        void this.#request('interrupt').catch(() => undefined)
      },
    }
  }

  async #readAll(): Promise<void> {
    const onWarning: OnWarning = (text, cause) => this.#active?.port.warn(text, cause)
    try {
      for await (const batch of readFrames(this.#process.stdout, { onWarning })) {
        for (const frame of batch) await this.#handle(frame)
      }
    } finally {
      for (const answer of this.#answers.values()) answer.reject(agentDisconnected({ method: 'a request' }))
      this.#answers.clear()
    }
  }

  async #handle({ value, line }: Frame): Promise<void> {
    clearTimeout(this.#foreignTimer)
    const active = this.#active
    if (active === undefined) this.#process.noteIdle(line)
    const read = (active?.frames ?? new ClaudeTurnFrames('', undefined)).read(value)
    switch (read.kind) {
      case 'answer':
        return this.#answers.get(read.requestId)?.resolve()
      case 'request':
        return void this.#refuse(read)
      case 'ask':
        return void this.#ask(read, active?.port)
      case 'foreign':
        return this.#noteForeign(value)
      case 'turn':
        if (textAt(value, 'type') === 'result') this.#endTurn(value)
        return await active?.port.frame(read.frame, line)
      default:
        return undefined
    }
  }

  #endTurn(result: JsonRecord): void {
    this.#lastResult = result
    this.#active = undefined
  }

  /** A result of another turn ends no turn. If nothing follows it, the process does not work as expected. */
  #noteForeign(frame: JsonRecord): void {
    const port = this.#active?.port
    port?.distrust()
    if (textAt(frame, 'type') !== 'result') return
    this.#lastResult = frame
    this.#foreignTimer = setTimeout(() => port?.fail(), FOREIGN_RESULT_WAIT_MS)
  }

  async #ask({ requestId, request }: Extract<ClaudeFrame, { kind: 'ask' }>, port: TurnPort | undefined): Promise<void> {
    const decision = (await port?.ask(toApprovalRequest(request))) ?? { decision: 'deny' }
    const response = { subtype: 'success', request_id: requestId, response: toPermissionAnswer(request, decision) }
    await this.#send({ type: 'control_response', response })
  }

  async #refuse({ requestId, subtype }: Extract<ClaudeFrame, { kind: 'request' }>): Promise<void> {
    const error = `the client does not know the request ${subtype}`
    await this.#send({ type: 'control_response', response: { subtype: 'error', request_id: requestId, error } })
  }

  async #request(subtype: string): Promise<void> {
    const id = randomIds.uuid()
    const answer = Promise.withResolvers<void>()
    this.#answers.set(id, answer)
    void this.#send({ type: 'control_request', request_id: id, request: { subtype } })
    try {
      await answer.promise
    } finally {
      this.#answers.delete(id)
    }
  }

  async #send(frame: object): Promise<void> {
    await this.#process.stdin?.write(`${JSON.stringify(frame)}\n`)
  }
}
