/** A `codex app-server` process. It has any number of sessions, which codex calls threads, and one turn at a time. */
import type { AgentEvent, AgentRequest, Usage } from '../adapter/agent.ts'
import { isObject, type JsonRecord, objectAt, objectsAt, textAt } from '../adapter/json-fields.ts'
import {
  type AgentOutput,
  createOutputReader,
  messageEvents,
  StreamedText,
  thinkingEvents,
} from '../adapter/output-reader.ts'
import { createLongLivedAgent, type TurnPort, type TurnProtocol } from '../warm/active-turn.ts'
import { agentRequestFailed } from '../warm/faults.ts'
import { createJsonRpcPeer, type JsonRpcPeer } from '../warm/json-rpc.ts'
import type { Launch, LongLivedAgent, Turn } from '../warm/long-lived-agent.ts'
import { startWarmProcess, type WarmProcess } from '../warm/warm-process.ts'
import { profileFor, schemaFor, toAppServerCommand, toSandbox } from './command.ts'
import { CodexOutput, toUsage, usageOfTurn } from './output.ts'
import { CodexTurnFrames, readTurnIds, toApprovalRequest, toDecision } from './warm-frames.ts'

export async function startCodex(launch: Launch): Promise<LongLivedAgent> {
  const process = await startWarmProcess(launch, { ...toAppServerCommand(launch.request), cancelSignal: 'SIGTERM' })
  const codex = new CodexProcess(process)
  await codex.initialize()
  return createLongLivedAgent('codex', process, (turn) => codex.createTurn(turn))
}

class CodexProcess {
  readonly #process: WarmProcess
  readonly #peer: JsonRpcPeer
  #active: { threadId: string; turnId: string; port: TurnPort; frames: CodexTurnFrames } | undefined
  /** The port of a turn that has not begun yet, for warnings. */
  #port: TurnPort | undefined
  /** The changes of the items that codex may ask about. */
  readonly #changes = new Map<string, readonly JsonRecord[]>()

