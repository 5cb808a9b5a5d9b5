/*
 * The one way drover starts processes. No shell, ever. The child leads a process group of its own, and whatever it starts
 * is part of its tree (process-tree.ts). A process ends by itself, at its deadline or because it is cancelled, and the
 * first of these counts. A non-zero exit is a result; the only thing thrown is that the process could not be started.
 */
import { type ChildProcessByStdio, spawn } from 'node:child_process'
import { once } from 'node:events'
import { Readable, type Writable } from 'node:stream'
import { setTimeout as delay } from 'node:timers/promises'
import { programOutputTooLarge } from '../faults.ts'
import { keepTail, relayOutput } from './child-output.ts'
import { endTree } from './end-tree.ts'
import { markEnvironment, ProcessTree } from './process-tree.ts'
import { refuseBadArguments, startFault } from './start-fault.ts'

/** With all that comes after it, a tree is gone within 5 s whatever it tries. */
const DEFAULT_GRACE_MS = 2000
const DEFAULT_STDERR_LIMIT_BYTES = 64 * 1024
/** A longer timer fires at once. */
const LONGEST_TIMER_MS = 2 ** 31 - 1
/** What hangs in the kernel or runs as another user outlives our SIGKILL; nobody waits for it longer than this. */
const REAP_WAIT_MS = 500

export type ProcessCommand = {
  argv: readonly [program: string, ...args: string[]]
  /** What faults call the program, in place of its path. */
  shownAs?: string | undefined
  cwd: string
  /** The whole environment; only the mark of the tree is added. A filter should let TREE_VARIABLE pass. */
  env: Readonly<Record<string, string>>
  /** Written and closed; without it the child reads from an empty file. */
  stdin?: string | Uint8Array
  /** Null: no deadline. */
  timeoutMs: number | null
  /** If it is aborted beforehand nothing is started, and the result is `cancelled` like any other. */
  signal: AbortSignal
  /** Whether processes that a child leaves behind are ended also when it ends by itself, or only when we end it. */
  sweep: 'always' | 'when-ended'
  /** `SIGINT` goes to the child alone, for one that then ends its tools itself; all others get `SIGTERM` after it. */
  cancelSignal?: 'SIGINT' | 'SIGTERM'
  /** From the first signal to SIGKILL. */
  graceMs?: number
  stderrLimitBytes?: number
}

export type ProcessExit = {
  /** Null: never started, because it was cancelled before. */
  pid: number | null
  code: number | null
  signal: NodeJS.Signals | null
  /** Until the child itself had gone, whatever it left behind. */
  durationMs: number
  ended: Ended
  /** SIGKILL was needed for somebody in the tree. */
  forced: boolean
  stderrTail: string
}

type Ended = 'itself' | 'timeout' | 'cancelled'

export type RunningProcess = {
  pid: number | null
  /**
   * A child that writes more than the pipe holds waits until this is read; to stop reading early (`break`, `destroy`)
   * cancels the process. It never fails, and after the end it can still be read to its end.
   */
  stdout: Readable
  /** Never rejects. Resolves when the tree has gone, as far as `sweep` asks, without waiting for the reader of stdout. */
  exit: Promise<ProcessExit>
}

type Child = ChildProcessByStdio<Writable | null, Readable, Readable>
type Death = Pick<ProcessExit, 'code' | 'signal' | 'durationMs'>

const running = new Set<{ cancel: () => void; kill: () => Promise<unknown>; exit: Promise<ProcessExit> }>()

/** Throws a Fault if the process cannot be started; then nothing is left running. */
export async function startProcess(command: ProcessCommand): Promise<RunningProcess> {
  refuseBadArguments(command)
  if (command.signal.aborted) return notStarted()
  const startedAt = performance.now()
  const { treeId, env } = markEnvironment(command.env)
  const child = spawnChild(command, env)
  // From here to the listeners in `follow` nothing may wait: an abort or exit in between would be missed.
  if (child.pid === undefined) {
    const [error] = await once(child, 'error')
    throw startFault(command, error)
  }
  const tree = new ProcessTree({ pid: child.pid, treeId })
  return follow(command, { child, tree, startedAt })
}

/** Runs a short command and returns its whole output. One that prints more is ended, and a Fault is thrown. */
export async function runProcess(
  command: ProcessCommand,
  { stdoutLimitBytes }: { stdoutLimitBytes: number },
): Promise<{ exit: ProcessExit; stdout: Buffer }> {
  const { stdout, exit: exited } = await startProcess(command)
  const chunks: Buffer[] = []
  let bytes = 0
  for await (const chunk of stdout) {
    bytes += chunk.length
    if (bytes > stdoutLimitBytes) break
    chunks.push(chunk)
  }
  const exit = await exited
  if (bytes > stdoutLimitBytes) {
    throw programOutputTooLarge({ program: command.argv[0], limitBytes: stdoutLimitBytes })
  }
  return { exit, stdout: Buffer.concat(chunks, bytes) }
}

