/*
 * Starts processes; all of drover uses this file, and never a shell. The child leads its own process group, and every
 * process it starts belongs to its tree (process-tree.ts). A process ends by itself, at its deadline or because it is
 * cancelled; the first cause is reported. A non-zero exit is a result. Only a failed start is thrown.
 */

import { type ChildProcessByStdio, spawn } from 'node:child_process'
import { once } from 'node:events'
import { Readable, type Writable } from 'node:stream'
import { setTimeout as delay } from 'node:timers/promises'
import { orUndefined } from '../fault.ts'
import { programOutputTooLarge } from '../faults.ts'
import type { ChildEnvironment } from './child-environment.ts'
import { keepTail, OutputTail, relayOutput } from './child-output.ts'
import { endTree, type Member, markEnvironment, ProcessTree } from './process-tree.ts'
import { noteRunning } from './running-processes.ts'
import { refuseBadArguments, startFault } from './start-fault.ts'

/** Short enough that a tree is gone within 5 s, whatever it does. */
const DEFAULT_GRACE_MS = 2000
const DEFAULT_STDERR_LIMIT_BYTES = 64 * 1024
/** Node fires a longer timer at once. */
const LONGEST_TIMER_MS = 2 ** 31 - 1
/** A process that hangs in the kernel or runs as another user survives SIGKILL; we wait no longer than this. */
const REAP_WAIT_MS = 500
/** After stdin, stdout and stderr. */
export const FIRST_DESCRIPTOR = 3

export type ProcessCommand = {
  argv: readonly [program: string, ...args: string[]]
  /** The name of the program in error messages, in place of its path. */
  shownAs?: string | undefined
  cwd: string
  /** The whole environment; only TREE_VARIABLE is added. Code that filters an environment must keep that variable. */
  env: ChildEnvironment
  /** Written to the child's stdin, which is then closed. Without it stdin is empty. */
  stdin?: string | Uint8Array
  /** Each is what the child reads from one more descriptor, from number 3 on. */
  descriptors?: readonly Uint8Array[]
  /** Stdin stays open, for a program that is written to while it runs. `stdin`, if there is any, is written first. */
  keepsStdinOpen?: boolean
  /** Null: no deadline. */
  timeoutMs: number | null
  /** If it is already aborted, nothing is started and the result is `cancelled`. */
  signal: AbortSignal
  /** Whether processes that the child leaves behind are ended always, or only when we end the child. */
  sweep: 'always' | 'when-ended'
  /** `SIGINT` is sent only to the child, so that it can end its tools itself; then all get `SIGTERM`. */
  cancelSignal?: 'SIGINT' | 'SIGTERM'
  /** How the child is asked to stop, if a signal to it would do more than that. All get `SIGTERM` afterwards. */
  askToStop?: ((signal: 'SIGINT' | 'SIGTERM') => void) | undefined
  /** The time from the first signal to SIGKILL. */
  graceMs?: number
  stderrLimitBytes?: number
  /** Gets what the child prints on stderr, while it runs. */
  onStderr?: ((chunk: Buffer) => void) | undefined
}

export type ProcessExit = {
  /** Null if the process was cancelled before it was started. */
  pid: number | null
  code: number | null
  signal: NodeJS.Signals | null
  /** Until the child itself exited. */
  durationMs: number
  ended: Ended
  /** A process of the tree had to be killed with SIGKILL. */
  forced: boolean
  stderrTail: string
}

type Ended = 'itself' | 'timeout' | 'cancelled'

/** The open stdin of a process. A child that has closed it shows that by its exit: nothing here fails. */
export type ProcessInput = {
  /** Resolves when the child has taken the text, or can take none any more. */
  write(text: string): Promise<void>
  /** Closes stdin, after what was written. */
  end(): void
  /** Resolves when something was written that the child can no longer read, because it has closed its stdin. */
  refused: Promise<void>
}

export type RunningProcess = {
  pid: number | null
  /** Null unless `keepsStdinOpen` is set. */
  stdin: ProcessInput | null
  /** The living processes of the tree, the child among them. */
  members: () => Promise<readonly Member[]>
  /**
   * The child blocks if this is not read. To stop reading early (`break`, `destroy`) cancels the process. The stream never
   * fails, and can be read to its end after the process exited.
   */
  stdout: Readable
  /** Never rejects. Resolves when the processes that `sweep` covers are gone, without waiting for the reader of stdout. */
  exit: Promise<ProcessExit>
}

type Child = ChildProcessByStdio<Writable | null, Readable, Readable>
type ChildExit = Pick<ProcessExit, 'code' | 'signal' | 'durationMs'>

