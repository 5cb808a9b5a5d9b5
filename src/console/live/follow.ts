/** Follows a stream of the server, and connects again after every cut until it is done. */
import { isMissing, type PageProblem } from '../text/describe-missing.ts'
import { ApiError, send } from './api.ts'

/** The server sends a heartbeat every 10 seconds. */
const SILENCE_MS = 15_000
const RETRY_MS = [100, 250, 500, 1000, 2000]
/** A server that answers but sends nothing is asked again after a longer pause than others, but not after a long one. */
const MOST_FAILURES_IF_ANSWERED = 2

export type Following<T> = {
  /** The path of the stream; asked again for every connection. */
  path: () => string
  /** Called when a connection is open. The lines that arrive meanwhile are handled afterwards. */
  onOpen?: (signal: AbortSignal) => Promise<void>
  onLines: (lines: T[]) => void
  /** Called when a connection has ended: whether the stream is complete. */
  isDone: () => boolean | Promise<boolean>
  onState?: (state: 'open' | 'cut' | 'done') => void
  /** Whether it continues while the page is hidden. A browser has few connections for all its pages. */
  isNeededHidden?: () => boolean
  /** There is no such stream, or no longer. */
  onGone?: (problem: PageProblem) => void
}

/** Returns a function that stops it. */
export function follow<T>(following: Following<T>): () => void {
  const stop = new AbortController()
  void run(following, stop.signal)
  return () => stop.abort()
}

async function run<T>(following: Following<T>, stopped: AbortSignal): Promise<void> {
  for (let failures = 0; !stopped.aborted; ) {
    if (following.isNeededHidden?.() !== true) await untilVisible(stopped)
    if (stopped.aborted) return
    const { isAnswered, hadLines } = await connect(following, stopped)
    if (stopped.aborted) return
    if (await isComplete(following)) {
      following.onState?.('done')
      return
    }
    following.onState?.('cut')
    failures = hadLines ? 0 : Math.min(failures + 1, isAnswered ? MOST_FAILURES_IF_ANSWERED : RETRY_MS.length - 1)
    await pause(RETRY_MS[failures] ?? 0, stopped)
  }
}

type Connection = { isAnswered: boolean; hadLines: boolean }

/** Returns what was received. Errors only end the connection. */
async function connect<T>(following: Following<T>, stopped: AbortSignal): Promise<Connection> {
  const { path, onGone, isNeededHidden } = following
  const abort = new AbortController()
  const stop = () => abort.abort()
  const stopWatching = abortWhenHidden(abort, () => isNeededHidden?.() === true)
  stopped.addEventListener('abort', stop)
  const connection = { isAnswered: false, hadLines: false }
  try {
    const response = await send(path(), { signal: abort.signal })
    connection.isAnswered = true
    connection.hadLines = await receive(following, response, abort)
  } catch (error) {
    // The login page is shown, or there is no such thing: no connection would help.
    if (error instanceof ApiError && (error.status === 401 || isMissing(error))) {
      if (isMissing(error)) onGone?.(error)
      await never(stopped)
    }
  } finally {
    stopped.removeEventListener('abort', stop)
    stopWatching()
    abort.abort()
  }
  return connection
}

/**
 * Reads the stream and calls `onOpen` at the same time: a connection that is cut meanwhile loses what was not read yet.
 * Returns whether there were lines.
 */
async function receive<T>(following: Following<T>, response: Response, abort: AbortController): Promise<boolean> {
  const { onOpen, onLines, onState } = following
  let hadLines = false
  let held: T[] | undefined = []
  const take = (lines: T[]) => {
    if (abort.signal.aborted) return
    hadLines ||= lines.length > 0
    if (held !== undefined) held = held.concat(lines)
    else onLines(lines)
  }
  const open = async () => {
    await onOpen?.(abort.signal)
    if (abort.signal.aborted) return
    onState?.('open')
    onLines(held ?? [])
    held = undefined
  }
  const opened = open().catch((error: unknown) => {
    abort.abort()
    throw error
  })
  const read = readJsonLines<T>({ response, onLines: take, silenceMs: SILENCE_MS, abort })
  await Promise.allSettled([opened, read])
  await opened
  return hadLines
}

