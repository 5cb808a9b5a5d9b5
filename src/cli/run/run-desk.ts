import { resolve } from 'node:path'
import type { Next } from '../../contract/next.shape.ts'
import { digestUnavailableWorkspace } from '../../kit/digest.ts'
import { Fault } from '../../kit/fault.ts'
import { contractVersionMismatch, runInterrupted } from '../../runs/faults.ts'
import { openRunContext, type RunContext } from '../../runs/run-context.ts'
import { discoverWorkspace } from '../../workspace/discover-workspace.ts'
import { locateGit } from '../../workspace/git.ts'
import type { Invocation } from '../command.ts'
import { AdvisedFailure, type GivenInputs } from '../failures/advised-failure.ts'
import { listenForInterruption } from '../interruption.ts'
import { adviseOn, type Place } from './run-advice.ts'

type Discovered = ReturnType<typeof discoverWorkspace>

/** Whoever speaks another version of the protocol has said nothing wrong in it, and whoever is interrupted neither. */
const NOTHING_SAID_WRONG = [contractVersionMismatch.code, runInterrupted.code]

/** What to do about whatever fails in a part of a command, and whether that part is still about the words. */
export type Expectation = {
  readonly next: (place: Place) => Next | Promise<Next>
  readonly given?: GivenInputs
  readonly isUsage?: true
}

/**
 * What a command on runs works at: it knows the worktree once it was looked for and the run once it was named, and so
 * what to advise when something fails. Until the worktree is looked for, nothing is attempted, and all that is wrong is the words.
 */
export class RunDesk {
  /** The run that the command is about, once that is known. */
  runId: string | undefined
  readonly #runtime: Invocation['runtime']
  readonly #start: string
  #discovered: Discovered | undefined
  #isAttempted = false

  constructor({ runtime, flags }: Pick<Invocation, 'runtime' | 'flags'>) {
    this.#runtime = runtime
    this.#start = resolve(runtime.cwd, flags.text('root') ?? '')
  }

  async open(): Promise<RunContext> {
    this.#isAttempted = true
    const { env, cwd, clock, version } = this.#runtime
    const { signal } = listenForInterruption()
    const workspace = await this.#discover(signal)
    return openRunContext({ workspace, git: locateGit({ env, cwd }), clock, signal, version: version() })
  }

  /** Does a part of the command that has advice of its own. */
  async expecting<T>({ next, given, isUsage }: Expectation, work: () => T | Promise<T>): Promise<T> {
    try {
      return await work()
    } catch (error) {
      const place = await this.#place()
      const advice = adviseOn(error, { place, runId: this.runId, expected: await next(place) })
      const isWrong = isUsage === true && error instanceof Fault && !NOTHING_SAID_WRONG.includes(error.code)
      throw new AdvisedFailure(error, { ...advice, ...(given && { given }), ...(isWrong && { exitCode: 2 }) })
    }
  }

  async advise(error: unknown): Promise<unknown> {
    if (error instanceof AdvisedFailure) return error
    const advice = adviseOn(error, { place: await this.#place(), runId: this.runId })
    const isUsage = !this.#isAttempted && error instanceof Fault
    return new AdvisedFailure(error, { ...advice, ...(isUsage && { exitCode: 2 }) })
  }

  /** Looks once; what was not found then is not looked for again to tell of it. */
  #discover(signal: AbortSignal): Discovered {
    const { env, cwd } = this.#runtime
    this.#discovered ??= discoverWorkspace({ start: this.#start, git: locateGit({ env, cwd }), signal })
    return this.#discovered
  }

  async #place(): Promise<Place> {
    try {
      const { id, worktree_root: root } = await this.#discover(new AbortController().signal)
      return { id, root }
    } catch (error) {
      if (!(error instanceof Fault)) throw error
      return { id: digestUnavailableWorkspace(this.#start.toWellFormed()), root: this.#start }
    }
  }
}

/** Does the work of a command, and sends what fails on its way with advice. */
export async function atDesk(invocation: Invocation, work: (desk: RunDesk) => Promise<number>): Promise<number> {
  const desk = new RunDesk(invocation)
  try {
    return await work(desk)
  } catch (error) {
    throw await desk.advise(error)
  }
}
