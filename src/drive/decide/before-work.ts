/** What a driver does before the first attempt: prepare the worktree, and run the checks once. Pure. */
import type { DrivePause, Place } from '../record/drive-event.shape.ts'
import type { BaselineRun, DriveState } from '../record/drive-state.ts'
import type { Options } from '../record/recorded-options.shape.ts'

export type BeforeWork =
  /** Put the worktree on the branch of the run before. */
  | { readonly do: 'start_on'; readonly after: string }
  | { readonly do: 'prepare' }
  /** Run a check on the commit as it is. */
  | { readonly do: 'baseline'; readonly command: string }
  /** Checks fail before the work. Ask a person, or note it. */
  | { readonly do: 'decide_baseline'; readonly failed: readonly BaselineRun[] }
  | { readonly do: 'pause'; readonly reason: DrivePause; readonly message: string }

/**
 * Undefined if the work can begin. A later round works in the same worktree; what comes after a delivery may begin in one that
 * was created again, and so does a run on another machine.
 */
export function beforeWork(state: DriveState): BeforeWork | undefined {
  const { attempts, round, setup_failed: failed, prepared, options, place, after, started_on: startedOn } = state
  const isLater = round > 1
  const hasBegun = attempts.length > 0 || (isLater && round !== state.first_round)
  if (hasBegun && state.moved === undefined) return undefined
  if (after !== undefined && startedOn === undefined) return { do: 'start_on', after }
  if (failed !== undefined) {
    const { command, problem = '' } = failed
    const repair = `the setup failed: ${command}; repair it, or correct it with --setup, then continue${sandboxHint(state)}`
    const message = command === undefined ? problem : repair
    return { do: 'pause', reason: 'setup_failed', message }
  }
  if (prepared === undefined && isToPrepare(options, place)) return { do: 'prepare' }
  return options.baseline === 'skip' || isLater || hasBegun ? undefined : baseline(state)
}

function isToPrepare({ setup = [], copy = [], share = [] }: Options, { kind }: Place): boolean {
  return kind === 'worktree' && setup.length + copy.length + share.length > 0
}

function baseline(state: DriveState): BeforeWork | undefined {
  const { options, baseline: ran, baseline_decided: decided } = state
  const command = options.checks.find((each) => !ran.some((run) => run.command === each))
  if (command !== undefined) return { do: 'baseline', command }
  const unstarted = ran.find(({ could_start }) => !could_start)
  if (unstarted !== undefined) {
    const { command: check, problem } = unstarted
    const message = `the check ${check} cannot run: ${problem}; correct it with --check, install what it needs with --setup, or use --baseline skip if the work creates it`
    return { do: 'pause', reason: 'baseline_failed', message }
  }
  const failed = ran.filter(({ passed }) => !passed)
  if (failed.length === 0 || decided?.is_accepted === true) return undefined
  if (options.baseline !== 'require' && decided === undefined) return { do: 'decide_baseline', failed }
  const names = failed.map((each) => each.command).join(', ')
  const prepared = state.place.kind === 'worktree' ? ', bring in what they need with --setup or --copy' : ''
  const message = `before the work, these checks fail: ${names}; repair them${prepared}, or continue with --baseline note`
  return { do: 'pause', reason: 'baseline_failed', message }
}

/** A command may need what the sandbox does not have. */
function sandboxHint({ boundary }: DriveState): string {
  return boundary?.is === 'inside' ? '; it ran in a sandbox, and --no-sandbox drives without one' : ''
}
