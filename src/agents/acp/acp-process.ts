/** A process of an agent that speaks ACP: its sessions, and the requests that it sends to drover. */
import { setTimeout as delay } from 'node:timers/promises'
import { Fault } from '../../kit/fault.ts'
import { raceTime } from '../../kit/race.ts'
import type { AgentRequest } from '../adapter/agent.ts'
import { isObject, type JsonRecord, objectAt, textAt } from '../adapter/json-fields.ts'
import { toolServersOf } from '../adapter/tool-server-place.ts'
import type { TurnProtocol } from '../warm/active-turn.ts'
import { agentRequestFailed } from '../warm/faults.ts'
import type { OnWarning } from '../warm/frames.ts'
import { createJsonRpcPeer, type JsonRpcPeer } from '../warm/json-rpc.ts'
import type { Turn } from '../warm/long-lived-agent.ts'
import type { WarmProcess } from '../warm/warm-process.ts'
import { ClientTerminals } from './client-terminals.ts'
import type { AcpConnection, ConnectionOptions } from './connection.ts'
import {
  type AgentInfo,
  initializeParams,
  PROTOCOL_VERSION,
  readAgentInfo,
  readSession,
  type SessionState,
} from './protocol.ts'
import { AcpTurn } from './turn.ts'
import { LOGINS } from './turn-end.ts'
import { costOfSession } from './usage.ts'

/** How long the agent may take to exit when its input is closed: some store their session then. */
const EXIT_WAIT_MS = 1000
/** Late updates come within this time of each other. */
const QUIET_MS = 30
const LATE_WAIT_MS = 300

export class AcpProcess implements AcpConnection {
  readonly process: WarmProcess
  readonly options: ConnectionOptions
  readonly peer: JsonRpcPeer
  readonly terminals: ClientTerminals
  readonly #sessions = new Map<string, SessionState>()
  readonly #limits: StartLimits
  #turn: AcpTurn | undefined
  #info: Promise<AgentInfo> | undefined
  readonly #costs = new Map<string, number>()
  /** How many updates have come. */
  #updates = 0

  constructor(process: WarmProcess, options: ConnectionOptions) {
    this.process = process
    this.options = options
    this.terminals = new ClientTerminals(options.env)
    const { backend, answerWithinMs: limitMs = ANSWER_WITHIN_MS } = options
    this.#limits = new StartLimits({ backend, limitMs })
    this.peer = createJsonRpcPeer(
      process,
      {
        onRequest: (...request) => this.#turn?.answer(...request),
        onNotification: (method, params, line) => this.#onNotification(method, params, line),
        onWarning: (text, cause) => {
          this.#limits.note(text, cause)
          this.#turn?.warn(text, cause)
        },
      },
      { hasVersion: true },
    )
    void process.ending.then(() => this.terminals.close())
  }

  initialize(): Promise<AgentInfo> {
    this.#info ??= this.#initialize()
    return this.#info
  }

