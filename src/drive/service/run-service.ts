/** Driven runs for the clients of a server: those of this machine (driven-runs.ts), or of many machines (shared-runs.ts). */
import type { DrivenDiff, DrivenRun, DrivenRunEvent, DrivenRunPage } from './driven-run.shape.ts'
import type { Viewer } from './run-reader.ts'
import type { Asking, PreparedRun, PromptsFor, ResumeRequest, StartRequest } from './run-starter.ts'

export type DriveAccess = Viewer & Asking

export type RunListQuery = { readonly [F in 'state' | 'repository' | 'before']?: string } & { readonly limit: number }

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
  start(access: DriveAccess, request: StartRequest): Promise<DrivenRun>
  /** Drives a run that the user has prepared on the command line. */
  adopt(asking: Asking, run: PreparedRun): Promise<DrivenRun>
  /** With its attempts, its report, and the sections of its issue. */
  show(id: string, viewer: Viewer): Promise<DrivenRun>
  /** What the branch of the run changes. */
  diff(id: string, viewer: Viewer): Promise<DrivenDiff>
  list(viewer: Viewer, query: RunListQuery): Promise<DrivenRunPage>
  /** The events after a number. */
  follow(id: string, viewer: Viewer, from: { after: number; signal: AbortSignal }): Promise<FollowedRun>
  answer(id: string, access: DriveAccess, given: OfAction & { text: string }): Promise<DrivenRun>
  confirm(id: string, access: DriveAccess, given: OfAction & { scopeSha256: string }): Promise<DrivenRun>
  /** The agent that works on the action is ended. */
  skip(id: string, access: DriveAccess, given: OfAction): Promise<DrivenRun>
  stop(id: string, access: DriveAccess): Promise<DrivenRun>
  resume(id: string, access: DriveAccess, request: ResumeRequest): Promise<DrivenRun>
  /** Goes on with the runs that this process drove when it ended. Call it when the server listens: rights depend on its address. */
  continueAll(promptsFor: PromptsFor): Promise<void>
  /** Other machines have taken over from this process, or may have. Its drives are interrupted, and go on when `ready` resolves. */
  restart(ready: () => Promise<void>): Promise<void>
  /** Call it when no run is driven any more. */
  close(): Promise<void>
}