  constructor(process: WarmProcess) {
    this.#process = process
    this.#peer = createJsonRpcPeer(
      process,
      {
        onRequest: (...request) => this.#answer(...request),
        onNotification: (method, params, line) => this.#handle(method, params, line),
        onWarning: (text, cause) => this.#port?.warn(text, cause),
      },
      { hasVersion: false },
    )
  }

  async initialize(): Promise<void> {
    const clientInfo = { name: 'drover', title: 'drover', version: '1' }
    await this.#peer.request('initialize', { clientInfo, capabilities: null })
    await this.#peer.notify('initialized')
  }

  createTurn(turn: Turn): TurnProtocol {
    const { request, priorUsage } = turn
    return {
      reader: createOutputReader(new CodexWarmOutput({ priorUsage, wantsDeltas: request.wantsDeltas })),
      model: request.model,
      begin: (port) => this.#begin(turn, port),
      steer: (text) => this.#steer(text),
      cancel: () => this.#interrupt(),
    }
  }

  async #begin({ request, command }: Turn, port: TurnPort): Promise<void> {
    this.#port = port
    this.#changes.clear()
    const { threadId, policy } = await this.#openThread(request)
    const model = textAt(policy, 'model')
    const outputSchema = schemaFor(request)
    const turn = await this.#peer.request('turn/start', {
      threadId,
      input: [
        toTextInput(command.stdin),
        ...(request.attachments ?? []).map(({ mediaType, data }) => ({
          type: 'image',
          url: `data:${mediaType};base64,${data}`,
        })),
      ],
      ...policy,
      ...(outputSchema !== undefined && { outputSchema }),
    })
    const turnId = textAt(objectAt(isObject(turn) ? turn : {}, 'turn'), 'id') ?? ''
    this.#active = { threadId, turnId, port, frames: new CodexTurnFrames() }
    await port.frame({ type: 'thread.started', thread_id: threadId, ...(model !== undefined && { model }) }, '')
  }

  /** Opens the thread and checks that codex has taken over what was asked for; a turn must not get more rights. */
  async #openThread(request: AgentRequest): Promise<{ threadId: string; policy: JsonRecord }> {
    const { resumeId, isEphemeral, workdir: cwd, model } = request
    const approvalPolicy = request.hasApprover ? 'on-request' : 'never'
    const [sandbox, profile] = [toSandbox(request), profileFor(request)]
    const wanted = { cwd, approvalPolicy, ...(model !== undefined && { model }) }
    const config = {
      ...(profile !== undefined && { default_permissions: profile }),
      // Without it, codex asks only in its mode for plans.
      ...(request.hasApprover && {
        'features.default_mode_request_user_input': true,
        suppress_unstable_features_warning: true,
      }),
    }
    const rights = { ...(profile === undefined && { sandbox }), config }
    const method = resumeId === undefined ? 'thread/start' : 'thread/resume'
    const params = resumeId === undefined ? { ephemeral: isEphemeral } : { threadId: resumeId, excludeTurns: true }
    const opened = await this.#peer.request(method, { ...wanted, ...rights, ...params })
    const answer = isObject(opened) ? opened : {}
    const drift = findDrift({ ...wanted, sandbox, profile }, answer)
    if (drift !== undefined) throw agentRequestFailed({ method, code: 0, message: drift })
    const threadId = textAt(objectAt(answer, 'thread'), 'id') ?? ''
    // A policy would replace the profile.
    const sandboxPolicy = profile === undefined && { sandboxPolicy: answer['sandbox'] }
    return { threadId, policy: { cwd, approvalPolicy, ...sandboxPolicy, model: answer['model'] } }
  }

  async #handle(method: string, params: JsonRecord, line: string): Promise<void> {
    const active = this.#active
    if (active === undefined) return this.#process.noteIdle(line)
    const { threadId, turnId } = readTurnIds(params)
    if (threadId !== undefined && threadId !== active.threadId) return
    if (turnId !== undefined && turnId !== active.turnId) {
      // A thread that is resumed begins with the counts of its last turn.
      if (method !== 'thread/tokenUsage/updated') active.port.distrust()
      return
    }
    this.#noteChanges(method, params)
    const frame = active.frames.toLine(method, params)
    if (method === 'turn/completed') {
      this.#active = undefined
      this.#port = undefined
    }
    if (frame !== undefined) await active.port.frame(frame, line)
  }

  #noteChanges(method: string, params: JsonRecord): void {
    const item = objectAt(params, 'item')
    const id = textAt(item, 'id')
    if (method !== 'item/started' || id === undefined || textAt(item, 'type') !== 'fileChange') return
    this.#changes.set(id, objectsAt(item, 'changes'))
  }

  #answer(method: string, params: JsonRecord, signal: AbortSignal): Promise<unknown> | undefined {
    const active = this.#active
    const question = toApprovalRequest(method, params, this.#changes.get(textAt(params, 'itemId') ?? '') ?? [])
    if (question === undefined) return undefined
    const isOurs = active !== undefined && readTurnIds(params).turnId === active.turnId
    const decided = isOurs ? active.port.ask(question, signal) : Promise.resolve({ decision: 'deny' } as const)
    return decided.then((reply) => toDecision(params, reply))
  }

  /** False: the turn is over, or is of a kind that takes no messages. */
  async #steer(text: string): Promise<boolean> {
    if (this.#active === undefined) return false
    const { threadId, turnId } = this.#active
    const steer = { threadId, expectedTurnId: turnId, input: [toTextInput(text)] }
    return await this.#peer.request('turn/steer', steer).then(
      () => true,
      () => false,
    )
  }

  #interrupt(): void {
    if (this.#active === undefined) return
    const { threadId, turnId } = this.#active
    void this.#peer.request('turn/interrupt', { threadId, turnId }).catch(() => undefined)
  }
}

function toTextInput(text: string): JsonRecord {
  return { type: 'text', text, text_elements: [] }
}

const POLICY_TYPES: Readonly<Record<string, string>> = {
  'read-only': 'readOnly',
  'workspace-write': 'workspaceWrite',
  'danger-full-access': 'dangerFullAccess',
}