async function isComplete<T>({ isDone }: Following<T>): Promise<boolean> {
  try {
    return await isDone()
  } catch {
    return false
  }
}

/** A page that becomes visible, or a network that comes back, ends the pause. */
function pause(ms: number, stopped: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(end, ms)
    function end(): void {
      clearTimeout(timer)
      for (const [target, name] of WAKERS) target.removeEventListener(name, end)
      stopped.removeEventListener('abort', end)
      resolve()
    }
    for (const [target, name] of WAKERS) target.addEventListener(name, end)
    stopped.addEventListener('abort', end)
  })
}

const WAKERS: readonly [EventTarget, string][] = [
  [window, 'online'],
  [document, 'visibilitychange'],
]

function never(stopped: AbortSignal): Promise<void> {
  return new Promise((resolve) => stopped.addEventListener('abort', () => resolve()))
}

/** Reads a stream of JSON lines. Throws if the connection fails, or is silent for too long: the server sends a heartbeat. */

type LineStream<T> = {
  response: Response
  onLines: (lines: T[]) => void
  silenceMs: number
  abort: AbortController
}

async function readJsonLines<T>({ response, onLines, silenceMs, abort }: LineStream<T>): Promise<void> {
  const reader = response.body?.getReader()
  if (reader === undefined) return
  const decoder = new TextDecoder()
  let rest = ''
  for (;;) {
    const silence = setTimeout(() => abort.abort(), silenceMs)
    const { done, value } = await reader.read().finally(() => clearTimeout(silence))
    if (done) return
    const lines = (rest + decoder.decode(value, { stream: true })).split('\n')
    rest = lines.pop() ?? ''
    onLines(lines.filter((line) => line !== '').map((line) => JSON.parse(line)))
  }
}

/** Whether the page is visible. Browsers allow six connections to a server, for all pages together. */

/** A user who only looks at another page for a moment should not wait. */
const HIDDEN_MS = 30_000

/** Aborts when the page has been hidden for a while. Returns a function that stops watching. */
function abortWhenHidden(abort: AbortController, isNeeded: () => boolean): () => void {
  let timer: ReturnType<typeof setTimeout> | undefined
  const note = () => {
    clearTimeout(timer)
    if (!document.hidden) return
    timer = setTimeout(() => {
      if (!isNeeded()) abort.abort()
    }, HIDDEN_MS)
  }
  document.addEventListener('visibilitychange', note)
  note()
  return () => {
    clearTimeout(timer)
    document.removeEventListener('visibilitychange', note)
  }
}

function untilVisible(stopped: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const note = () => {
      if (document.hidden && !stopped.aborted) return
      document.removeEventListener('visibilitychange', note)
      stopped.removeEventListener('abort', note)
      resolve()
    }
    document.addEventListener('visibilitychange', note)
    stopped.addEventListener('abort', note)
    note()
  })
}

/** A page that is hidden or covered has no frames, and one that is very large has few. */
const WITHOUT_FRAME_MS = 250

/** Calls a function at most once per frame with all items that came meanwhile. */
export function batchPerFrame<T>(handle: (items: T[]) => void): { add(items: readonly T[]): void; flush(): void } {
  let waiting: T[] = []
  let isScheduled = false
  const flush = () => {
    isScheduled = false
    if (waiting.length === 0) return
    const items = waiting
    waiting = []
    handle(items)
  }
  const schedule = () => {
    if (isScheduled) return
    isScheduled = true
    // Whichever comes second finds nothing, or what came since then.
    setTimeout(flush, WITHOUT_FRAME_MS)
    requestAnimationFrame(flush)
  }
  return {
    add(items) {
      // One by one: a call with very many arguments overflows the stack.
      for (const item of items) waiting.push(item)
      schedule()
    },
    flush,
  }
}