/** Throws a Fault if the process cannot be started; then nothing is left running. */
export async function startProcess(command: ProcessCommand): Promise<RunningProcess> {
  refuseBadArguments(command)
  if (command.signal.aborted) return notStarted()
  const startedAt = performance.now()
  const { treeId, env } = markEnvironment(command.env)
  const child = spawnChild(command, env)
  // No await between here and the listeners in `follow`: an abort or exit in between would be missed.
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

/** Runs a command that may print any amount. Of an output that is too long, the middle is left out. */
export async function runProcessForEnds(
  command: ProcessCommand,
  { headBytes, tailBytes }: { headBytes: number; tailBytes: number },
): Promise<{ exit: ProcessExit; stdout: Buffer }> {
  const { stdout, exit: exited } = await startProcess(command)
  const head: Buffer[] = []
  const tail = new OutputTail(tailBytes)
  let left = headBytes
  for await (const chunk of stdout) {
    head.push(chunk.subarray(0, left))
    tail.add(chunk.subarray(left))
    left = Math.max(0, left - chunk.length)
  }
  return { exit: await exited, stdout: Buffer.concat([...head, Buffer.from(tail.text())]) }
}

/** Starts a process that outlives this one, for a server in the background. `ended` resolves if it ends before this one. */
export function startDetached({ argv, cwd, env }: Pick<ProcessCommand, 'argv' | 'cwd' | 'env'>): {
  ended: Promise<void>
} {
  const [program, ...args] = argv
  const child = spawn(program, args, { cwd, env, detached: true, stdio: 'ignore' })
  child.unref()
  return {
    ended: new Promise((resolve) => {
      child.once('error', () => resolve())
      child.once('exit', () => resolve())
    }),
  }
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
  return { pid: null, stdin: null, stdout: Readable.from([]), members: async () => [], exit: Promise.resolve(exit) }
}

function spawnChild(command: ProcessCommand, env: Record<string, string>): Child {
  const [program, ...args] = command.argv
  try {
    return spawn(program, args, {
      cwd: command.cwd,
      env,
      stdio: [
        command.stdin === undefined && !command.keepsStdinOpen ? 'ignore' : 'pipe',
        ...(['pipe', 'pipe'] as const),
        ...(command.descriptors ?? []).map(() => 'pipe' as const),
      ],
      detached: true,
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
  const childExit = new Promise<ChildExit>((resolve) => {
    child.once('exit', (code, signal) => {
      resolve({ code, signal, durationMs: sinceStart() })
      ending.resolve('itself')
    })
  })
  const unwatch = watchLimits(command, ending.resolve)
  const stdout = relayOutput(child.stdout, cancel)
  const stderr = keepTail(child.stderr, command.stderrLimitBytes ?? DEFAULT_STDERR_LIMIT_BYTES)
  if (command.onStderr !== undefined) child.stderr.on('data', command.onStderr)
  const stdin = feed(child.stdin, command)
  feedDescriptors(child, command)

  const finish = async (): Promise<ProcessExit> => {
    const ended = await ending.promise
    unwatch()
    stdout.hurry()
    const { forced } = await clearTree(command, { child, tree, ended })
    const reaped = await Promise.race([childExit, delay(REAP_WAIT_MS, undefined, { ref: false })])
    if (!reaped) child.unref()
    const { code, signal, durationMs } = reaped ?? { code: null, signal: null, durationMs: sinceStart() }
    const [stderrTail] = await Promise.all([stderr.finish(), stdout.finish()])
    return { pid: tree.root.pid, code, signal, durationMs, ended, forced, stderrTail }
  }
  const exit = finish()
  const kill = () => {
    // Set the cause before the signal: otherwise the exit would count as the child's own.
    cancel()
    return endTree(tree, { firstSignal: 'SIGTERM', graceMs: 0 })
  }
  noteRunning({ cancel, kill, terminate: () => tree.signalNow('SIGTERM'), exit })
  return { pid: tree.root.pid, stdin, stdout: stdout.output, members: () => tree.members(), exit }
}

/** Ends the process at its deadline or when its signal is aborted; returns a function that stops watching. */
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

function feed(stdin: Writable | null, { stdin: text, keepsStdinOpen }: ProcessCommand): ProcessInput | null {
  // A child may close its stdin without reading it (EPIPE); its exit shows whether that matters.
  stdin?.on('error', () => {})
  if (stdin === null || !keepsStdinOpen) {
    stdin?.end(text)
    return null
  }
  const refused = Promise.withResolvers<void>()
  stdin.on('error', () => refused.resolve())
  if (text !== undefined) stdin.write(text)
  return {
    refused: refused.promise,
    write: (more) => new Promise((resolve) => stdin.write(more, () => resolve())),
    end: () => stdin.end(),
  }
}

function feedDescriptors(child: Child, { descriptors = [] }: ProcessCommand): void {
  for (const [at, bytes] of descriptors.entries()) {
    const stream = child.stdio[FIRST_DESCRIPTOR + at] as Writable
    // As with stdin, a child may not read it.
    stream.on('error', () => {})
    stream.end(bytes)
  }
}

async function clearTree(
  { sweep, cancelSignal = 'SIGTERM', graceMs = DEFAULT_GRACE_MS, askToStop }: ProcessCommand,
  { child, tree, ended }: { child: Child; tree: ProcessTree; ended: Ended },
): Promise<{ forced: boolean }> {
  if (ended === 'itself' && sweep === 'when-ended') return { forced: false }
  const outcome = await endTree(tree, { firstSignal: cancelSignal, graceMs, askToStop })
  killGroup(child)
  return outcome
}

/** Without a free file descriptor /proc cannot be read, and no process of the tree is found. Its group is still there. */
function killGroup(child: Child): void {
  const { pid, exitCode, signalCode } = child
  // After its exit another process may have its id.
  if (pid === undefined || exitCode !== null || signalCode !== null) return
  child.on('error', () => {})
  // The group is gone.
  orUndefined(() => process.kill(-pid, 'SIGKILL'))
}
