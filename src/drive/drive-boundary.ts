/** The boundary in which a driver runs agents, checks and setups. */
import { existsSync } from 'node:fs'
import type { WorkspaceIdentity } from '../contract/workspace-identity.shape.ts'
import { tryTo } from '../kit/fault.ts'
import { type Check, type CheckResult, runCheck } from '../kit/process/run-check.ts'
import type { PromptContext } from '../prompts/prompt-context.ts'
import { BoundaryCounts, type BoundaryEvent } from '../sandbox/boundary-report.ts'
import type { WorktreeDirectories } from '../sandbox/create-policy.ts'
import type { MachineSandbox } from '../sandbox/machine/machine-sandbox.ts'
import { chooseBoundary } from './decide/choose-boundary.ts'
import { type Checking, type DriveBoundary, type Recording, readDriveState, record } from './drive-context.ts'
import { driveSandboxMissing } from './faults.ts'
import type { BoundarySeen } from './record/boundary-summary.shape.ts'
import type { Options } from './record/recorded-options.shape.ts'

type Wanted = {
  /** The sandbox is undefined in older records, which know no boundary. */
  readonly options: Pick<Options, 'sandbox' | 'approval_mode'>
  /** Those that work in it. Undefined before they are known. */
  readonly agents?: readonly string[]
  readonly prompts?: Pick<PromptContext, 'locate' | 'settings'>
  readonly wasInside?: boolean
  /** Undefined before there is one. */
  readonly workspace?: WorkspaceIdentity
}

/** Throws `drive_sandbox_missing` if the run may not be driven without one. */
export async function openBoundaryFor(
  sandbox: MachineSandbox | undefined,
  { options, agents = [], prompts, wasInside = false, workspace }: Wanted,
): Promise<DriveBoundary> {
  const { sandbox: mode = 'off', approval_mode: approval } = options
  const problem = mode === 'off' ? undefined : await findProblem(sandbox, workspace)
  const known = [...new Set(agents)].map((name) => ({
    name,
    isKnown: prompts?.locate(name)?.agent.boundaryNeeds !== undefined,
  }))
  const isWanted = (prompts?.settings.sandbox.mode ?? 'off') !== 'off'
  const choice = chooseBoundary({ mode, approval, agents: known, isWanted, wasInside, problem })
  if (choice.is === 'refused') throw driveSandboxMissing(choice)
  return choice.is === 'inside' && sandbox !== undefined
    ? { ...choice, sandbox }
    : { why: '', ...choice, is: 'outside' }
}

async function findProblem(sandbox: MachineSandbox | undefined, workspace: WorkspaceIdentity | undefined) {
  if (sandbox === undefined) return 'this process has none'
  // That of a delivered run may be removed.
  const isThere = workspace !== undefined && existsSync(workspace.worktree_root)
  return await sandbox.problem(isThere ? toWorktreeDirectories(workspace, null) : undefined)
}

/** `branch` is the one that commands may write, if there is one. */
export function toWorktreeDirectories(workspace: WorkspaceIdentity, branch: string | null): WorktreeDirectories {
  const { worktree_root: root, git_dir: directory, git_common_dir: commonDirectory } = workspace
  return { root, git: { directory, commonDirectory, branch } }
}

type RunOptions = Pick<BoundarySeen, 'by' | 'attempt'> & {
  /** A clean checkout, which has no branch; by default the worktree of the run. */
  readonly checkout?: WorkspaceIdentity
}

/** Runs checks and setups of a run, inside if it has a boundary, and records what they reached and were refused. */
export function commandRunner(context: Checking, { checkout, ...by }: RunOptions) {
  return async (check: Omit<Check, 'enclose'>): Promise<CheckResult> => {
    const { boundary, runs } = context
    if (boundary.is === 'outside') return await runCheck(check)
    const notes = new BoundaryNotes(context, by)
    const branch = checkout ? null : ownBranch(context)
    const worktree = toWorktreeDirectories(checkout ?? runs.workspace, branch)
    const isMadeByDrover = checkout !== undefined || branch !== null
    const enclose = boundary.sandbox.encloseChecks({ worktree, isMadeByDrover }, (event) => notes.add(event))
    const result = await runCheck({ ...check, enclose })
    notes.end(result.output)
    return result
  }
}

/** The branch of the run: what `HEAD` says may come from an agent. In place there is none, and nothing is committed. */
function ownBranch(context: Checking): string | null {
  const { place } = readDriveState(context)
  return place.kind === 'worktree' ? `refs/heads/${place.branch}` : null
}

/** Each record is synced to the disk. A command that asks for more hosts is recorded when it has ended. */
const RECORDED_AT_ONCE = 50

/** Records what a command reached and was refused. A driver that is killed loses only how often. */
class BoundaryNotes {
  readonly #context: Recording
  readonly #by: Pick<BoundarySeen, 'by' | 'attempt'>
  readonly #seen = new Set<string>()
  #counts = new BoundaryCounts()

  constructor(context: Recording, by: Pick<BoundarySeen, 'by' | 'attempt'>) {
    this.#context = context
    this.#by = by
  }

  add(event: BoundaryEvent): void {
    this.#counts.add(event)
    const key = event.is === 'exceeded' ? event.is : `${event.is} ${event.host}:${event.port}`
    if (this.#seen.size >= RECORDED_AT_ONCE || this.#seen.has(key)) return
    this.#seen.add(key)
    // A connection must not fail because the disk is full. The counts stay, and `end` tries again.
    tryTo(() => this.#record())
  }

  /** `printed` is what the command has printed. */
  end(printed: string): void {
    this.#counts.addPrinted(printed)
    this.#record()
  }

  #record(): void {
    const seen = this.#counts.report()
    if (Object.values(seen).every((each) => each.length === 0)) return
    record(this.#context, 'boundary_seen', { ...this.#by, ...seen })
    this.#counts = new BoundaryCounts()
  }
}
