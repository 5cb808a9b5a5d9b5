/** What a driver of a run needs: the run in its worktree, the agents, and the record of what it did. */
import { join } from 'node:path'
import type { Usage } from '../agents/adapter/agent.ts'
import type { EventFile } from '../journal/event-file.ts'
import { toTimestamp } from '../kit/clock.ts'
import { digestFields } from '../kit/digest.ts'
import type { PromptContext } from '../prompts/prompt-context.ts'
import type { PromptEvent } from '../prompts/prompt-event.ts'
import type { RunContext } from '../runs/run-context.ts'
import type { MachineSandbox } from '../sandbox/machine/machine-sandbox.ts'
import type { Limit, LimitChoice } from './decide/after-limit.ts'
import type { Totals } from './decide/spending.ts'
import type { ProjectTrust } from './project-settings.ts'
import type { DriveEvent, Place } from './record/drive-event.shape.ts'
import { type BaselineRun, type DriveState, toDriveState } from './record/drive-state.ts'

/** What a driver reports while it works: its own records, and the events of the agents. */
export type DriveUpdate =
  /** `state` is the one after the event. */
  | { readonly is: 'recorded'; readonly runId: string; readonly event: DriveEvent; readonly state: DriveState }
  | { readonly is: 'agent'; readonly runId: string; readonly attempt: number; readonly event: PromptEvent }
  /** What the running attempt has used so far. */
  | { readonly is: 'usage'; readonly runId: string; readonly usage: Usage }

export type DriveTools = {
  readonly prompts: PromptContext
  /** The environment of checks and of `gh`. */
  readonly env: Readonly<Record<string, string | undefined>>
  /** Whether agents may use the settings of the project. */
  readonly projectTrust: ProjectTrust
  /** Undefined if this process has none. */
  readonly sandbox: MachineSandbox | undefined
  /** What setups have installed for worktrees before. */
  readonly templates: { readonly home: string; readonly maxBytes: number }
  /** Asks a person whether the work should begin although these checks fail. Absent if no one can be asked. */
  readonly confirmBaseline?: (failed: readonly BaselineRun[]) => Promise<boolean>
  /** Where the runs of the user note limits of agents. */
  readonly agentLimits: string
  /** Asks a person what to do at a limit; `next` is the agent that could take over. Absent if no one can be asked. */
  readonly askAboutLimit?: (limit: Limit, next: string | undefined) => Promise<LimitChoice>
  /** What the runs that were queued together with this one have used, and may use. Absent or undefined: no limit. */
  readonly totals?: () => Totals | undefined
  /** Stores the run with its work, so that another machine can continue it. Never throws. Absent if none would. */
  readonly keepCopy?: ((context: DriveContext) => Promise<void>) | undefined
  /** Text comes in pieces, for a reader who watches. */
  readonly wantsDeltas: boolean
  readonly onUpdate: (update: DriveUpdate) => void
}

/** Whether agents, checks and setups run inside of a boundary. */
export type DriveBoundary =
  | { readonly is: 'inside'; readonly sandbox: MachineSandbox; readonly agents: string[]; readonly why?: string }
  | { readonly is: 'outside'; readonly why: string }

export type DriveContext = DriveTools & {
  readonly boundary: DriveBoundary
  readonly runs: RunContext
  readonly runId: string
  readonly journal: EventFile<DriveEvent>
}

/** What is needed to record something. */
export type Recording = Pick<DriveContext, 'runs' | 'runId' | 'journal' | 'onUpdate'>

/** What is needed to run checks of the run. */
export type Checking = Recording & Pick<DriveContext, 'boundary' | 'env' | 'templates'>

/** Appends an event, with the time, and reports it. */
export function record<T extends DriveEvent['type']>(
  context: Recording,
  type: T,
  data: Extract<DriveEvent, { type: T }>['data'],
): void {
  const event = { type, at: toTimestamp(context.runs.clock.now()), data } as DriveEvent
  context.journal.append(event)
  context.onUpdate({ is: 'recorded', runId: context.runId, event, state: readDriveState(context) })
}

/** The same context for what must still be done after an interruption: neither it nor the wait for a lock is aborted. */
export function uninterrupted(runs: RunContext): RunContext {
  const { signal } = new AbortController()
  return { ...runs, signal, store: { ...runs.store, signal } }
}

/** Where agents and checks work: in the same folder as the command, below the root of the worktree. */
export function workDirectory(context: Pick<DriveContext, 'runs' | 'journal'>): string {
  return join(context.runs.workspace.worktree_root, readDriveState(context).place.folder ?? '')
}

export function readDriveState({ journal }: Pick<DriveContext, 'journal'>): DriveState {
  const state = toDriveState(journal.events)
  if (state === undefined) throw new TypeError('the run is not driven yet')
  return state
}

const TREE_ID_CHARACTERS = 16

/** The id by which a driver finds the setup and the checks of a driver that was killed. */
export function treeIdOf({ root }: Pick<Place, 'root'>): string {
  return digestFields(['drover-worktree-processes/v1', root]).slice(-TREE_ID_CHARACTERS)
}
