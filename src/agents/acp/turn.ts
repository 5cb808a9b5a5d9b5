/** One turn of an agent that speaks ACP: opens the session, sends the prompt, answers the agent's requests. */
import { basename } from 'node:path'
import { pathToFileURL } from 'node:url'
import { Fault } from '../../kit/fault.ts'
import { type ApprovalRequest, type Denial, NATIVE_BACKENDS, type Usage } from '../adapter/agent.ts'
import { isImage, placeFiles } from '../adapter/attached-file.ts'
import { stderrMessage } from '../adapter/failure.ts'
import { attachmentsUnsupported, directoriesUnsupported } from '../adapter/faults.ts'
import { type JsonRecord, objectAt, textAt } from '../adapter/json-fields.ts'
import { createOutputReader } from '../adapter/output-reader.ts'
import { type Permission, stricterPermission } from '../adapter/permission.ts'
import { withoutPriorCost } from '../adapter/token-usage.ts'
import { isTrusted } from '../adapter/tool-server-place.ts'
import type { TurnPort, TurnProtocol } from '../warm/active-turn.ts'
import { agentDisconnected, agentRequestFailed } from '../warm/faults.ts'
import type { OnWarning } from '../warm/frames.ts'
import type { Turn } from '../warm/long-lived-agent.ts'
import { areInside } from './client-files.ts'
import { ClientMethods } from './client-methods.ts'
import type { AcpConnection } from './connection.ts'
import { toElicitationAnswer, toQuestionRequest } from './elicitation.ts'
import { AcpOutput, COST, COUNTED, OPENED } from './output.ts'
import { answerPermission, CANCELLED, decideAlone, type Verdict } from './permissions.ts'
import { modelRequest, modeRequest, type SessionState, steerRequest } from './protocol.ts'
import { readToolDiff, readToolInput, readToolKind, readToolName, readToolPaths } from './tool-calls.ts'

export class AcpTurn implements TurnProtocol {
  readonly reader
  readonly #agent: AcpConnection
  readonly #turn: Turn
  readonly #output: AcpOutput
  readonly #permission: Permission | undefined
  readonly #client: ClientMethods
  readonly #cancelled = Promise.withResolvers<void>()
  readonly #onEnd: () => void
  #isCancelled = false
  #port: TurnPort | undefined
  #session: SessionState | undefined
  /** The session, once it has the prompt. */
  #prompted: SessionState | undefined
  /** For an agent whose counts in the protocol are not complete. */
  #countTokens: (() => Promise<Usage | undefined>) | undefined

