/**
 * The processes of agents that stay up. The decisions are pure (pool-rules.ts). A prompt never waits for a process that may
 * not work: the first processes of a program are started in the background, while its prompts run in separate processes.
 */
import { toErrorMessage } from '../../kit/fault.ts'
import { availableMemoryShare } from '../../kit/process/resources.ts'
import { raceTime } from '../../kit/race.ts'
import type { AgentRequest, Backend } from '../adapter/agent.ts'
import { newScratchDirectory } from '../scratch-files.ts'
import type { LongLivedAgent } from '../warm/long-lived-agent.ts'
import { PoolHistory } from './pool-history.ts'
import { type PoolKey, toPoolKey } from './pool-key.ts'
import {
  chooseProcess,
  findExpired,
  type HeldSession,
  makeRoom,
  type PooledProcess,
  START_MS,
  startWaitMs,
  type WarmLimits,
  wantsSpare,
  withoutSession,
  withSession,
} from './pool-rules.ts'
import { findWarmBackend, type WarmBackend } from './warm-backends.ts'

/** A spare is started when the turn ends, but no later than this: the start would slow down the turn. */
const SPARE_DELAY_MS = 1000
/** The answer does not wait for what follows its turn: the memory is measured and the next process started after it. */
const AFTER_TURN_MS = 20
const SWEEP_MS = { least: 20, most: 10_000 }

export type WarmPoolOptions = {
  limits: WarmLimits
  /** Marks the processes, so that they are found if this process dies without ending them. */
  owner: () => Promise<string | undefined>
  /** Gets the reason when an agent cannot stay up; once, until it starts or was not asked for during a long time. */
  onFailure: (failure: { backend: Backend; reason: string }) => void
  /** A prompt for which no process is up starts one that stays up, also if its program has never been started so. */
  startsAtOnce?: boolean
}

/** A prompt on its way through the pool. `agent` is undefined if it needs a separate process. */
export type PoolLease = {
  agent: LongLivedAgent | undefined
  /** Call it when the turn has ended, however it ended. */
  done(): void
}

/** What a process is doing, for users. */
export type WarmProcessReport = { backend: Backend; state: PooledProcess['state']; turns: number; idleMs: number }

type Entry = { -readonly [K in keyof PooledProcess]: PooledProcess[K] } & {
  backend: Backend
  /** Undefined if it does not start. */
  ready: Promise<LongLivedAgent | undefined>
  agent: LongLivedAgent | undefined
  stop: AbortController
}

export class WarmPool {
  readonly #options: WarmPoolOptions
  readonly #entries = new Map<number, Entry>()
  readonly #history: PoolHistory
  readonly #afterTurns = new DeferredWork(AFTER_TURN_MS)
  readonly #sweeper: NodeJS.Timeout
  #lastId = 0
  #isClosed = false

  constructor(options: WarmPoolOptions) {
    this.#options = options
    this.#history = new PoolHistory({ usesPerPlace: options.limits.spareAfter })
    const sweepMs = Math.min(Math.max(options.limits.idleMs / 4, SWEEP_MS.least), SWEEP_MS.most)
    this.#sweeper = setInterval(() => this.#sweep(), sweepMs).unref()
  }

  /** Undefined: such a request always needs a separate process. */
  async take(asked: PoolRequest): Promise<PoolLease | undefined> {
    const plan = this.#isClosed ? undefined : toPlan(asked)
    if (plan === undefined) return undefined
    // Stryker disable next-line CallExpression: it only does sooner what is done anyway
    this.#afterTurns.flush()
    this.#history.noteUse(plan.key)
    const { chosen, endings } = this.#choose(plan)
    // Before anything else can run: from here on no other prompt and no limit takes the process away.
    if (chosen !== undefined) chosen.state = 'busy'
    // Until its end, the process before has a lock on the session, or has yet to write what the session has cost.
    if (plan.session !== undefined) await Promise.all(endings)
    const entry = chosen ?? this.#startFor(plan)
    if (entry !== undefined) entry.state = 'busy'
    this.#outdate(plan, entry)
    const agent = entry && (await raceTime(entry.ready, startWaitMs(plan.request)))
    if (agent === undefined) void this.#end(entry)
    return this.#toLease(plan, agent && entry)
  }

