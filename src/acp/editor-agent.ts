/** drover as an agent for editors: answers the requests of the Agent Client Protocol (https://agentclientprotocol.com). */

import { PROTOCOL_VERSION } from '../agents/acp/protocol.ts'
import type { ApprovalRequest, AttributedReply, Backend } from '../agents/adapter/agent.ts'
import { checkAnswers } from '../agents/adapter/answers.ts'
import { isObject, type JsonRecord, objectAt, textAt } from '../agents/adapter/json-fields.ts'
import { JsonRpcFailure, type JsonRpcPeer } from '../agents/warm/json-rpc.ts'
import { Fault } from '../kit/fault.ts'
import { isRetryable } from '../kit/retryable.ts'
import { checker } from '../kit/schema.ts'
import { userName } from '../kit/user-name.ts'
import type { PromptContext } from '../prompts/prompt-context.ts'
import { type PromptResult, toPromptStatus } from '../prompts/prompt-result.ts'
import { resolveWorkdir } from '../prompts/workdir-policy.ts'
import { sessionNotFound } from '../sessions/faults.ts'
import type { Session } from '../sessions/session.shape.ts'
import type { VisibleSessions } from '../sessions/session-store.ts'
import type { ContentBlock } from './acp-requests.shape.ts'
import {
  AcpSession,
  type AskedForm,
  type Editor,
  findContinued,
  lastBackend,
  newAcpSessionId,
  readForm,
  readPrompt,
  type Served,
  toForm,
  toSessionInfo,
} from './acp-session.ts'
import * as checks from './checks.generated.js'
import { acpSessionUnknown } from './faults.ts'
import { type ChosenMode, choose, describeModes, describeOptions, firstMode } from './session-options.ts'
import { agentText, pastTool, toEditorUsage, userText } from './session-updates.ts'

export type AcpAgentOptions = {
  served: Served
  version: string
  defaultBackend: Backend
  /** The backends that are enabled and installed. */
  backends: () => readonly Backend[]
  /** Sentences for the log of the editor. */
  onWarning: (message: string) => void
}

type Place = { cwd: string; mcpServers?: readonly object[]; additionalDirectories?: readonly string[] | null }
type InSession = { sessionId: string }
type Started = { protocolVersion: number; clientCapabilities?: JsonRecord | null }

const check = {
  initialize: checker<Started>('initialize', checks.validateInitializeParams),
  create: checker<Place>('session/new', checks.validateNewSessionParams),
  open: checker<InSession & Place>('the request', checks.validateOpenSessionParams),
  session: checker<InSession>('the request', checks.validateSessionParams),
  list: checker<{ cwd?: string | null; cursor?: string | null }>('session/list', checks.validateListSessionsParams),
  prompt: checker<InSession & { prompt: ContentBlock[] }>('session/prompt', checks.validatePromptParams),
  mode: checker<InSession & { modeId: string }>('session/set_mode', checks.validateSetModeParams),
  option: checker<InSession & { configId: string; value: string }>('the request', checks.validateSetOptionParams),
}

const PAGE = 50
const CODES = { invalid: -32_602, notFound: -32_002, authRequired: -32_000, internal: -32_603 }

type Handler = (params: JsonRecord, signal: AbortSignal) => Promise<unknown>