  constructor(agent: AcpConnection, turn: Turn, onEnd: () => void) {
    const { backend, profile } = agent.options
    this.#agent = agent
    this.#turn = turn
    this.#onEnd = onEnd
    const findEvidence = (id: string) => agent.terminals.evidence(id)
    this.#output = new AcpOutput({ backend, profile, priorUsage: turn.priorUsage, findEvidence })
    this.#permission = stricterPermission(turn.request)
    this.#client = new ClientMethods({
      client: profile.client,
      terminals: agent.terminals,
      workdir: turn.request.workdir,
      additionalDirectories: turn.request.additionalDirectories,
      permission: this.#permission,
      allowedCommands: turn.request.allowedCommands,
      ask: (...asked) => this.#ask(...asked),
      onDenied: (denial) => this.#output.denials.push(denial),
    })
    this.reader = createOutputReader(this.#output)
  }

  get model(): string | undefined {
    return this.#turn.request.model ?? this.#session?.model
  }

  /** An error of the agent fails the turn. Only where another process could do better, a Fault is thrown. */
  async begin(port: TurnPort): Promise<void> {
    this.#port = port
    try {
      const session = await this.#open()
      this.#prompted = session
      void this.#prompt(session).catch((error) => this.#fail(error).catch(() => port.fail()))
    } catch (error) {
      await this.#fail(error)
    }
  }

  async #open(): Promise<SessionState> {
    const { request } = this.#turn
    const { takesImages, takesDirectories } = await this.#agent.initialize()
    this.#port?.heard()
    if (!takesImages && request.attachments?.some(isImage) === true) {
      throw attachmentsUnsupported({ backend: this.#agent.options.backend, kind: 'images' })
    }
    if (!takesDirectories && (request.additionalDirectories ?? []).length > 0) {
      const problem = 'does not say that its sessions take additional directories'
      throw directoriesUnsupported({ backend: this.#agent.options.backend, problem, able: NATIVE_BACKENDS })
    }
    const session = await this.#agent.openSession(request)
    this.#port?.heard()
    this.#session = session
    await this.#setMode(session)
    if (request.model !== undefined) await this.#setModel(session, request.model)
    const { model } = session
    const { profile, store } = this.#agent.options
    const isResumable = profile.resume !== undefined || store !== undefined
    this.#countTokens = await store?.count(session.sessionId, request)
    const params = { sessionId: session.sessionId, isResumable, ...(model !== undefined && { model }) }
    await this.#push({ method: OPENED, params })
    return session
  }

  /** The mode of this turn, or the agent's own. Without a fitting mode the answers of drover enforce the permission. */
  async #setMode(session: SessionState): Promise<void> {
    const { profile } = this.#agent.options
    const wanted = this.#permission === undefined ? session.ownMode : profile.modes[this.#permission]
    const offered = session.modes.find((mode) => mode === wanted)
    if (offered === undefined || offered === session.mode) return
    await this.#agent.request(...modeRequest(session, offered))
    session.mode = offered
  }

  async #setModel(session: SessionState, model: string): Promise<void> {
    if (session.model === model) return
    const request = modelRequest(session, model)
    if (request === undefined) {
      this.#output.warnings.push(`model is ignored: ${this.#agent.options.backend} offers no choice of models`)
      return
    }
    await this.#agent.request(...request)
    session.model = model
  }

  async #prompt({ sessionId }: SessionState): Promise<void> {
    const prompt = [{ type: 'text', text: this.#turn.command.stdin }, ...toBlocks(this.#turn.request)]
    const trace = traceFields(this.#turn.request)
    // An agent that continues a session may count what it cost before, or not.
    const before = this.#agent.costOf(sessionId) ?? (this.#turn.request.resumeId === undefined ? 0 : undefined)
    const response = await this.#agent.request('session/prompt', { sessionId, prompt, ...trace })
    await this.#agent.waitForLateUpdates()
    const usage = await this.#countTokens?.()
    const cost = withoutPriorCost(this.#agent.costOf(sessionId), before)
    const own = { ...(usage !== undefined && { [COUNTED]: usage }), ...(cost !== undefined && { [COST]: cost }) }
    await this.#finish({ result: { ...response, ...own } })
  }

  /** The response ends the turn: by then everything that belongs to it is over. */
  async #finish(response: JsonRecord): Promise<void> {
    this.#client.close()
    await this.#agent.terminals.end()
    const { request } = this.#turn
    const session = this.#session
    if (request.isEphemeral && session !== undefined && !(await this.#forget(session.sessionId))) {
      this.#output.warnings.push('the agent cannot delete its session, which stays stored')
    }
    this.#onEnd()
    await this.#push(response)
  }

  async #forget(sessionId: string): Promise<boolean> {
    const { store } = this.#agent.options
    if (store === undefined) return await this.#agent.forgetSession(sessionId)
    return await store.remove(sessionId, this.#turn.request).catch(() => false)
  }

  async #fail(error: unknown): Promise<void> {
    if (!(error instanceof Fault)) throw error
    const { code, details } = error
    if (code === agentRequestFailed.code) {
      return await this.#finish({ error: await this.#agent.withLogins(withSessionHint(details as JsonRecord)) })
    }
    if (code !== agentDisconnected.code || !this.#agent.options.isCold || this.#isCancelled) {
      this.#onEnd()
      throw error
    }
    await this.#finish({ error: await this.#describeExit() })
  }

  /** Why a process that was started for this turn alone has ended. */
  async #describeExit(): Promise<JsonRecord> {
    const { process, options } = this.#agent
    await process.end()
    const { code, signal } = await process.exit
    const said = stderrMessage(process.stderrTail())
    const how = signal === null ? `exit code ${code}` : `ended by ${signal}`
    return { message: said ?? `${options.backend} ended before it had finished its answer (${how})` }
  }

  async #push(frame: JsonRecord): Promise<void> {
    await this.#port?.frame(frame, '')
  }

  async update(params: JsonRecord, line: string): Promise<void> {
    // What comes before the prompt is the history of a session that was loaded.
    if (this.#prompted !== undefined) await this.#port?.frame({ method: 'session/update', params }, line)
  }

  readonly warn: OnWarning = (text, cause) => this.#port?.warn(text, cause)

  async steer(text: string): Promise<boolean> {
    const { takesMessages } = await this.#agent.initialize()
    if (!takesMessages || this.#prompted === undefined) return false
    return await this.#agent.request(...steerRequest(this.#prompted, text)).then(
      (answer) => textAt(answer, 'outcome') === 'injected',
      () => false,
    )
  }

  cancel(): void {
    this.#isCancelled = true
    this.#cancelled.resolve()
    this.#client.close()
    void this.#agent.terminals.end()
    const session = this.#prompted
    if (session === undefined) return void this.#agent.process.end()
    void this.#agent.peer.notify('session/cancel', { sessionId: session.sessionId })
  }

  /** Answers a request of the agent; undefined if drover has no such method. */
  answer(method: string, params: JsonRecord, signal: AbortSignal): Promise<JsonRecord> | undefined {
    this.#port?.heard()
    if (method === 'session/request_permission') return this.#permit(params, signal)
    if (method === 'elicitation/create') return this.#answerQuestions(params, signal)
    return this.#client.answer(method, params, signal)
  }

  async #answerQuestions(params: JsonRecord, signal: AbortSignal): Promise<JsonRecord> {
    const asked = toQuestionRequest(params)
    const isOurs = textAt(params, 'sessionId') === this.#session?.sessionId
    const reply = asked === undefined || !isOurs ? undefined : this.#port?.ask(asked, signal)
    return toElicitationAnswer(params, (await reply) ?? { decision: 'deny' })
  }

  async #permit(params: JsonRecord, signal: AbortSignal): Promise<JsonRecord> {
    const reported = objectAt(params, 'toolCall') ?? {}
    const call = this.#output.updates.callOf(reported)
    await this.#push({ method: 'session/request_permission', params })
    // First, because a decision that no one is asked for is there at once.
    const verdict = await Promise.race([this.#cancelled.promise, this.#decide(call, signal)])
    if (verdict === undefined || signal.aborted) return CANCELLED
    if (verdict === 'deny') this.#output.denials.push(this.#output.updates.denialOf(reported, this.#needsOf(call)))
    return answerPermission(params, verdict)
  }

  async #decide(call: JsonRecord, signal: AbortSignal): Promise<Verdict> {
    const {
      workdir,
      additionalDirectories,
      isLimited,
      allowedCommands,
      clientTools,
      mcpServers = [],
    } = this.#turn.request
    const trusted = mcpServers.map(({ name }) => name).filter((name) => isTrusted(name, this.#turn.request))
    const { profile } = this.#agent.options
    const permission = this.#permission
    // An agent that opens the file itself would follow a link.
    const staysInside =
      !isLimited || permission === 'everything' || (await areInside(readToolPaths(call), this.#turn.request))
    const alone = decideAlone({
      call,
      permission,
      ...{ workdir, additionalDirectories },
      isLimited,
      profile,
      staysInside,
      allowedCommands,
      clientTools,
      trusted,
    })
    if (alone !== 'ask') return alone
    const verdict = await this.#ask(call, signal)
    this.#client.grant(call, { kind: readToolKind(call, profile), verdict })
    return verdict
  }

  async #ask(call: JsonRecord, signal: AbortSignal): Promise<Verdict> {
    const decision = await this.#port?.ask(toApprovalRequest(call), signal)
    return decision?.decision ?? 'deny'
  }

  #needsOf(call: JsonRecord): Denial['needs'] {
    const kind = readToolKind(call, this.#agent.options.profile)
    return kind === 'edit' || kind === 'delete' || kind === 'move' ? 'edit' : 'everything'
  }
}

/** Every agent takes links to files; only some take images. */
function toBlocks(request: Turn['request']): JsonRecord[] {
  return placeFiles(request, () => true).map((file) => {
    const { mediaType, data, path, name = basename(path) } = file
    if (isImage(file)) return { type: 'image', mimeType: mediaType, data }
    return { type: 'resource_link', uri: pathToFileURL(path).href, name, mimeType: mediaType }
  })
}

/** A process has one environment for all of its prompts. */
function traceFields({ trace }: Turn['request']): { _meta?: JsonRecord } {
  if (trace === undefined) return {}
  const { traceparent, tracestate } = trace
  return { _meta: { traceparent, ...(tracestate !== undefined && { tracestate }) } }
}

/** A request to continue a session fails with different codes when there is no such session. */
function withSessionHint(details: JsonRecord): JsonRecord {
  const method = textAt(details, 'method')
  const isResuming = method === 'session/load' || method === 'session/resume'
  return isResuming ? { ...details, message: `session not found: ${textAt(details, 'message')}` } : details
}

function toApprovalRequest(call: JsonRecord): Omit<ApprovalRequest, 'approval_id'> {
  const input = readToolInput(call)
  const id = textAt(call, 'toolCallId')
  const command = textAt(input, 'command')
  const diff = readToolDiff(call)
  return {
    tool_name: readToolName(call) ?? 'unknown',
    ...(id !== undefined && { tool_id: id }),
    ...(command !== undefined && { command }),
    ...(diff !== undefined && { diff }),
    ...(input !== undefined && { input }),
    choices: ['allow', 'allow_session', 'deny'],
  }
}
