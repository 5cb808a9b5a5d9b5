/** Finds or starts the run to drive, and the worktree in which it is done. */
import type { Config } from '../../config/config.shape.ts'
import { findPaths } from '../../config/paths.ts'
import type { RawSourceEnvelope } from '../../contract/raw-source-envelope.shape.ts'
import type { DriveBegin } from '../../drive/drive-rounds.ts'
import { cleanText } from '../../drive/prompt/clean-text.ts'
import type { Options, Place } from '../../drive/record/event.shape.ts'
import { digest } from '../../kit/digest.ts'
import { randomIds } from '../../kit/ids.ts'
import { encodeUtf8 } from '../../kit/utf8.ts'
import { parseStart } from '../../runs/parse-request.ts'
import { resolveRunId } from '../../runs/resolve-run-id.ts'
import { openRunContext, type RunContext } from '../../runs/run-context.ts'
import { outlineRun } from '../../runs/run-status.ts'
import { inWorktreeOf } from '../../runs/run-worktree.ts'
import type { PinnedReading } from '../../runs/source-materials.ts'
import { startRun } from '../../runs/start-run.ts'
import { invalidSource } from '../../source/faults.ts'
import { fetchEnvelope } from '../../source/fetch-envelope.ts'
import { locateGh } from '../../source/gh.ts'
import { readSource } from '../../source/read-source.ts'
import { discoverWorkspace } from '../../workspace/discover-workspace.ts'
import { createWorktree } from '../../workspace/worktrees/create-worktree.ts'
import type { Invocation } from '../command.ts'
import { configEnvironmentOf } from '../settings.ts'
import type { WorkspaceCommand } from '../workspace-command.ts'
import { confirmGoal } from './confirm-goal.ts'
import { type DriveTarget, findOwnIssue } from './drive-target.ts'
import { reviveRun } from './revive-run.ts'

type Found = {
  runId: string
  /** In the worktree of the run. */
  context: RunContext
  begin: Omit<DriveBegin, 'optionsFrom'>
}

type Search = {
  invocation: Invocation
  command: WorkspaceCommand
  context: RunContext
  config: Config
  target: DriveTarget
  optionsFrom: (before?: Options) => Options
}

const NOTHING_SPENT = { tokens: 0, cost_microusd: 0, time_ms: 0 }

export async function findTarget(search: Search): Promise<Found> {
  const { context, target, optionsFrom } = search
  if (target.is === 'run') return await openExisting(search, target.id)
  // Agents that are missing and limits that cannot be kept are reported before anything is created.
  optionsFrom()
  if (target.is === 'goal') return await startNew(search, { goal: target.goal })
  const url = target.is === 'issue' ? target.url : await findOwnIssue(target.number, context)
  return await startNew(search, await readIssue(search, url))
}

async function openExisting({ invocation, context, command }: Search, id: string): Promise<Found> {
  const runId = resolveRunId(context, id)
  command.runId = runId
  const there = await inWorktreeOf(context, runId)
  const run = await outlineRun(there, runId)
  await reviveRun(invocation, there, run)
  const place = { kind: 'in_place', root: there.workspace.worktree_root } as const
  return { runId, context: there, begin: { goal: run.goal, round: 1, place, spent: NOTHING_SPENT } }
}

type NewDrive = {
  goal: string
  reading?: PinnedReading
  issue?: NonNullable<DriveBegin['issue']>
}

async function startNew(search: Search, { goal, reading, issue }: NewDrive): Promise<Found> {
  const { invocation, config } = search
  const { flags } = invocation
  const { budget } = parseStart({
    goal,
    budget: flags.integer('actions') ?? config.drive.actions,
    sourceFile: undefined,
  })
  const { place, there } = await findPlace(search, goal)
  const reviewEnabled = !flags.isOn('no-review')
  const { run_id: runId } = await startRun(there, { goal, budget, reviewEnabled, reading })
  const begin = { goal, round: 1, place, spent: NOTHING_SPENT, ...(issue !== undefined && { issue }) }
  return { runId, context: there, begin }
}

async function findPlace(search: Search, goal: string): Promise<{ place: Place; there: RunContext }> {
  const { invocation, context } = search
  const { workspace, git, signal, clock } = context
  const here = workspace.worktree_root
  if (invocation.flags.isOn('in-place')) return { place: { kind: 'in_place', root: here }, there: context }
  const worktree = await createWorktree({
    home: findPaths(configEnvironmentOf(invocation)).worktrees,
    repository: workspace,
    commit: 'HEAD',
    title: goal,
    git,
    clock,
    ids: randomIds,
    signal,
  })
  const { path: root, branch, base } = worktree
  const found = await discoverWorkspace({ start: root, git, signal })
  const version = invocation.runtime.version()
  const there = openRunContext({ workspace: found, git, signal, clock, version })
  return { place: { kind: 'worktree', root: found.worktree_root, branch, base, repository: here }, there }
}

/** An issue of drover is pinned with its sections. The text of an ordinary one becomes the goal, if that is wanted. */
async function readIssue({ invocation, context }: Search, url: string): Promise<NewDrive> {
  const { env, cwd, clock } = invocation.runtime
  const envelope = await fetchEnvelope({ url, gh: locateGh({ env, cwd }), clock, signal: context.signal })
  const reading = readSource(envelope)
  if (reading.is === 'pinned') return { goal: envelope.title, reading }
  const isOrdinary = reading.code === 'change_marker_required' && !envelope.body.includes('<!-- drover-level:')
  if (!isOrdinary) throw invalidSource({ problem: reading.error, classification: reading.code })
  const goal = goalIn(envelope)
  await confirmGoal(invocation, { url, goal, signal: context.signal })
  return { goal, issue: { url, sha256: digest(encodeUtf8(goal)) } }
}

function goalIn({ title, body }: RawSourceEnvelope): string {
  return cleanText(body.trim() === '' ? title : `${title}\n\n${body}`)
}