export class EditorAgent {
  readonly #options: AcpAgentOptions
  readonly #sessions = new Map<string, AcpSession>()
  readonly #handlers: Readonly<Record<string, Handler>> = {
    initialize: async (params) => this.#initialize(check.initialize(params)),
    authenticate: async () => ({}),
    'session/new': async (params) => this.#create(check.create(params)),
    'session/load': (params) => this.#open(check.open(params), { isReplayed: true }),
    'session/resume': (params) => this.#open(check.open(params), { isReplayed: false }),
    'session/list': (params) => this.#list(check.list(params)),
    'session/close': (params) => this.#close(check.session(params)),
    'session/delete': (params) => this.#delete(check.session(params)),
    'session/prompt': (params, signal) => this.#prompt(check.prompt(params), signal),
    'session/set_mode': (params) => this.#setMode(check.mode(params)),
    'session/set_config_option': (params) => this.#setOption(check.option(params)),
  }
  #peer: JsonRpcPeer | undefined
  /** The editor can show a form. */
  #takesQuestions = false

  constructor(options: AcpAgentOptions) {
    this.#options = options
  }

  /** The connection that the agent sends its updates and questions on. */
  connect(peer: JsonRpcPeer): void {
    this.#peer = peer
  }

  /** Undefined: there is no such method. */
  answer(method: string, params: JsonRecord, signal: AbortSignal): Promise<unknown> | undefined {
    const handle = Object.hasOwn(this.#handlers, method) ? this.#handlers[method] : undefined
    if (handle === undefined) return undefined
    // A request that is not valid is refused, too: the check throws.
    return Promise.resolve(params)
      .then((valid) => handle(valid, signal))
      .catch((error) => {
        throw toFailure(error)
      })
  }

  notified(method: string, params: JsonRecord): void {
    if (method === 'session/cancel') this.#sessions.get(textAt(params, 'sessionId') ?? '')?.cancel()
  }

  /** Ends what runs, and waits until its turns are stored. */
  async close(): Promise<void> {
    await Promise.all([...this.#sessions.values()].map((session) => session.end()))
  }

  #initialize({ protocolVersion, clientCapabilities }: Started): object {
    this.#takesQuestions = objectAt(objectAt(clientCapabilities ?? {}, 'elicitation'), 'form') !== undefined
    return {
      protocolVersion: protocolVersion >= 1 ? Math.min(protocolVersion, PROTOCOL_VERSION) : PROTOCOL_VERSION,
      agentCapabilities: {
        loadSession: true,
        promptCapabilities: { image: true, audio: false, embeddedContext: true },
        mcpCapabilities: { http: false, sse: false },
        sessionCapabilities: { list: {}, resume: {}, close: {}, delete: {}, additionalDirectories: {} },
      },
      agentInfo: { name: 'drover', title: 'drover', version: this.#options.version },
      authMethods: [],
    }
  }

  #create(place: Place): object {
    const { workdirs, settings } = this.#context()
    const cwd = resolveWorkdir(place.cwd, workdirs)
    const mode = firstMode(settings.unified_flags)
    const choice = { backend: this.#options.defaultBackend, mode }
    const session = this.#add(newAcpSessionId(), { cwd, directories: this.#directories(place), choice })
    this.#noteServers(place)
    return { sessionId: session.id, ...this.#choices(choice) }
  }

  /** Those that the editor names are all that the session has. */
  #directories({ additionalDirectories }: Place): readonly string[] {
    const { workdirs } = this.#context()
    return (additionalDirectories ?? []).map((directory) => resolveWorkdir(directory, workdirs))
  }

  #add(
    id: string,
    parts: { cwd: string; directories: readonly string[]; choice: ChosenMode },
    stored?: Session,
  ): AcpSession {
    const { served } = this.#options
    const session = new AcpSession(id, { served, editor: this.#editor(), ...parts }, stored)
    this.#sessions.set(id, session)
    return session
  }

  async #open({ sessionId, ...place }: InSession & Place, { isReplayed }: { isReplayed: boolean }): Promise<object> {
    const { served, defaultBackend } = this.#options
    const { workdirs, settings } = this.#context()
    const open = this.#sessions.get(sessionId)
    await open?.end()
    const found = await findContinued(sessionId, served)
    const last = found.at(-1)
    if (last === undefined) {
      if (open === undefined) throw sessionNotFound({ id: sessionId })
      open.directories = this.#directories(place)
      // Nothing was sent yet, so nothing is stored.
      return this.#choices(open.choice)
    }
    const cwd = resolveWorkdir(last.working_dir ?? place.cwd, workdirs)
    const choice = { backend: lastBackend(found, defaultBackend), mode: firstMode(settings.unified_flags) }
    this.#add(sessionId, { cwd, directories: this.#directories(place), choice }, last)
    this.#noteServers(place)
    if (isReplayed) for (const session of found) await this.#replay(sessionId, session)
    return this.#choices(choice)
  }

  /** What is kept of the turns. */
  async #replay(id: string, { id: session }: Session): Promise<void> {
    const { drover, by } = this.#options.served
    for await (const turn of drover.sessions.turns(by, session)) {
      await this.#update(id, userText(turn.prompt))
      for (const [at, tool] of turn.tools.entries()) {
        await this.#update(id, pastTool(`${turn.execution_id}-${at}`, tool))
      }
      if (turn.answer !== undefined && turn.answer !== '') await this.#update(id, agentText(turn.answer))
    }
  }

  async #list({ cwd, cursor }: { cwd?: string | null; cursor?: string | null }): Promise<object> {
    const offset = Number(cursor ?? 0)
    const workdir = cwd === undefined || cwd === null ? undefined : resolveWorkdir(cwd, this.#context().workdirs)
    const filter = workdir === undefined ? {} : { workdir }
    const { sessions, total } = await (await this.#stored()).list(filter, { limit: PAGE, offset })
    const next = offset + sessions.length
    return { sessions: sessions.map(toSessionInfo), ...(next < total && { nextCursor: String(next) }) }
  }

  async #close({ sessionId }: InSession): Promise<object> {
    await this.#sessions.get(sessionId)?.end()
    this.#sessions.delete(sessionId)
    return {}
  }

  /** A session that does not exist is deleted already. */
  async #delete({ sessionId }: InSession): Promise<object> {
    await this.#close({ sessionId })
    const store = await this.#stored()
    for (const { id } of await findContinued(sessionId, this.#options.served)) await store.delete(id)
    return {}
  }

  /** It ends as canceled if the editor cancels the session or the request. */
  async #prompt({ sessionId, prompt }: InSession & { prompt: ContentBlock[] }, signal: AbortSignal): Promise<object> {
    const session = this.#find(sessionId)
    const running = session.prompt(readPrompt(prompt))
    signal.addEventListener('abort', () => session.cancel())
    const result = await running
    for (const warning of result.warnings ?? []) this.#options.onWarning(warning)
    return toResponse(result)
  }

  async #setMode({ sessionId, modeId }: InSession & { modeId: string }): Promise<object> {
    await this.#choose(sessionId, { option: 'mode', value: modeId })
    await this.#update(sessionId, { sessionUpdate: 'config_option_update', configOptions: this.#optionsOf(sessionId) })
    return {}
  }

  async #setOption({ sessionId, configId, value }: InSession & { configId: string; value: string }): Promise<object> {
    const { mode } = this.#find(sessionId).choice
    await this.#choose(sessionId, { option: configId, value })
    const { choice } = this.#find(sessionId)
    if (choice.mode !== mode) {
      await this.#update(sessionId, { sessionUpdate: 'current_mode_update', currentModeId: choice.mode })
    }
    return { configOptions: this.#optionsOf(sessionId) }
  }

  async #choose(sessionId: string, change: { option: string; value: string }): Promise<void> {
    const session = this.#find(sessionId)
    session.choice = choose(session.choice, { ...change, backends: this.#backends(session.choice) })
  }

  #context(): PromptContext {
    const { drover, by } = this.#options.served
    return drover.contextFor(by)
  }

  async #stored(): Promise<VisibleSessions> {
    const { drover, by } = this.#options.served
    return await drover.sessions.of(by)
  }

  #find(id: string): AcpSession {
    const session = this.#sessions.get(id)
    if (session === undefined) throw acpSessionUnknown({ id })
    return session
  }

  #choices(choice: ChosenMode): object {
    return { modes: describeModes(choice), configOptions: describeOptions(choice, this.#backends(choice)) }
  }

  #optionsOf(sessionId: string): object[] {
    const { choice } = this.#find(sessionId)
    return describeOptions(choice, this.#backends(choice))
  }

  /** The current one is always a choice: an editor cannot show another. */
  #backends({ backend }: ChosenMode): readonly Backend[] {
    return [...new Set([backend, ...this.#options.backends()])].sort()
  }

  #noteServers({ mcpServers = [] }: Place): void {
    if (mcpServers.length === 0) return
    this.#options.onWarning(
      `${mcpServers.length} MCP servers of the editor are not passed on; configure them in the agent itself`,
    )
  }

  #editor(): Editor {
    return {
      update: (sessionId, update) => this.#update(sessionId, update),
      ask: (sessionId, { toolCall, request }, signal) => this.#ask({ sessionId, toolCall }, request, signal),
    }
  }

  async #update(sessionId: string, update: object): Promise<void> {
    await this.#peer?.notify('session/update', { sessionId, update })
  }

  /** What the editor does not decide is denied. */
  async #ask(
    params: { sessionId: string; toolCall: object },
    request: ApprovalRequest,
    signal: AbortSignal,
  ): Promise<AttributedReply> {
    const { choices, questions } = request
    const options = PERMISSIONS.filter(({ optionId }) => choices.includes(optionId))
    try {
      if (questions !== undefined) return await this.#question(params.sessionId, { ...request, questions }, signal)
      const answer = await this.#peer?.request('session/request_permission', { ...params, options }, signal)
      const outcome = objectAt(answer as JsonRecord, 'outcome')
      const chosen = textAt(outcome, 'outcome') === 'selected' ? textAt(outcome, 'optionId') : undefined
      const decision = options.find(({ optionId }) => optionId === chosen)?.optionId ?? 'deny'
      return { decision, by: { via: 'editor', name: userName() } }
    } catch (error) {
      if (error instanceof Fault) return { decision: 'deny', message: error.message, by: { via: 'drover' } }
      throw error
    }
  }

  /** As a form. An editor that shows none has no answer. */
  async #question(sessionId: string, asked: AskedForm, signal: AbortSignal): Promise<AttributedReply> {
    if (!this.#takesQuestions) return { decision: 'deny', by: { via: 'drover' } }
    const answer = await this.#peer?.request('elicitation/create', { sessionId, ...toForm(asked) }, signal)
    const by = { via: 'editor', name: userName() } as const
    const answers = isObject(answer) ? readForm(asked, answer) : undefined
    if (answers === undefined) return { decision: 'deny', by }
    checkAnswers(asked, { decision: 'allow', answers })
    return { decision: 'allow', answers, by }
  }
}

