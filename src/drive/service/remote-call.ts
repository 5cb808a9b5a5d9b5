/** What a server asks of the machine that has a run: the request, with the rights of its sender, and the answer. */
import type { RunCalls, TakenCall } from '../../executions/store/run-calls.ts'
import { Fault, type FaultKind } from '../../kit/fault.ts'
import type { Log } from '../../kit/log.ts'
import type { Caller } from '../../prompts/caller.ts'
import type { PatchPart } from '../../workspace/worktrees/diff-worktree.ts'
import type { WorkAct } from '../act/act-on-run.ts'
import type { QueuePlace } from '../decide/queue.ts'
import { driveNotPermitted } from '../faults.ts'
import type { DrivenDiff, DrivenRun } from './driven-run.shape.ts'
import type { DrivenRuns } from './driven-runs.ts'
import type { OfAction } from './run-service.ts'
import type { DriveResumeRequest, DriveStartRequest, MoreWork, Rights } from './run-starter.ts'

/** What only the machine of the run can do. */
export type Work =
  | { do: 'start'; request: DriveStartRequest }
  | { do: 'diff'; id: string; part?: PatchPart | undefined }
  | { do: 'answer'; id: string; given: OfAction & { text: string } }
  | { do: 'confirm'; id: string; given: OfAction & { scopeSha256: string } }
  | { do: 'skip'; id: string; given: OfAction }
  | { do: 'stop'; id: string }
  | { do: 'move'; id: string; place: QueuePlace }
  | { do: 'resume'; id: string; given: DriveResumeRequest }
  | { do: 'follow_up'; id: string; given: MoreWork }
  | { do: 'act'; id: string; act: WorkAct }

export type RemoteCall = {
  /** With what its server allows it: a worker may have no keys. */
  by: Caller
  /** The one that has started the run; undefined if it may not run agents any more, or is the user. */
  starter: Caller | undefined
  work: Work
}

type RemoteAnswer = { value: DrivenRun | DrivenDiff } | { fault: { code: string; kind: FaultKind; message: string } }

type Perform = (work: Work, by: Caller, rights: Rights) => Promise<DrivenRun | DrivenDiff>

/** Does what another server asks for, with the rights that it names. */
export async function performCall({ work, by, starter }: RemoteCall, perform: Perform): Promise<string> {
  try {
    // The user of another machine comes as a client.
    if (by.is === 'user') throw driveNotPermitted({ key: undefined })
    return encode({ value: await perform(work, by, rightsIn({ by, starter })) })
  } catch (error) {
    if (!(error instanceof Fault)) throw error
    const { code, kind, message } = error
    return encode({ fault: { code, kind, message } })
  }
}

/** Throws what the machine reported. */
export function readAnswer(text: string): DrivenRun | DrivenDiff {
  const answer = JSON.parse(text) as RemoteAnswer
  if ('value' in answer) return answer.value
  throw new Fault({ ...answer.fault, details: {} })
}

/** The answer to a call that failed because of a bug. */
const CALL_FAILED = encode({
  fault: {
    code: 'internal_error',
    kind: 'internal',
    message: 'an internal error; the log of the worker has the reason',
  },
})

function encode(answer: RemoteAnswer): string {
  return JSON.stringify(answer)
}

function rightsIn({ by, starter }: Omit<RemoteCall, 'work'>): Rights {
  return (who) => {
    if (who.is === 'user') return who
    const isCaller = by.is === 'client' && by.key?.id === who.key?.id
    return isCaller ? by : starter
  }
}

/** On the machine that has the run. */
export async function performWork(
  runs: DrivenRuns,
  work: Work,
  { by, rights }: { by: Caller; rights?: Rights },
): Promise<DrivenRun | DrivenDiff> {
  switch (work.do) {
    case 'start':
      return await runs.start(by, work.request)
    case 'diff':
      return await runs.diff(by, work.id, work.part)
    case 'answer':
      return await runs.answer(by, work.id, { ...work.given, rights })
    case 'confirm':
      return await runs.confirm(by, work.id, { ...work.given, rights })
    case 'skip':
      return await runs.skip(by, work.id, { ...work.given, rights })
    case 'stop':
      return await runs.stop(by, work.id)
    case 'move':
      return await runs.move(by, work.id, work.place)
    case 'resume':
      return await runs.resume(by, work.id, { ...work.given, rights })
    case 'follow_up':
      return await runs.followUp(by, work.id, { ...work.given, rights })
    case 'act':
      return await runs.act(by, work.id, work.act)
  }
}

type RunnerOptions = {
  calls: RunCalls
  /** Does it with the runs of this machine. */
  perform: Perform
  log: Log
}

/** How often calls are looked for while notices do not arrive. */
const LOOK_MS = 2000
/** While they do, only every third time, in case that one is lost. */
const TOLD_TICKS = 3

/** Does what other servers ask of the runs of this machine. */
export class RemoteCallRunner {
  readonly #options: RunnerOptions
  readonly #taken = new Map<string, Promise<void>>()
  #unwatch: (() => void) | undefined
  #timer: NodeJS.Timeout | undefined
  #looking: Promise<void> | undefined
  #looksAgain = false
  #isClosed = false
  #ticks = 0

  constructor(options: RunnerOptions) {
    this.#options = options
  }

  start(): void {
    this.#unwatch ??= this.#options.calls.watch(() => this.#look())
    this.#timer ??= setInterval(() => this.#tick(), LOOK_MS)
    this.#look()
  }

  /** Takes no more calls. Resolves when those that it has taken are answered. */
  async close(): Promise<void> {
    this.#isClosed = true
    clearInterval(this.#timer)
    this.#unwatch?.()
    await this.#looking
    await Promise.all(this.#taken.values())
  }

  #tick(): void {
    this.#ticks += 1
    if (!this.#options.calls.isTold() || this.#ticks % TOLD_TICKS === 0) this.#look()
  }

  #look(): void {
    this.#looksAgain = true
    this.#looking ??= this.#takeAll()
      .catch((error: unknown) => {
        this.#options.log.warn({ reason: String(error) }, 'requests about runs could not be read')
      })
      .finally(() => {
        this.#looking = undefined
      })
  }

  async #takeAll(): Promise<void> {
    while (this.#looksAgain && !this.#isClosed) {
      this.#looksAgain = false
      for (;;) {
        const call = await this.#options.calls.take([...this.#taken.keys()])
        if (call === undefined) break
        this.#perform(call)
      }
    }
  }

  #perform({ id, request }: TakenCall): void {
    const { calls, perform, log } = this.#options
    const work = performCall(JSON.parse(request) as RemoteCall, perform)
      .catch((error: unknown) => {
        log.error({ reason: String(error) }, 'a request about a run failed')
        return CALL_FAILED
      })
      .then((answer) => calls.answer(id, answer))
      // The server that asked sees that it got no answer when this process ends, or after a while.
      .catch((error: unknown) => log.warn({ reason: String(error) }, 'an answer about a run could not be stored'))
    this.#taken.set(id, work)
    void work.then(() => this.#taken.delete(id))
  }
}