  async #initialize(): Promise<AgentInfo> {
    const { profile, backend } = this.options
    const info = readAgentInfo(await this.request('initialize', initializeParams(profile)))
    if (info.protocolVersion !== PROTOCOL_VERSION) {
      const message = `${backend} speaks version ${JSON.stringify(info.protocolVersion)} of the Agent Client Protocol, not ${PROTOCOL_VERSION}`
      throw agentRequestFailed({ method: 'initialize', code: 0, message })
    }
    return info
  }

  async withLogins(error: JsonRecord): Promise<JsonRecord> {
    const info = await this.#info?.catch(() => undefined)
    return { ...error, [LOGINS]: info?.logins ?? [] }
  }

  async request(method: string, params: JsonRecord): Promise<JsonRecord> {
    const answer = this.peer.request(method, params)
    const result = await (method === 'session/prompt' ? answer : this.#limits.wait(method, answer))
    return isObject(result) ? result : {}
  }

  createTurn(turn: Turn): TurnProtocol {
    const active = new AcpTurn(this, turn, () => {
      if (this.#turn === active) this.#turn = undefined
    })
    this.#turn = active
    return active
  }

  async openSession(request: AgentRequest): Promise<SessionState> {
    const { workdir: cwd, additionalDirectories = [], resumeId: sessionId, ignoresProject, closedFiles } = request
    const known = this.#sessions.get(sessionId ?? '')
    if (known !== undefined) return known
    const meta = ignoresProject ? this.options.profile.withoutProject?.sessionMeta?.(cwd, closedFiles) : undefined
    const mcpServers = toolServersOf(request).map((server) => ({ ...server, env: [] }))
    const more = additionalDirectories.length > 0 && { additionalDirectories }
    const place = { cwd, mcpServers, ...more, ...(meta !== undefined && { _meta: meta }) }
    const session =
      sessionId === undefined ? await this.#newSession(place) : await this.#resumeSession(sessionId, place)
    this.#sessions.set(session.sessionId, session)
    // Some agents start a process for each session.
    await this.process.adopt()
    return session
  }

  async #newSession(place: JsonRecord): Promise<SessionState> {
    const result = await this.request('session/new', place)
    const sessionId = textAt(result, 'sessionId')
    if (!sessionId) {
      const message = 'it has opened no session'
      throw agentRequestFailed({ method: 'session/new', code: 0, message })
    }
    return readSession(sessionId, result)
  }

  async #resumeSession(sessionId: string, place: JsonRecord): Promise<SessionState> {
    const { resume } = this.options.profile
    if (resume === undefined) {
      const message = 'session not found: this agent does not continue sessions'
      throw agentRequestFailed({ method: 'session/load', code: 0, message })
    }
    return readSession(sessionId, await this.request(resume, { sessionId, ...place }))
  }

  async forgetSession(sessionId: string): Promise<boolean> {
    this.#sessions.delete(sessionId)
    const { canDelete, canClose } = await this.initialize()
    const method = canDelete ? 'session/delete' : canClose ? 'session/close' : undefined
    if (method === undefined) return false
    try {
      await this.request(method, { sessionId })
      return canDelete
    } catch (error) {
      if (!(error instanceof Fault)) throw error
      return false
    }
  }

  costOf(sessionId: string): number | undefined {
    return this.#costs.get(sessionId)
  }

  async waitForLateUpdates(): Promise<void> {
    if (!this.options.profile.isLate) return
    const deadline = performance.now() + LATE_WAIT_MS
    for (let seen = -1; seen !== this.#updates && performance.now() < deadline; ) {
      seen = this.#updates
      await delay(QUIET_MS)
    }
  }

  /** Closes the input of the agent and gives it time to exit; then ends it and everything that it has started. */
  async close(): Promise<void> {
    this.process.stdin?.end()
    await raceTime(this.process.exit, EXIT_WAIT_MS)
    await Promise.all([this.process.end(), this.terminals.close()])
  }

  async #onNotification(method: string, params: JsonRecord, line: string): Promise<void> {
    this.#updates += 1
    await this.options.onLine?.(line)
    const cost = costOfSession(objectAt(params, 'update'))
    if (cost !== undefined) this.#costs.set(textAt(params, 'sessionId') ?? '', cost)
    if (this.#turn === undefined) return this.process.noteIdle(line)
    if (method === 'session/update') await this.#turn.update(params, line)
  }
}

/** An agent may take long to start on a busy machine. Less than an agent may be silent, because this limit says more. */
const ANSWER_WITHIN_MS = 100_000
/** Agents print a few lines of text before they speak the protocol; one that prints more never will. */
const MOST_OTHER_LINES = 200

type Limits = { backend: string; limitMs: number }

/** Limits for everything but the prompt itself. A program that hangs or speaks something else is reported in one sentence. */
class StartLimits {
  readonly #limits: Limits
  readonly #failed = Promise.withResolvers<never>()
  #otherLines = 0
  #firstProblem = ''
  #hasAnswered = false

  constructor(limits: Limits) {
    this.#limits = limits
    this.#failed.promise.catch(() => undefined)
  }

  /** Takes what is said about a line that was skipped. */
  readonly note: OnWarning = (text) => {
    if (this.#hasAnswered) return
    this.#otherLines += 1
    if (this.#firstProblem === '') this.#firstProblem = `; ${text}`
    if (this.#otherLines > MOST_OTHER_LINES) {
      this.#failed.reject(this.#fault('initialize', 'does not speak the Agent Client Protocol'))
    }
  }

  /** Rejects with a Fault if the answer takes too long. */
  async wait<T>(method: string, answer: Promise<T>): Promise<T> {
    const { limitMs } = this.#limits
    const late = Promise.withResolvers<never>()
    const advice = this.#hasAnswered ? '' : '; check that its command starts an agent that speaks ACP'
    const tooLong = () =>
      late.reject(this.#fault(method, `did not answer ${method} within ${limitMs / 1000} s${advice}`))
    const timer = setTimeout(tooLong, limitMs)
    try {
      const answered = await Promise.race([answer, this.#failed.promise, late.promise])
      this.#hasAnswered = true
      return answered
    } finally {
      clearTimeout(timer)
    }
  }

  #fault(method: string, problem: string) {
    const more = this.#hasAnswered ? '' : this.#firstProblem
    return agentRequestFailed({ method, code: 0, message: `${this.#limits.backend} ${problem}${more}` })
  }
}