const PERMISSIONS = [
  { optionId: 'allow', name: 'Allow', kind: 'allow_once' },
  { optionId: 'allow_session', name: 'Allow for this session', kind: 'allow_always' },
  { optionId: 'deny', name: 'Reject', kind: 'reject_once' },
] as const

/** A failure of the agent is an error: an editor must not take it for an answer. */
function toResponse(result: PromptResult): object {
  const { error_code: code, error, retryable, retry_after_secs, token_usage: usage } = result
  const { warnings, session_id, execution_id } = result
  const _meta = { drover: { session_id, execution_id, ...(warnings !== undefined && { warnings }) } }
  switch (toPromptStatus(result)) {
    case 'completed':
      return { stopReason: 'end_turn', usage: toEditorUsage(usage), _meta }
    case 'canceled':
      return { stopReason: 'cancelled', usage: toEditorUsage(usage), _meta }
    default: {
      if (code === 'agent_max_turns') return { stopReason: 'max_turn_requests', usage: toEditorUsage(usage), _meta }
      const number = code === 'agent_auth_failed' ? CODES.authRequired : CODES.internal
      const data = { code, retryable, ...(retry_after_secs !== undefined && { retry_after_secs }) }
      throw new JsonRpcFailure({ code: number, message: error ?? 'the agent failed', data })
    }
  }
}

function toFailure(error: unknown): unknown {
  if (!(error instanceof Fault)) return error
  const { code, kind, message } = error
  const isInvalid = kind === 'invalid' || kind === 'usage'
  const number = kind === 'not_found' ? CODES.notFound : isInvalid ? CODES.invalid : CODES.internal
  return new JsonRpcFailure({ code: number, message, data: { code, retryable: isRetryable(code) } })
}
