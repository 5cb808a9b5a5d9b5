/**
 * A turn in a process that stays up: passes frames to its reader, stops it on time, and asks about what the agent wants to do.
 * It has ended when the agent says so and everything that it has started is gone; otherwise the process is ended.
 */
import { randomIds } from '../../kit/ids.ts'
import type { ProcessExit } from '../../kit/process/process.ts'
import { raceTime } from '../../kit/race.ts'
import type {
  AgentEvent,
  ApprovalReply,
  ApprovalRequest,
  AttributedReply,
  Backend,
  OutputReader,
} from '../adapter/agent.ts'
import { toDecidedApproval } from '../adapter/decided-approval.ts'
import type { JsonRecord } from '../adapter/json-fields.ts'
import type { AgentResult, StopReason } from '../agent-result.ts'
import { createNotices } from '../notices.ts'
import { type OnOutput, reportUsage, runTurn, type TurnDriver, type TurnEnding } from '../run-turn.ts'
import { agentDisconnected } from './faults.ts'
import type { OnWarning, WarningCause } from './frames.ts'
import type { LongLivedAgent, Turn } from './long-lived-agent.ts'
import { TurnQueue } from './turn-queue.ts'
import type { WarmProcess } from './warm-process.ts'

/** How long the agent may take to end a turn that is stopped. */
const CANCEL_WAIT_MS = 2000
/** Node fires a longer timer at once. */
const LONGEST_TIMER_MS = 2 ** 31 - 1
/** An agent that prints more lines that are no frames will not end by itself. */
const SKIPPED_LIMIT = 100_000
const DENIED: AttributedReply = { decision: 'deny', by: { via: 'drover' } }
const TAKEN_BACK: AttributedReply = { ...DENIED, message: 'the agent has taken its request back' }

/** Where the protocol delivers what the agent says during a turn. */
export type TurnPort = {
  /** A frame of this turn. Resolves when there is room for more. */
  frame(frame: JsonRecord, line: string): Promise<void>
  /** The agent has said something that is no frame of this turn. */
  heard(): void
  /** Something that the agent wants to do. Resolves with the decision; when the turn ends or the agent takes it back, it is denied. */
  ask(request: Omit<ApprovalRequest, 'approval_id'>, takenBack?: AbortSignal): Promise<ApprovalReply>
  /** Output was skipped. Afterwards the process gets no other turn; the caller learns of a line that was too long. */
  warn: OnWarning
  /** The process says what it must not say: afterwards it gets no other turn. */
  distrust(): void
  /** The agent does not follow its protocol, and the turn cannot continue: ends the process. */
  fail(): void
}

/** What a protocol does in one turn. */
export type TurnProtocol = {
  reader: OutputReader
  /** The model, if the agent does not name it. */
  model: string | undefined
  /** Sends the prompt. Throws a Fault if the agent does not take it. */
  begin(port: TurnPort): Promise<void>
  /** Gives the agent a message in the middle of the turn. False: it does not take it. Absent: it takes none. */
  steer?(text: string): Promise<boolean>
  /** Asks the agent to end the turn. Its terminal frame follows. */
  cancel(): void
}

type Stop = StopReason | 'cancelled' | 'timeout'

type ActiveTurnParts = {
  turn: Turn
  protocol: TurnProtocol
  /** Called once, in the end. `isClean`: the agent ended the turn, and nothing that the turn has started still runs. */
  onEnd: (end: { isClean: boolean; sessionId: string | undefined }) => void
}

class ActiveTurn implements TurnPort, TurnDriver {
  readonly reader: OutputReader
  readonly model: string | undefined
  readonly #agent: WarmProcess
  readonly #turn: Turn
  readonly #protocol: TurnProtocol
  readonly #onEnd: ActiveTurnParts['onEnd']
  readonly #startedAt = performance.now()
  readonly #queue = new TurnQueue()
  readonly #warnings: string[] = []
  readonly #over = Promise.withResolvers<void>()
  readonly #notices
  #isTrusted = true
  #isTidy = false
  #skipped = 0
  #stop: Stop | undefined
  #stopping: Promise<void> | undefined
  #timers: (NodeJS.Timeout | undefined)[] = []
  #lateness: NodeJS.Timeout | undefined
  #onOutput: OnOutput | undefined

