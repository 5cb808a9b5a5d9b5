/** Does what other servers ask of the runs of this machine. */
import type { RunCalls, TakenCall } from '../../executions/store/run-calls.ts'
import type { Log } from '../../kit/log.ts'
import { CALL_FAILED, type Perform, performCall, type RemoteCall } from './remote-call.ts'

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