/** Cancels all processes, also those started meanwhile, and waits until they have gone: for an orderly shutdown. */
export async function endAllProcesses(): Promise<void> {
  while (running.size > 0) {
    for (const { cancel } of running) cancel()
    await Promise.all([...running].map(({ exit }) => exit))
  }
}

/** Ends all processes by SIGKILL, whole trees, without any grace: for somebody who will not wait. */
export async function killAllProcesses(): Promise<void> {
  await Promise.all([...running].map(({ kill }) => kill()))
}

function notStarted(): RunningProcess {
  const exit: ProcessExit = {
    pid: null,
    code: null,
    signal: null,
    durationMs: 0,
    ended: 'cancelled',
    forced: false,
    stderrTail: '',
  }
  return { pid: null, stdout: Readable.from([]), exit: Promise.resolve(exit) }
}

function spawnChild(command: ProcessCommand, env: Record<string, string>): Child {
  const [program, ...args] = command.argv
  try {
    return spawn(program, args, {
      cwd: command.cwd,
      env,
      stdio: [command.stdin === undefined ? 'ignore' : 'pipe', 'pipe', 'pipe'],
      detached: process.platform !== 'win32',
      windowsHide: true,
    }) as Child
  } catch (error) {
    throw startFault(command, error)
  }
}

function follow(
  command: ProcessCommand,
  started: { child: Child; tree: ProcessTree; startedAt: number },
): RunningProcess {
  const { child, tree, startedAt } = started
  const sinceStart = () => Math.round(performance.now() - startedAt)
  const ending = Promise.withResolvers<Ended>()
  const cancel = () => ending.resolve('cancelled')
  const death = new Promise<Death>((resolve) => {
    child.once('exit', (code, signal) => {
      resolve({ code, signal, durationMs: sinceStart() })
      ending.resolve('itself')
    })
  })
  const unwatch = watchLimits(command, ending.resolve)
  const stdout = relayOutput(child.stdout, cancel)
  const stderr = keepTail(child.stderr, command.stderrLimitBytes ?? DEFAULT_STDERR_LIMIT_BYTES)
  feed(child.stdin, command.stdin)

  const settle = async (): Promise<ProcessExit> => {
    const ended = await ending.promise
    unwatch()
    stdout.hurry()
    const { forced } = await clearTree(command, { child, tree, ended })
    const reaped = await Promise.race([death, delay(REAP_WAIT_MS, undefined, { ref: false })])
    if (!reaped) child.unref()
    const { code, signal, durationMs } = reaped ?? { code: null, signal: null, durationMs: sinceStart() }
    const [stderrTail] = await Promise.all([stderr.finish(), stdout.finish()])
    return { pid: tree.root.pid, code, signal, durationMs, ended, forced, stderrTail }
  }
  const exit = settle()
  const kill = () => {
    // Before anybody dies of it: this is an end that we have made.
    cancel()
    return endTree(tree, { firstSignal: 'SIGTERM', graceMs: 0 })
  }
  const entry = { cancel, kill, exit }
  running.add(entry)
  void exit.then(() => running.delete(entry))
  return { pid: tree.root.pid, stdout: stdout.output, exit }
}

/** Ends the process at its deadline or when its signal is aborted; the function returned stops that. */
function watchLimits({ timeoutMs, signal }: ProcessCommand, end: (why: Ended) => void): () => void {
  const onAbort = () => end('cancelled')
  signal.addEventListener('abort', onAbort)
  const onTimeout = () => end('timeout')
  const timer = timeoutMs === null ? undefined : setTimeout(onTimeout, Math.min(timeoutMs, LONGEST_TIMER_MS))
  return () => {
    signal.removeEventListener('abort', onAbort)
    clearTimeout(timer)
  }
}

function feed(stdin: Writable | null, text: string | Uint8Array | undefined): void {
  // A child may close its input unread (EPIPE). That is its own affair: how it ends says what came of it.
  stdin?.on('error', () => {})
  stdin?.end(text)
}

async function clearTree(
  { sweep, cancelSignal = 'SIGTERM', graceMs = DEFAULT_GRACE_MS }: ProcessCommand,
  { child, tree, ended }: { child: Child; tree: ProcessTree; ended: Ended },
): Promise<{ forced: boolean }> {
  if (ended === 'itself' && sweep === 'when-ended') return { forced: false }
  const outcome = await endTree(tree, { firstSignal: cancelSignal, graceMs })
  // Without a free file descriptor nobody can be looked up in /proc. The handle still reaches the child itself.
  child.on('error', () => {})
  child.kill('SIGKILL')
  return outcome
}
