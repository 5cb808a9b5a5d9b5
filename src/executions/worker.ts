/** Runs the prompts that wait in the queue of many machines. */
import type { Log } from '../kit/log.ts'
import type { Caller } from '../prompts/caller.ts'
import type { PromptContext } from '../prompts/prompt-context.ts'
import { runPromptToEnd } from '../prompts/run-prompt.ts'
import { createWorkdirPolicy } from '../prompts/workdir-policy.ts'
import { fromQueuedText, type QueuedPrompt } from './dispatch-prompts.ts'
import type { Executions } from './local-executions.ts'
import type { ExecutionStore } from './store/execution-store.ts'
import { type ClaimedWork, defaultDirectory, type WorkerFacts, type WorkQueue } from './store/work-queue.ts'

export type WorkerOptions = {
  queue: WorkQueue
  store: ExecutionStore
  executions: Executions
  /** What this worker can run. It may change while it runs. */
  facts(): WorkerFacts
  /** How many prompts run at once on all machines together. 0: no limit. */
  limits: { perKey: number; perBackend: number }
  /** Ends the prompts that run. */
  signal: AbortSignal
  log: Log
}

type ContextFor = (by: Caller) => PromptContext

/** How often the queue is looked at while notices do not arrive, or while something waits: no notice says that a limit allows it now. */
const LOOK_MS = 2000
/** The same otherwise, in case a notice is lost. What is not kept is removed this often too. */
const TIDY_MS = 10_000

export class Worker {
  readonly #options: WorkerOptions
  /** By execution id. */
  readonly #running = new Map<string, Promise<void>>()
  readonly #timers: NodeJS.Timeout[] = []
  #contextFor: ContextFor | undefined
  #unwatch: () => void = () => {}
  #announced = ''
  #isLooking = false
  /** When the queue was last looked at. */
  #hasWaiting = false
  #looksAgain = false
  #isStopped = false
  readonly #drained = Promise.withResolvers<void>()
  /** A claim failed, and PostgreSQL may have made it all the same. */
  #mayHaveMore = false

  constructor(options: WorkerOptions) {
    this.#options = options
  }

  /** `contextFor` gives the context that the prompts of a caller run in. */
  async start(contextFor: ContextFor): Promise<void> {
    const { queue, store, facts } = this.#options
    this.#contextFor = (by) => confineTo(facts().repositories, contextFor(by))
    await queue.endDraining()
    await this.#announce()
    this.#unwatch = store.watch(({ type }) => {
      if (type === 'queue' || type === 'missed') this.#look()
    })
    const tidy = () => {
      void queue.removeUnkept().catch(() => {})
      this.#look()
    }
    this.#timers.push(
      setInterval(() => {
        if (this.#hasWaiting || !store.isTold()) this.#look()
      }, LOOK_MS),
      setInterval(tidy, TIDY_MS),
    )
    this.#look()
  }

  /** Resolves when the machine was told to drain, and what ran has ended. */
  get drained(): Promise<void> {
    return this.#drained.promise
  }

  /** What it can run has changed. */
  readonly noteFacts = (): void => {
    if (this.#contextFor !== undefined && !this.#isStopped) this.#look()
  }

  /** Takes no more work. Resolves when what runs has ended. */
  async stop(): Promise<void> {
    this.#takeNoMore()
    await this.#options.queue.announce(undefined).catch(() => {})
    await this.#finish()
  }

  #takeNoMore(): void {
    this.#isStopped = true
    for (const timer of this.#timers) clearInterval(timer)
    this.#unwatch()
  }

  async #finish(): Promise<void> {
    while (this.#running.size > 0) await Promise.all(this.#running.values())
  }

  /** While something runs here, the machine has a worker: turns that wait for it do not end yet. */
  async #drain(): Promise<void> {
    const { queue, log } = this.#options
    this.#takeNoMore()
    log.info({ running: this.#running.size }, 'this machine drains: it takes no more prompts')
    await this.#finish()
    await queue.announce(undefined).catch(() => {})
    this.#drained.resolve()
  }

  #look(): void {
    this.#looksAgain = true
    if (this.#isLooking) return
    this.#isLooking = true
    void this.#claimAll()
      .catch((error: unknown) => {
        this.#mayHaveMore = true
        this.#options.log.warn({ reason: String(error) }, 'the queue could not be read')
      })
      .finally(() => {
        this.#isLooking = false
      })
  }

  async #claimAll(): Promise<void> {
    const { queue, facts, limits } = this.#options
    while (this.#looksAgain && !this.#isStopped) {
      this.#looksAgain = false
      const { isDraining, hasWaiting } = await queue.look()
      if (isDraining) return void this.#drain()
      this.#hasWaiting = hasWaiting
      await this.#announce()
      if (this.#mayHaveMore) await queue.release([...this.#running.keys()])
      this.#mayHaveMore = false
      while (hasWaiting && !this.#isStopped && this.#running.size < capacity(facts())) {
        const work = await queue.claim(facts(), limits)
        if (work === undefined) break
        this.#run(work)
      }
    }
  }

  /** A process that others took for dead is not known as a worker any more. */
  async #announce(): Promise<void> {
    const { queue, facts } = this.#options
    const known = JSON.stringify(facts())
    if (known === this.#announced) return
    await queue.announce(facts())
    this.#announced = known
  }

  #run(work: ClaimedWork): void {
    const run = this.#runOne(work).catch((error: unknown) => {
      this.#options.log.error({ execution: work.id, reason: String(error) }, 'a prompt from the queue failed')
    })
    this.#running.set(work.id, run)
    void run.then(() => {
      this.#running.delete(work.id)
      this.#look()
    })
  }

  async #runOne({ id, request: text, lastSeq, createdAt }: ClaimedWork): Promise<void> {
    const { signal } = this.#options
    if (this.#contextFor === undefined) return
    const queued = fromQueuedText(text)
    const { client: key, role = 'client', caller: is, ...origin } = queued.context
    const own = this.#contextFor({ is, role, key, ...origin, depth: queued.depth })
    // The server that got the prompt knows how long it has waited.
    const { waited: _, ...observer } = own.observer ?? {}
    const context = { ...own, observer, dispatch: undefined }
    const options = { ...queued.execution, id, continues: { lastSeq, createdAt } }
    let hasBegun = false
    try {
      await runPromptToEnd(queued.request, context, {
        signal: AbortSignal.any([signal]),
        execution: { ...options, onBegin: () => (hasBegun = true) },
      })
    } catch (error) {
      if (!hasBegun) await this.#fail(queued, options, error)
    }
  }

  /** Something was wrong with the prompt, so nothing was run. */
  async #fail(
    { request, execution, context: { client } }: QueuedPrompt,
    options: { id: string; continues: { lastSeq: number; createdAt: string } },
    error: unknown,
  ): Promise<void> {
    const { kind = 'prompt', isEphemeral = false } = execution
    const recording = this.#options.executions.begin({
      ...execution,
      ...options,
      ...{ kind, isEphemeral, client, backend: request.backend, onCancel: () => {} },
    })
    await recording.abandon(error)
  }
}

/** How many executions it takes. */
function capacity({ slots, lent = 0 }: WorkerFacts): number {
  return slots + lent
}

/** Links are resolved here, on the machine that has them: the queue compares names. */
function confineTo(repositories: readonly string[], prompts: PromptContext): PromptContext {
  const workdirs = createWorkdirPolicy({ ...(prompts.workdirs ?? { allowed: [], blocked: [] }), repositories })
  return { ...prompts, cwd: defaultDirectory(repositories, prompts.cwd), workdirs }
}