type Wanted = {
  cwd: string
  approvalPolicy: string
  sandbox: string
  profile?: string | undefined
  model?: string
}

/** What codex has not taken over. Pure. */
export function findDrift(wanted: Wanted, answer: JsonRecord): string | undefined {
  const { cwd, approvalPolicy, sandbox, profile, model } = wanted
  const actual = textAt(objectAt(answer, 'sandbox'), 'type')
  const active = textAt(objectAt(answer, 'activePermissionProfile'), 'id')
  const pairs = [
    ['cwd', cwd, answer['cwd']],
    ['approvalPolicy', approvalPolicy, answer['approvalPolicy']],
    ['sandbox', POLICY_TYPES[sandbox], actual],
    ['permissions', profile ?? active, active],
    ['model', model ?? answer['model'], answer['model']],
  ]
  const drift = pairs.find(([, asked, got]) => asked !== got)
  return drift && `${drift[0]} is ${JSON.stringify(drift[2])} instead of ${JSON.stringify(drift[1])}`
}

/** The output of `codex app-server` during one turn: what `exec` prints, and the pieces of texts besides. */
export class CodexWarmOutput implements AgentOutput {
  readonly backend = 'codex'
  readonly isFramed = true
  readonly #output: CodexOutput
  readonly #wantsDeltas: boolean
  readonly #message = new StreamedText()
  readonly #thinking = new StreamedText()
  readonly #prior: Usage | undefined
  /** Of this turn, and of the whole thread. */
  #counted: { usage: Usage; threadUsage: Usage } | undefined

  constructor({ priorUsage, wantsDeltas }: { priorUsage: Usage | undefined; wantsDeltas: boolean }) {
    this.#prior = priorUsage
    this.#output = new CodexOutput(priorUsage)
    this.#wantsDeltas = wantsDeltas
  }

  /**
   * The pieces of a text that was cut off are no part of the result: `exec` prints no such text. A turn that did not end
   * well has no counts; what it had used belongs to it and not to the next one.
   */
  summary() {
    const summary = this.#output.summary()
    if (summary.outcome === 'success' || this.#counted === undefined) return summary
    return { ...summary, ...this.#counted }
  }

  usageSoFar(): Usage | undefined {
    return this.#counted?.usage
  }

  deniedOnStderr(stderrTail: string) {
    return this.#output.deniedOnStderr(stderrTail)
  }

  read(line: JsonRecord): AgentEvent[] | undefined {
    const delta = textAt(line, 'delta')
    switch (textAt(line, 'type')) {
      case 'agent_message.delta':
        return this.#wantsDeltas ? addTo(this.#message, messageEvents(delta, { isPartial: true })) : []
      case 'reasoning.delta':
        return this.#wantsDeltas ? addTo(this.#thinking, thinkingEvents(delta, { isPartial: true })) : []
      case 'usage.updated':
        this.#count(toUsage(objectAt(line, 'usage')))
        return []
      case 'item.started':
        this.#restart(textAt(objectAt(line, 'item'), 'type'))
        return this.#output.read(line)
      default:
        return this.#output.read(line)?.flatMap((event) => this.#withoutPieces(event))
    }
  }

  #count(threadUsage: Usage): void {
    this.#counted = { threadUsage, usage: usageOfTurn(threadUsage, this.#prior) }
  }

  /** A text that begins after a lost connection replaces the one that was cut off. */
  #restart(itemType: string | undefined): void {
    if (itemType === 'agent_message') this.#message.restart()
    if (itemType === 'reasoning') this.#thinking.restart()
  }

  /** A whole text, without the pieces that were reported already. */
  #withoutPieces(event: AgentEvent): AgentEvent[] {
    if (event.type === 'message') return messageEvents(this.#message.takeRest(event.content.text), { isPartial: false })
    if (event.type === 'thinking') {
      return thinkingEvents(this.#thinking.takeRest(event.content.text), { isPartial: false })
    }
    return [event]
  }
}

function addTo(text: StreamedText, events: AgentEvent[]): AgentEvent[] {
  for (const event of events) if (event.type === 'message' || event.type === 'thinking') text.add(event.content.text)
  return events
}