  constructor(agent: WarmProcess, { turn, protocol, onEnd }: ActiveTurnParts) {
    this.reader = protocol.reader
    this.model = protocol.model
    this.#agent = agent
    this.#turn = turn
    this.#protocol = protocol
    this.#onEnd = onEnd
    this.#notices = createNotices(protocol.reader)
  }

  /** Sends the prompt, unless the turn was cancelled before. */
  async begin(onOutput: OnOutput): Promise<void> {
    const { request, signal, onBoundaryEvent } = this.#turn
    this.#onOutput = onOutput
    await this.#agent.beginTurn({
      onStderr: this.#onStderr,
      onBoundaryEvent: (event) => {
        onBoundaryEvent?.(event)
        if (event.is !== 'exceeded') return
        this.#isTrusted = false
        this.#end(event.fault)
      },
    })
    void this.#agent.ending.then(() => this.#finish())
    signal.addEventListener('abort', this.#onAbort)
    if (signal.aborted) {
      this.#stop = 'cancelled'
      return this.#finish()
    }
    this.#lateness = this.#startTimer(request.firstEventTimeoutMs ?? null, 'late')
    this.#startTimer(request.timeoutMs, 'timeout')
    try {
      await this.#protocol.begin(this)
      this.#turn.onSteerable?.({ send: (text) => this.#steer(text), tell: (event) => void this.#push([event]) })
    } catch (error) {
      if (this.#stop === undefined) throw error
    }
  }

  read(): AsyncGenerator<AgentEvent[], void> {
    return this.#queue.read()
  }

  async #steer(text: string): Promise<boolean | undefined> {
    if (this.#stop !== undefined || this.reader.hasEnded()) return undefined
    return (await this.#protocol.steer?.(text)) ?? false
  }

  stop(reason: StopReason): void {
    this.#end(reason)
  }

  /** Throws a Fault if the agent has ended without a word: another process could do better. */
  async settle(isSilent: boolean): Promise<TurnEnding> {
    await this.#stopping
    this.#isTidy = await this.#leaveNothing()
    const hasEnded = this.reader.hasEnded()
    const exit = await this.#toExit(hasEnded)
    if (!hasEnded && this.#stop === undefined && isSilent) throw agentDisconnected({ method: 'the prompt' })
    const stopReason = this.#stop === 'cancelled' || this.#stop === 'timeout' ? undefined : this.#stop
    return { exit, staysUp: hasEnded, stopReason }
  }

  cutOff(): readonly string[] | undefined {
    return this.#agent.cutOff()
  }

  async warnings(): Promise<readonly string[]> {
    return [...this.#turn.command.warnings, ...this.#warnings]
  }

  async close(_sessionId: string | undefined, result: AgentResult | undefined): Promise<void> {
    this.#turn.signal.removeEventListener('abort', this.#onAbort)
    for (const timer of this.#timers) clearTimeout(timer)
    this.#finish()
    const isOrderly = result !== undefined && (result.error === undefined || this.#stop === 'cancelled')
    const isClean = isOrderly && this.#isTidy && this.reader.hasEnded() && this.#isTrusted && this.#agent.isAlive()
    this.#onEnd({ isClean, sessionId: result?.sessionId })
    if (!isClean) await this.#agent.end()
  }

  readonly #onStderr = (chunk: Buffer): void => {
    this.#notices.add(chunk)
    void this.#push(this.#notices.take())
  }

  async frame(frame: JsonRecord, line: string): Promise<void> {
    const { reader } = this
    // The agent is being ended for that, and may write much until it is gone.
    if (reader.isTooLong()) return
    const events = reader.readFrame(frame, line)
    const pushed = this.#push(events)
    reportUsage(reader, this.#turn.onUsage)
    if (reader.hasBegun() || reader.hasEnded()) clearTimeout(this.#lateness)
    if (reader.hasEnded()) this.#finish()
    else if (reader.isTooLong()) this.#end('answer_too_long')
    await pushed
  }

  heard(): void {
    this.#onOutput?.([])
  }

  async ask(request: Omit<ApprovalRequest, 'approval_id'>, takenBack?: AbortSignal): Promise<ApprovalReply> {
    const { onApproval } = this.#turn
    if (onApproval === undefined || this.#stop !== undefined) return DENIED
    clearTimeout(this.#lateness)
    const asked = { approval_id: randomIds.uuid(), ...request }
    await this.#push([{ type: 'approval_request', content: asked }])
    const decision = onApproval(asked, takenBack).catch(() => DENIED)
    const decided = await Promise.race([decision, this.#over.promise.then(() => DENIED), takenBackReply(takenBack)])
    // Before the agent learns of it, so that nothing happens without a record of who allowed it.
    await this.#push([{ type: 'approval_decision', content: toDecidedApproval(asked, decided) }])
    return decided
  }

  warn(text: string, cause: WarningCause): void {
    this.#isTrusted = false
    this.#skipped += 1
    if (this.#skipped > SKIPPED_LIMIT) this.#end('answer_too_long')
    if (cause === 'size') this.#warnings.push(text)
  }

  distrust(): void {
    this.#isTrusted = false
  }

  fail(): void {
    void this.#agent.end()
  }

  async #push(events: readonly AgentEvent[]): Promise<void> {
    this.#onOutput?.(events)
    await this.#queue.push(events)
  }

  /** True if the process can take another turn. */
  async #leaveNothing(): Promise<boolean> {
    if (this.#agent.isAlive() && (await this.#agent.endTurn())) return true
    await this.#agent.end()
    return false
  }

  async #toExit(hasEnded: boolean): Promise<ProcessExit> {
    const agent = this.#agent
    const durationMs = Math.round(performance.now() - this.#startedAt)
    const ended = this.#stop === undefined ? 'itself' : this.#stop === 'timeout' ? 'timeout' : 'cancelled'
    const turn = { ended, durationMs, stderrTail: agent.stderrTail() } as const
    if (!hasEnded && !agent.isAlive()) return { ...(await agent.exit), ...turn }
    return { pid: agent.pid, code: 1, signal: null, forced: false, ...turn }
  }

  readonly #onAbort = () => this.#end('cancelled')

  #startTimer(ms: number | null, reason: Stop): NodeJS.Timeout | undefined {
    if (ms === null) return undefined
    const timer = setTimeout(() => this.#end(reason), Math.min(ms, LONGEST_TIMER_MS))
    this.#timers.push(timer)
    return timer
  }

  #end(reason: Stop): void {
    if (this.#stop !== undefined || this.reader.hasEnded()) return
    this.#stop = reason
    this.#stopping = this.#stopTurn()
  }

  /** Asks the agent to end the turn; ends the process if that takes too long. */
  async #stopTurn(): Promise<void> {
    this.#queue.hurry()
    this.#protocol.cancel()
    await raceTime(this.#over.promise, CANCEL_WAIT_MS)
    if (!this.reader.hasEnded()) await this.#agent.end()
    this.#finish()
  }

  #finish(): void {
    this.#over.resolve()
    this.#queue.end()
  }
}

/** Never resolves if the agent waits for the decision. */
function takenBackReply(takenBack: AbortSignal | undefined): Promise<AttributedReply> {
  return new Promise((resolve) => {
    if (takenBack?.aborted === true) return resolve(TAKEN_BACK)
    takenBack?.addEventListener('abort', () => resolve(TAKEN_BACK))
  })
}

/** A long-lived agent of any protocol. `createTurn` is called once per turn. */
export function createLongLivedAgent(
  backend: Backend,
  process: WarmProcess,
  createTurn: (turn: Turn) => TurnProtocol,
): LongLivedAgent {
  let state: 'idle' | 'busy' | 'spent' = 'idle'
  let turns = 0
  let sessionId: string | undefined
  return {
    backend,
    exit: process.exit,
    async *prompt(turn) {
      if (state !== 'idle' || !process.isAlive()) throw agentDisconnected({ method: 'the start of a turn' })
      state = 'busy'
      turns += 1
      const onEnd = (end: { isClean: boolean; sessionId: string | undefined }) => {
        state = end.isClean ? 'idle' : 'spent'
        sessionId = end.sessionId
      }
      const active = new ActiveTurn(process, { turn, protocol: createTurn(turn), onEnd })
      return yield* runTurn(turn.request, active, turn.stop)
    },
    facts: () => ({ isAlive: process.isAlive(), isReusable: state === 'idle', pid: process.pid, sessionId, turns }),
    residentBytes: process.residentBytes,
    end: process.end,
  }
}