  list(): WarmProcessReport[] {
    const now = performance.now()
    return [...this.#entries.values()].map(({ backend, state, turns, lastUsedAt }) => {
      return { backend, state, turns, idleMs: state === 'idle' ? Math.round(now - lastUsedAt) : 0 }
    })
  }

  /** Ends the idle processes now, and the others when their turn has ended. */
  async close(): Promise<void> {
    this.#isClosed = true
    clearInterval(this.#sweeper)
    const unused = [...this.#entries.values()].filter(({ state }) => state !== 'busy')
    await Promise.all(unused.map((entry) => this.#end(entry)))
  }

  #choose(plan: PromptPlan): { chosen: Entry | undefined; endings: Promise<void>[] } {
    const { key, session, backend } = plan
    const { use, retire } = chooseProcess([...this.#entries.values()], {
      key,
      session,
      isOneSession: backend.isOneSession,
      loadsSessions: backend.loadsSessions,
      locksSessions: backend.locksSessions === true,
    })
    const endings = retire.map((id) => this.#end(this.#entries.get(id)))
    return { chosen: use === undefined ? undefined : this.#entries.get(use), endings }
  }

  /** Starts a process for this prompt, where no other process would do and the program is known to start. */
  #startFor(plan: PromptPlan): Entry | undefined {
    const { request, backend } = plan
    const canContinue = plan.session === undefined || backend.isOneSession || backend.loadsSessions
    const continuesSession = backend.isOneSession && plan.session !== undefined
    const isNeeded =
      this.#options.startsAtOnce || request.hasApprover || (continuesSession && this.#history.hasStarted(request))
    if (!canContinue || !isNeeded) return undefined
    return this.#start(plan, backend.isOneSession ? request.resumeId : undefined)
  }

  #start({ request, backend, key, session }: PromptPlan, resumeId: string | undefined): Entry | undefined {
    if (this.#isClosed || !this.#history.mayStart(key)) return undefined
    const room = makeRoom([...this.#entries.values()], this.#options.limits)
    if (room === undefined) return undefined
    for (const id of room) void this.#end(this.#entries.get(id))
    this.#lastId += 1
    const now = performance.now()
    const entry: Entry = {
      id: this.#lastId,
      key,
      isOneSession: backend.isOneSession,
      state: 'starting',
      sessions: resumeId === undefined || session === undefined ? [] : [session],
      outdated: [],
      turns: 0,
      startedAt: now,
      lastUsedAt: now,
      bytes: 0,
      backend: request.backend,
      ready: Promise.resolve(undefined),
      agent: undefined,
      stop: new AbortController(),
    }
    this.#entries.set(entry.id, entry)
    entry.ready = this.#launch(entry, { ...request, prompt: '', resumeId }, backend)
    return entry
  }

  async #launch(entry: Entry, request: AgentRequest, backend: WarmBackend): Promise<LongLivedAgent | undefined> {
    const limit = setTimeout(() => entry.stop.abort(), START_MS)
    const scratchDirectory = newScratchDirectory()
    try {
      const owner = await this.#options.owner()
      const launch = { request: { ...request, scratchDirectory }, scratchDirectory, owner, signal: entry.stop.signal }
      const agent = await backend.start(launch)
      entry.agent = agent
      this.#history.noteStart(entry.key, request)
      if (entry.state === 'starting') entry.state = 'idle'
      entry.lastUsedAt = performance.now()
      void agent.exit.then(() => this.#entries.delete(entry.id))
      if (!this.#entries.has(entry.id)) await agent.end()
      return agent
    } catch (error) {
      if (this.#entries.delete(entry.id)) this.#noteFailure(entry, error)
      return undefined
    } finally {
      clearTimeout(limit)
    }
  }

  #noteFailure({ key, backend }: Entry, error: unknown): void {
    if (this.#history.noteFailure(key) === 1) this.#options.onFailure({ backend, reason: toErrorMessage(error) })
  }

  /** The session is resumed in `entry` or in a separate process: what others know of it is out of date. */
  #outdate({ session }: PromptPlan, entry: Entry | undefined): void {
    if (session === undefined) return
    for (const other of this.#entries.values()) {
      if (other !== entry) Object.assign(other, withoutSession(other, session.id))
    }
  }

  #toLease(plan: PromptPlan, entry: Entry | undefined): PoolLease {
    const spare = setTimeout(() => this.#startSpare(plan, entry === undefined), SPARE_DELAY_MS).unref()
    return {
      agent: entry?.agent,
      done: () => {
        clearTimeout(spare)
        if (entry !== undefined) this.#release(entry, plan)
        this.#afterTurns.add(() => {
          if (entry?.state === 'idle') void this.#measure(entry)
          // A process that ended with its turn lacks for the next prompt.
          this.#startSpare(plan, entry === undefined || !this.#entries.has(entry.id))
        })
      },
    }
  }

  #startSpare(plan: PromptPlan, isLacking: boolean): void {
    const { key, backend } = plan
    // A process that takes any session is enough, until a prompt finds it in use.
    if (!backend.isOneSession && !isLacking) return
    const facts = { key, isOneSession: backend.isOneSession, uses: this.#history.usesOf(key) }
    const now = performance.now()
    if (!wantsSpare([...this.#entries.values()], { ...facts, now, limits: this.#options.limits })) return
    this.#start(plan, undefined)
  }

  #release(entry: Entry, { request, session, backend, sessionTurns }: PromptPlan): void {
    const facts = entry.agent?.facts()
    entry.turns = facts?.turns ?? entry.turns
    entry.lastUsedAt = performance.now()
    const isSpent = backend.isOneSession && request.isEphemeral
    if (this.#isClosed || isSpent || !facts?.isAlive || !facts.isReusable) return void this.#end(entry)
    const id = facts.sessionId ?? session?.id
    if (id !== undefined && !request.isEphemeral) {
      const held = { id, turns: sessionTurns + 1, parts: describeParts(backend, request) }
      entry.sessions = withSession(entry.sessions, held)
    }
    entry.state = 'idle'
  }

  async #measure(entry: Entry): Promise<void> {
    entry.bytes = (await entry.agent?.residentBytes()) ?? 0
    this.#sweep()
  }

  #sweep(): void {
    this.#history.forgetOldFailures()
    const facts = { now: performance.now(), limits: this.#options.limits, availableShare: availableMemoryShare() }
    for (const id of findExpired([...this.#entries.values()], facts)) void this.#end(this.#entries.get(id))
  }

  /** From here on no prompt finds the process. */
  async #end(entry: Entry | undefined): Promise<void> {
    if (entry === undefined) return
    this.#entries.delete(entry.id)
    entry.stop.abort()
    await entry.agent?.end()
    await entry.ready.catch(() => undefined)
  }
}

/** Work that can wait a moment, so that an answer does not wait for it. */
class DeferredWork {
  readonly #delayMs: number
  readonly #waiting = new Set<() => void>()

  constructor(delayMs: number) {
    this.#delayMs = delayMs
  }

  add(work: () => void): void {
    const run = () => {
      clearTimeout(timer)
      if (this.#waiting.delete(run)) work()
    }
    const timer = setTimeout(run, this.#delayMs).unref()
    this.#waiting.add(run)
  }

  /** Runs deferred work now. */
  flush(): void {
    for (const run of this.#waiting) run()
  }
}

type PoolRequest = {
  request: AgentRequest
  /** The id of the API key; empty without one. Two clients never share a process. */
  client: string
  /** How many turns the session had that the prompt continues. */
  sessionTurns: number
}

type PromptPlan = PoolRequest & { backend: WarmBackend; key: PoolKey; session: HeldSession | undefined }

/** What a prompt needs from the pool. Undefined: the prompt needs a separate process. */
export function toPlan(asked: PoolRequest): PromptPlan | undefined {
  const { request, client, sessionTurns } = asked
  const backend = findWarmBackend(request)
  // Without ACP, an agent learns it from the environment of its process.
  const needsTrace = request.trace !== undefined && request.trace.isOwn !== true
  if (needsTrace && backend?.getsTrace !== true) return undefined
  const key = backend && toPoolKey(request, backend, client)
  if (backend === undefined || key === undefined) return undefined
  const { resumeId: id } = request
  const session = id === undefined ? undefined : { id, turns: sessionTurns, parts: describeParts(backend, request) }
  return { ...asked, backend, key, session }
}

function describeParts(backend: WarmBackend, request: AgentRequest): string {
  return JSON.stringify(backend.sessionParts(request))
}
