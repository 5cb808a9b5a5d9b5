/** The decisions of the pool. Pure: the processes and the clock are around them (warm-pool.ts). */
import type { PoolKey } from './pool-key.ts'

export const SPARE_WINDOW_MS = 10 * 60_000
/** Below this share of available memory, idle processes are ended. */
const LOW_MEMORY_SHARE = 0.1

/** A session that a process has in memory: how many turns it had then, and what it keeps (`sessionParts`). */
export type HeldSession = { id: string; turns: number; parts: string }

export type PooledProcess = {
  id: number
  key: PoolKey
  isOneSession: boolean
  state: 'starting' | 'idle' | 'busy'
  sessions: readonly HeldSession[]
  /** Sessions that were resumed elsewhere: what this process knows of them is out of date. */
  outdated: readonly string[]
  turns: number
  startedAt: number
  lastUsedAt: number
  bytes: number
}

export type ProcessNeeds = {
  key: PoolKey
  isOneSession: boolean
  /** The session to continue. */
  session: HeldSession | undefined
  /** False: only the process that has a session in memory can continue it. */
  loadsSessions?: boolean
  /** While a process has a session in memory, no other can continue it. */
  locksSessions?: boolean
}

export type PoolChoice = {
  /** The process for the prompt; it may still be starting. Undefined: there is none. */
  use: number | undefined
  /** Processes that must end, because they are out of date. */
  retire: readonly number[]
}

export function chooseProcess(processes: readonly PooledProcess[], needs: ProcessNeeds): PoolChoice {
  const stale = processes.filter((each) => each.state === 'idle' && isOutOfDate(each, needs))
  const retire = stale.map(({ id }) => id)
  const usable = processes.filter((each) => !stale.includes(each) && isSameKey(each.key, needs.key))
  return { use: findUsable(usable, needs)?.id, retire }
}

/** The files have changed since the process was started, or its session was resumed elsewhere. */
function isOutOfDate(process: PooledProcess, { key, session, locksSessions = false }: ProcessNeeds): boolean {
  if (process.key.place === key.place && process.key.stamp !== key.stamp) return true
  const held = session && process.sessions.find(({ id }) => id === session.id)
  if (held === undefined || !(process.isOneSession || locksSessions)) return false
  return !isSameKey(process.key, key) || !isSameSession(held, session)
}

function findUsable(usable: readonly PooledProcess[], needs: ProcessNeeds): PooledProcess | undefined {
  const { session, isOneSession, loadsSessions = true } = needs
  const idle = usable.filter(({ state }) => state === 'idle').sort((a, b) => b.lastUsedAt - a.lastUsedAt)
  if (session !== undefined) {
    const holder = idle.find(({ sessions }) => sessions.some((held) => isSameSession(held, session)))
    if (holder !== undefined || isOneSession || !loadsSessions) return holder
    return idle.find((process) => !knows(process, session.id))
  }
  const free = isOneSession ? idle.filter(({ turns }) => turns === 0) : idle
  return free[0] ?? usable.find(({ state }) => state === 'starting')
}

function knows({ sessions, outdated }: PooledProcess, sessionId: string): boolean {
  return outdated.includes(sessionId) || sessions.some(({ id }) => id === sessionId)
}

function isSameKey(a: PoolKey, b: PoolKey): boolean {
  return a.place === b.place && a.stamp === b.stamp
}

function isSameSession(a: HeldSession, b: HeldSession | undefined): boolean {
  return b !== undefined && a.id === b.id && a.turns === b.turns && a.parts === b.parts
}

/** What a process has in memory and knows to be out of date, after a session was resumed elsewhere. */
export function withoutSession(
  { sessions, outdated }: Pick<PooledProcess, 'sessions' | 'outdated'>,
  sessionId: string,
): Pick<PooledProcess, 'sessions' | 'outdated'> {
  const others = sessions.filter(({ id }) => id !== sessionId)
  return others.length === sessions.length
    ? { sessions, outdated }
    : { sessions: others, outdated: [...outdated, sessionId] }
}

/** What a process has in memory after a turn of a session. */
export function withSession(sessions: readonly HeldSession[], held: HeldSession): HeldSession[] {
  return [...sessions.filter(({ id }) => id !== held.id), held]
}

