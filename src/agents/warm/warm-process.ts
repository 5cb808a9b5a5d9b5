/** The process of an agent that stays up: how it is started, what it leaves behind after a turn, how it ends. */
import { setTimeout as delay } from 'node:timers/promises'
import { OutputTail } from '../../kit/process/child-output.ts'
import { OWNER_VARIABLE } from '../../kit/process/environment-variables.ts'
import { type RunningProcess, startProcess } from '../../kit/process/process.ts'
import type { Member } from '../../kit/process/process-tree.ts'
import { residentBytes } from '../../kit/process/resources.ts'
import type { BoundaryEvent } from '../../sandbox/boundary-report.ts'
import type { AgentCommand } from '../adapter/agent.ts'
import type { AgentBoundary } from '../boundary/open-agent-boundary.ts'
import { refuseGitSettings } from '../git-settings.ts'
import { removeScratch, writeScratch } from '../scratch-files.ts'
import { agentDisconnected } from './faults.ts'
import type { Launch } from './long-lived-agent.ts'

/** How long processes that a turn has started may take to end after it. */
const LEFTOVER_WAIT_MS = 300
/**
 * When the agent has been idle for this long, what runs then belongs to it: a search of all processes takes time, which a
 * prompt should not wait for.
 */
const ADOPT_AFTER_MS = 500
const STDERR_LIMIT_BYTES = 64 * 1024
/** An idle agent prints little; one that prints more works without a prompt. */
const IDLE_OUTPUT_LIMIT = 1024 * 1024

type TurnListeners = {
  onStderr: (chunk: Buffer) => void
  onBoundaryEvent: ((event: BoundaryEvent) => void) | undefined
}

export type WarmProcess = Pick<RunningProcess, 'stdin' | 'stdout' | 'exit'> & {
  pid: number
  /** It has not ended, and was not told to. */
  isAlive(): boolean
  /** Resolves as soon as the process ends or is told to. */
  ending: Promise<void>
  /** Call it before each turn. */
  beginTurn(listeners: TurnListeners): Promise<void>
  /** What the agent has started until now belongs to it, and may stay after the turn. */
  adopt(): Promise<void>
  /** Ends the turn. False: a process that the turn has started still runs. */
  endTurn(): Promise<boolean>
  /** What the agent has printed on stderr during this turn. */
  stderrTail(): string
  /** Takes what the agent prints while no turn runs. Ends an agent that prints too much. */
  noteIdle(line: string): void
  /** As `AgentBoundary` has it; undefined outside of a boundary. */
  cutOff(): readonly string[] | undefined
  residentBytes(): Promise<number>
  end(): Promise<void>
}

type WarmCommand = Pick<AgentCommand, 'argv' | 'env' | 'files'> & { cancelSignal: 'SIGINT' | 'SIGTERM' }

/** Throws a Fault if the program cannot be started. */
export async function startWarmProcess(launch: Launch, command: WarmCommand): Promise<WarmProcess> {
  // Since the request was made, another agent may have written settings.
  refuseGitSettings(launch.request)
  const stop = new AbortController()
  let stderr = new OutputTail(STDERR_LIMIT_BYTES)
  let listeners: TurnListeners | undefined
  const { running, boundary, clear } = await startInside(launch, command, {
    signal: stop.signal,
    onStderr: (chunk) => {
      stderr.add(chunk)
      listeners?.onStderr(chunk)
    },
    onBoundaryEvent: (event) => {
      if (listeners !== undefined) return listeners.onBoundaryEvent?.(event)
      // Without a prompt it should do nothing.
      if (event.is === 'exceeded') stop.abort()
    },
  })
  void running.exit.then(clear)
  if (running.pid === null) throw agentDisconnected({ method: 'the start' })
  const ending = Promise.withResolvers<void>()
  let isAlive = true
  let isBusy = false
  let idleCharacters = 0
  let own: readonly Member[] = []
  const markEnding = () => {
    isAlive = false
    ending.resolve()
  }
  running.stdout.once('end', markEnding)
  // An agent that has closed its input takes no prompt, no decision and no cancellation.
  void running.stdin?.refused.then(() => end())
  void running.exit.then(markEnding)
  const end = async () => {
    markEnding()
    running.stdin?.end()
    stop.abort()
    // What it still prints must not keep its output open.
    running.stdout.resume()
    await running.exit
  }
  const adopt = async () => {
    own = await running.members()
  }
  let adopting: NodeJS.Timeout | undefined
  const adoptSoon = () => {
    adopting = setTimeout(() => void (isAlive && !isBusy && adopt()), ADOPT_AFTER_MS).unref()
  }
  adoptSoon()
  const leftovers = async () => (await running.members()).filter((member) => !isIn(own, member))
  return {
    ...running,
    pid: running.pid,
    isAlive: () => isAlive,
    ending: ending.promise,
    async beginTurn(turn) {
      isBusy = true
      clearTimeout(adopting)
      stderr = new OutputTail(STDERR_LIMIT_BYTES)
      listeners = turn
      boundary?.beginTurn()
      if (own.length === 0) await adopt()
    },
    adopt,
    async endTurn() {
      isBusy = false
      idleCharacters = 0
      const deadline = performance.now() + LEFTOVER_WAIT_MS
      for (let pauseMs = 5; (await leftovers()).length > 0; pauseMs *= 2) {
        if (performance.now() > deadline) {
          listeners = undefined
          return false
        }
        await delay(pauseMs)
      }
      // Nothing of the turn runs that could change what is taken back. Otherwise the end of the process takes it.
      await boundary?.endTurn()
      listeners = undefined
      adoptSoon()
      return true
    },
    stderrTail: () => stderr.text(),
    noteIdle(line) {
      if (isBusy) return
      idleCharacters += line.length
      if (idleCharacters > IDLE_OUTPUT_LIMIT) void end()
    },
    cutOff: () => boundary?.cutOff(),
    residentBytes: async () => residentBytes(await running.members()),
    end,
  }
}

/** Starts the program, inside of a boundary if the request says so. */
async function startInside(
  { request, owner, signal, scratchDirectory }: Launch,
  command: WarmCommand,
  { signal: stop, onStderr, onBoundaryEvent }: Required<TurnListeners> & { signal: AbortSignal },
) {
  const env = owner === undefined ? command.env : { ...command.env, [OWNER_VARIABLE]: owner }
  const bare = { argv: command.argv, env }
  writeScratch(scratchDirectory, { ...command, stdin: '', warnings: [] })
  let boundary: AgentBoundary | undefined
  const clear = async () => {
    await boundary?.close()
    await removeScratch(scratchDirectory)
  }
  try {
    if (request.boundary !== undefined) {
      const { openAgentBoundary } = await import('../boundary/open-agent-boundary.ts')
      // socat starts a process for each connection, which would look like one that the turn has left behind.
      const programs = { ...request.boundary.programs, relay: undefined }
      const inside = { ...bare, plan: { ...request.boundary, programs } }
      boundary = await openAgentBoundary(request, inside, (event) => onBoundaryEvent?.(event))
    }
    const running = await startProcess({
      ...(boundary?.command ?? bare),
      shownAs: request.shownAs,
      cwd: request.workdir,
      keepsStdinOpen: true,
      timeoutMs: null,
      signal: AbortSignal.any([signal, stop]),
      sweep: 'always',
      cancelSignal: command.cancelSignal,
      onStderr,
    })
    return { running, boundary, clear }
  } catch (error) {
    await clear()
    throw error
  }
}

function isIn(members: readonly Member[], { pid, startTime }: Member): boolean {
  return members.some((member) => member.pid === pid && member.startTime === startTime)
}
