/** Driven runs for the callers of a server: those of this machine (driven-runs.ts), or of many machines (shared-runs.ts). */
import type { Caller } from '../../prompts/caller.ts'
import type { PatchPart } from '../../workspace/worktrees/diff-worktree.ts'
import type { WorkAct } from '../act/act-on-run.ts'
import type { QueuePlace } from '../decide/queue.ts'
import type { NightReports } from '../night/night-report.shape.ts'
import type { DrivenDiff, DrivenRun, DrivenRunPage, RunQueue } from './driven-run.shape.ts'
import type { DrivenRunEvent } from './driven-run-event.shape.ts'
import type { RunListQuery } from './run-reader.ts'
import type { DriveResumeRequest, DriveStartRequest, MoreWork, PreparedRun } from './run-starter.ts'

/** A run as lists show it, after a change. */
export type DrivenRunChange = { type: 'run'; run: DrivenRun }

export type RunWatcher = {
  onRun(run: DrivenRun): void
  /** Changes may have been missed: everything has to be read again. */
  onMissed(): void
}

/** Undefined: the current action. */
export type OfAction = { readonly actionId: string | undefined }

export type FollowedRun = {
  /** The run has ended and there are no more events. */
  readonly isOver: boolean
  readonly events: AsyncGenerator<DrivenRunEvent[], void, undefined>
}

export type RunService = {
  /** The number of runs that this process drives now. */
  readonly count: number
  start(by: Caller, request: DriveStartRequest): Promise<DrivenRun>
  /** Drives a run that the user has prepared on the command line. */
  adopt(by: Caller, run: PreparedRun): Promise<DrivenRun>
  /** With its attempts, its report, and the sections of its issue. */
  show(by: Caller, id: string): Promise<DrivenRun>
  /** What the branch of the run changes. Undefined: all of it. */
  diff(by: Caller, id: string, part?: PatchPart): Promise<DrivenDiff>
  list(by: Caller, query: RunListQuery): Promise<DrivenRunPage>
  /** Tells which runs change from now on. Returns a function that stops it. */
  watch(by: Caller, watcher: RunWatcher): () => void
  /** The events after a number. */
  follow(by: Caller, id: string, from: { after: number; signal: AbortSignal }): Promise<FollowedRun>
  answer(by: Caller, id: string, given: OfAction & { text: string }): Promise<DrivenRun>
  confirm(by: Caller, id: string, given: OfAction & { scopeSha256: string }): Promise<DrivenRun>
  /** The agent that works on the action is ended. */
  skip(by: Caller, id: string, given: OfAction): Promise<DrivenRun>
  stop(by: Caller, id: string): Promise<DrivenRun>
  /** What became of the runs that have changed since then, by repository. */
  report(by: Caller, since: string): Promise<NightReports>
  /** What is driven, and what is queued, in its order. */
  queue(by: Caller): Promise<RunQueue>
  /** A run that the user has prepared on the command line, and whose record is in the queue, or will be. */
  enqueue(by: Caller, run: PreparedRun): void
  /** Moves a queued run. A client moves it among its own runs. */
  move(by: Caller, id: string, place: QueuePlace): Promise<DrivenRun>
  resume(by: Caller, id: string, request: DriveResumeRequest): Promise<DrivenRun>
  /** More work on the branch of a run, after its delivery. `id` is any of its rounds. */
  followUp(by: Caller, id: string, wanted: MoreWork): Promise<DrivenRun>
  /** What a person does with the work of a run: merge, publish, discard or take it. `id` is any of its rounds. */
  act(by: Caller, id: string, act: WorkAct): Promise<DrivenRun>
  /** Resumes the runs that this process drove when it ended. Call it when the server listens: rights depend on its address. */
  continueAll(): Promise<void>
  /** Other machines have taken over from this process, or may have. Its drives are interrupted, and resumed when `ready` resolves. */
  restart(ready: () => Promise<void>): Promise<void>
  /** Call it when no run is driven any more. */
  close?(): Promise<void>
}
