/** A turn that runs: passes frames to its reader, stops it on time, and asks about what the agent wants to do. */
import { randomIds } from '../../kit/ids.ts'
import type { ProcessExit } from '../../kit/process/process.ts'
import { raceTime } from '../../kit/race.ts'
import type { ApprovalReply, ApprovalRequest, AttributedReply, OutputReader } from '../adapter/agent.ts'
import { toDecidedApproval } from '../adapter/decided-approval.ts'
import type { JsonRecord } from '../adapter/json-fields.ts'
import type { StopReason } from '../agent-result.ts'
import { createNotices } from '../notices.ts'
import { reportUsage } from '../read-events.ts'
import type { OnWarning, WarningCause } from './frames.ts'
import type { Turn } from './long-lived-agent.ts'
import { TurnQueue } from './turn-queue.ts'
import type { WarmProcess } from './warm-process.ts'

/** How long the agent may take to end a turn that is stopped. */
const CANCEL_WAIT_MS = 2000
/** Node fires a longer timer at once. */
const LONGEST_TIMER_MS = 2 ** 31 - 1
/** An agent that prints more lines that are no frames will not end by itself. */
const SKIPPED_LIMIT = 100_000
const DENIED: AttributedReply = { decision: 'deny', by: { via: 'drover' } }

/** Where the protocol delivers what the agent says during a turn. */
export type TurnPort = {
  /** A frame of this turn. Resolves when there is room for more. */
  frame(frame: JsonRecord, line: string): Promise<void>
  /** Something that the agent wants to do. Resolves with the decision; when the turn ends, it is denied. */
  ask(request: Omit<ApprovalRequest, 'approval_id'>): Promise<ApprovalReply>
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
  /** Asks the agent to end the turn. Its terminal frame follows. */
  cancel(): void
}

type Stop = StopReason | 'cancelled' | 'timeout'

export class ActiveTurn implements TurnPort {
  readonly queue = new TurnQueue()
  readonly warnings: string[] = []
  readonly #agent: WarmProcess
  readonly #turn: Turn
  readonly #protocol: TurnProtocol
  readonly #over = Promise.withResolvers<void>()
  readonly #notices
  #isTrusted = true
  #skipped = 0
  #stop: Stop | undefined
  #stopping: Promise<void> | undefined
  #timers: (NodeJS.Timeout | undefined)[] = []
  #silence: NodeJS.Timeout | undefined

  constructor(agent: WarmProcess, turn: Turn, protocol: TurnProtocol) {
    this.#agent = agent
    this.#turn = turn
    this.#protocol = protocol
    this.#notices = createNotices(protocol.reader)
  }

  /** Sends the prompt, unless the turn was cancelled before. */
  async begin(): Promise<void> {
    const { request, signal } = this.#turn
    void this.#agent.ending.then(() => this.#finish())
    signal.addEventListener('abort', this.#onAbort)
    if (signal.aborted) {
      this.#stop = 'cancelled'
      return this.#finish()
    }
    this.#silence = this.#startTimer(request.firstEventTimeoutMs ?? null, 'silent')
    this.#startTimer(request.timeoutMs, 'timeout')
    try {
      await this.#protocol.begin(this)
    } catch (error) {
      if (this.#stop === undefined) throw error
    }
  }

  readonly onStderr = (chunk: Buffer): void => {
    this.#notices.add(chunk)
    void this.queue.push(this.#notices.take())
  }

  async frame(frame: JsonRecord, line: string): Promise<void> {
    const { reader } = this.#protocol
    const events = reader.readFrame(frame, line)
    const pushed = this.queue.push(events)
    reportUsage(reader, this.#turn.onUsage)
    if (reader.hasBegun() || reader.hasEnded()) clearTimeout(this.#silence)
    if (reader.hasEnded()) this.#finish()
    else if (reader.isTooLong()) this.#end('answer_too_long')
    await pushed
  }

  async ask(request: Omit<ApprovalRequest, 'approval_id'>): Promise<ApprovalReply> {
    const { onApproval } = this.#turn
    if (onApproval === undefined || this.#stop !== undefined) return DENIED
    clearTimeout(this.#silence)
    const asked = { approval_id: randomIds.uuid(), ...request }
    await this.queue.push([{ type: 'approval_request', content: asked }])
    const denial = this.#over.promise.then(() => DENIED)
    const decided = await Promise.race([onApproval(asked).catch(() => DENIED), denial])
    // Before the agent learns of it, so that nothing happens without a record of who allowed it.
    await this.queue.push([{ type: 'approval_decision', content: toDecidedApproval(asked, decided) }])
    return decided
  }

  warn(text: string, cause: WarningCause): void {
    this.#isTrusted = false
    this.#skipped += 1
    if (this.#skipped > SKIPPED_LIMIT) this.#end('answer_too_long')
    if (cause === 'size') this.warnings.push(text)
  }

  distrust(): void {
    this.#isTrusted = false
  }

  fail(): void {
    void this.#agent.end()
  }

  get isTrusted(): boolean {
    return this.#isTrusted
  }

  /** Why drover stopped the turn, for its result. */
  get stopReason(): StopReason | undefined {
    return this.#stop === 'cancelled' || this.#stop === 'timeout' ? undefined : this.#stop
  }

  get ended(): ProcessExit['ended'] {
    if (this.#stop === undefined) return 'itself'
    return this.#stop === 'timeout' ? 'timeout' : 'cancelled'
  }

  get isCancelled(): boolean {
    return this.#stop === 'cancelled'
  }

  /** Resolves when a stop that is under way is done. */
  async stopped(): Promise<void> {
    await this.#stopping
  }

  close(): void {
    this.#turn.signal.removeEventListener('abort', this.#onAbort)
    for (const timer of this.#timers) clearTimeout(timer)
    this.#finish()
  }

  readonly #onAbort = () => this.#end('cancelled')

  #startTimer(ms: number | null, reason: Stop): NodeJS.Timeout | undefined {
    if (ms === null) return undefined
    const timer = setTimeout(() => this.#end(reason), Math.min(ms, LONGEST_TIMER_MS))
    this.#timers.push(timer)
    return timer
  }

  #end(reason: Stop): void {
    if (this.#stop !== undefined || this.#protocol.reader.hasEnded()) return
    this.#stop = reason
    this.#stopping = this.#stopTurn()
  }

  /** Asks the agent to end the turn; ends the process if that takes too long. */
  async #stopTurn(): Promise<void> {
    this.queue.hurry()
    this.#protocol.cancel()
    await raceTime(this.#over.promise, CANCEL_WAIT_MS)
    if (!this.#protocol.reader.hasEnded()) await this.#agent.end()
    this.#finish()
  }

  #finish(): void {
    this.#over.resolve()
    this.queue.end()
  }
}