/** Whether to start a process for the next prompt of a key. `uses`: when the key was used. */
export function wantsSpare(
  processes: readonly PooledProcess[],
  {
    key,
    isOneSession,
    uses,
    now,
    limits,
  }: Omit<ProcessNeeds, 'session'> & { uses: readonly number[]; now: number; limits: WarmLimits },
): boolean {
  const recent = uses.filter((at) => now - at <= SPARE_WINDOW_MS).length
  if (recent < limits.spareAfter) return false
  const waiting = processes.filter((each) => isSameKey(each.key, key) && isWaiting(each, isOneSession))
  return waiting.length < limits.spares
}

function isWaiting({ state, turns }: PooledProcess, isOneSession: boolean): boolean {
  return state === 'starting' || (state === 'idle' && (!isOneSession || turns === 0))
}

/** What must end before another process may start; undefined: there is no room, because all are in use. */
export function makeRoom(processes: readonly PooledProcess[], { maxProcesses }: WarmLimits): number[] | undefined {
  const excess = processes.length + 1 - maxProcesses
  const idle = oldestFirst(processes.filter(({ state }) => state === 'idle'))
  return excess > idle.length ? undefined : idle.slice(0, Math.max(0, excess)).map(({ id }) => id)
}

/** The idle processes that have reached a limit. A process in use is never among them. */
export function findExpired(
  processes: readonly PooledProcess[],
  { now, limits, availableShare }: { now: number; limits: WarmLimits; availableShare: number },
): number[] {
  const idle = oldestFirst(processes.filter(({ state }) => state === 'idle'))
  const isPressed = availableShare < LOW_MEMORY_SHARE
  const expired = idle.filter((each) => isPressed || isExpired(each, now, limits))
  const excess = processes.length - expired.length - limits.maxProcesses
  const more = idle.filter((each) => !expired.includes(each)).slice(0, Math.max(0, excess))
  return [...expired, ...more].map(({ id }) => id)
}

function isExpired(process: PooledProcess, now: number, limits: WarmLimits): boolean {
  const { turns, startedAt, lastUsedAt, bytes } = process
  if (turns >= limits.maxTurns || bytes > limits.maxBytes) return true
  return now - lastUsedAt >= limits.idleMs || now - startedAt >= limits.maxAgeMs
}

function oldestFirst(processes: readonly PooledProcess[]): PooledProcess[] {
  return processes.toSorted((a, b) => a.lastUsedAt - b.lastUsedAt)
}

/** How long an agent may take to start. */
export const START_MS = 15_000

/**
 * How long a prompt waits for a process that is starting: about as long as a separate process would take. A prompt
 * whose agent may ask a person waits for the whole start: in a separate process the agent cannot ask, and everything is denied.
 */
export function startWaitMs({ hasApprover }: { hasApprover?: boolean | undefined }): number {
  return hasApprover ? START_MS : START_MS / 3
}

export const LONGEST_RETRY_MS = 10 * 60_000
const FIRST_RETRY_MS = 1000
const RETRY_FACTOR = 4

/**
 * How long to wait after a process failed to start this many times in a row. One that was killed is replaced soon; an agent that
 * does not know the protocol is hardly started in vain.
 */
export function retryAfterMs(timesFailed: number): number {
  return Math.min(FIRST_RETRY_MS * RETRY_FACTOR ** (timesFailed - 1), LONGEST_RETRY_MS)
}

/** The limits of the pool, as the settings give them. */
export type WarmLimits = {
  maxProcesses: number
  idleMs: number
  maxTurns: number
  maxAgeMs: number
  maxBytes: number
  /** How many processes wait for the next prompt of a key that is in use. */
  spares: number
  /** How often a key must be used within `SPARE_WINDOW_MS` to get them. */
  spareAfter: number
}

/** The settings of the `warm` section that limit processes. */
type WarmSettings = {
  max_processes: number
  idle_secs: number
  max_turns: number
  max_age_secs: number
  max_rss_mb: number
  spares: number
  spare_after: number
}

export function toWarmLimits(settings: WarmSettings): WarmLimits {
  return {
    maxProcesses: settings.max_processes,
    idleMs: settings.idle_secs * 1000,
    maxTurns: settings.max_turns,
    maxAgeMs: settings.max_age_secs * 1000,
    maxBytes: settings.max_rss_mb * 1024 * 1024,
    spares: settings.spares,
    spareAfter: settings.spare_after,
  }
}
