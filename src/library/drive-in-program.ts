/** Drives a run for a program, as `drover drive` does for a person. */
import { settingsForUser } from '../config/projects/projects.ts'
import { checkResults } from '../drive/decide/check-results.ts'
import { uninterrupted } from '../drive/drive-context.ts'
import type { RoundsResult as DrivenResult } from '../drive/drive-rounds.ts'
import { issueNotConfirmed } from '../drive/faults.ts'
import { readVerdict } from '../drive/read-verdict.ts'
import type { DriveEvent } from '../drive/record/drive-event.shape.ts'
import type { Options } from '../drive/record/recorded-options.shape.ts'
import { findQuestion, stateOfDriven, waitReason, withNote } from '../drive/service/driven-view.ts'
import { completeOptions, type GivenOptions, toGivenOptions } from '../drive/start/drive-options.ts'
import { type DriveTarget, driveUserRun, type FoundDrive, findDrive, folderBelow } from '../drive/start/start-drive.ts'
import { removeDelivered } from '../drive/start/worktree-of-run.ts'
import { systemClock } from '../kit/clock.ts'
import { checker } from '../kit/schema.ts'
import { USER } from '../prompts/caller.ts'
import { refuseDeepNesting } from '../prompts/check-permissions.ts'
import { answerQuestion } from '../runs/operations.ts'
import { parseAnswer } from '../runs/parse-request.ts'
import { outlineRun, type RunOutline } from '../runs/read-status.ts'
import { resolveRunId } from '../runs/resolve-run-id.ts'
import { openRunContext, type RunContext } from '../runs/run-context.ts'
import { openOwnWorktree } from '../runs/run-worktree.ts'
import { discoverWorkspace } from '../workspace/discover-workspace.ts'
import { locateGit } from '../workspace/git.ts'
import { validateDriveRequest } from './checks.generated.js'
import { driveTargetUnclear } from './faults.ts'
import type { OpenedInstance } from './instance.ts'
import { packageVersion } from './package.ts'
import type { DriveRequest } from './requests.shape.ts'
import type { DriveRecord, DriveResult } from './types.ts'

const checkRequest = checker<DriveRequest>('the request', validateDriveRequest)

type DriveCall = { emit: (record: DriveRecord) => void; signal: AbortSignal }

export async function drive(opened: OpenedInstance, given: unknown, { emit, signal }: DriveCall): Promise<DriveResult> {
  const request = checkRequest(given)
  const target = toTarget(request)
  const { config, paths, env, cwd, demo } = opened
  const context = opened.drover.runContextFor(USER)
  const prompts = config.warm.enabled ? context : { ...context, warm: undefined }
  refuseDeepNesting(prompts)
  const git = locateGit({ env, cwd })
  const workspace = await discoverWorkspace({ start: request.directory ?? cwd, git, signal })
  const runs = openRunContext({ workspace, git, signal, clock: systemClock, version: packageVersion() })
  if (target.is === 'run' && request.answer !== undefined) await answer(runs, target.id, request.answer)
  const asked = readOptions(request)
  const { worktree_root: root, git_common_dir: repository } = workspace
  const settings = settingsForUser(config, { home: paths.projects, repository, root })
  const sources = { settings, prompts, isDemo: demo !== undefined }
  const optionsFrom = (before?: Options) => completeOptions(asked, before, sources)
  const found = await find(opened, { runs, request, target, newOptions: () => optionsFrom() })
  const result = await driveUserRun(found, {
    ...{ optionsFrom, prompts, env, wantsDeltas: false, directories: paths },
    projectTrust: { use: config.agents.project_settings, decisions: paths.trustedSettings },
    sandbox: await opened.drover.machineSandbox(),
    templates: { home: paths.templates, maxBytes: config.drive.template_max_bytes },
    agentLimits: paths.agentLimits,
    onUpdate: (update) => {
      if (update.is === 'recorded') emit(toRecord(update.runId, update.event))
    },
    onNoteFailure: () => {},
  })
  if (result.end.is === 'ended') await removeDelivered(paths.worktrees, found.context, result.state)
  return await toResult(result, found.context)
}

const OWN_ISSUE = /^#([1-9][0-9]{0,9})$/

/** Pure. */
function toTarget({ goal, issue, run }: DriveRequest): DriveTarget {
  const given = Object.entries({ goal, issue, run }).flatMap(([name, value]) => (value === undefined ? [] : [name]))
  if (given.length !== 1) throw driveTargetUnclear({ given })
  if (goal !== undefined) return { is: 'goal', goal }
  if (run !== undefined) return { is: 'run', id: run }
  const number = OWN_ISSUE.exec(issue ?? '')?.[1]
  return number === undefined ? { is: 'issue', url: issue ?? '' } : { is: 'own_issue', number: Number(number) }
}

function readOptions(request: DriveRequest): GivenOptions {
  const { backend, model, review_backend, review_model, checks, max_tokens, max_cost_usd, max_time_secs } = request
  const { rounds, approval_mode, in_place: isInPlace, on_limit, max_wait_secs, fallback, mcp_servers } = request
  const followed = request.follow === true ? 'pr' : undefined
  return toGivenOptions({
    ...{ backend, model, review_backend, review_model, checks, max_tokens, max_cost_usd, max_time_secs },
    ...{ on_limit, max_wait_secs, ...(fallback !== undefined && { fallback: [...fallback] }) },
    ...{ rounds, approval_mode, deliver: isInPlace === true ? 'none' : (request.deliver ?? followed) },
    ...{ follow: request.follow, mcp_servers },
  })
}

async function answer(runs: RunContext, id: string, text: string): Promise<void> {
  const runId = resolveRunId(runs, id)
  const there = await openOwnWorktree(runs, runId)
  const { current_action: action } = await outlineRun(there, runId)
  const given = { text, actionId: action?.action_id ?? 'none', confirmDestructive: false, scopeSha256: undefined }
  await answerQuestion(there, runId, parseAnswer(given))
}

type Search = { runs: RunContext; request: DriveRequest; target: DriveTarget; newOptions: () => Options }

async function find({ config, paths, env, cwd, drover }: OpenedInstance, search: Search): Promise<FoundDrive> {
  const { runs, request, target, newOptions } = search
  return await findDrive(runs, {
    target,
    newOptions,
    sandbox: await drover.machineSandbox(),
    actions: request.actions,
    defaultActions: config.drive.actions,
    isReviewed: request.review !== false,
    ...{ also: request.also, takesOver: request.take_over, follows: request.follow },
    isInPlace: request.in_place === true,
    folder: folderBelow(runs.workspace, request.directory ?? cwd),
    worktrees: paths.worktrees,
    version: packageVersion(),
    places: { env, cwd },
    confirmGoal: async ({ url }) => {
      if (request.issue_as_goal !== true) throw issueNotConfirmed({ url })
    },
  })
}

/** Programs do not need the state of every file. */
function toRecord(runId: string, { type, at, data }: DriveEvent): DriveRecord {
  const { tree: _, ...rest } = data as { tree?: unknown }
  return { run_id: runId, at, type, data: rest } as DriveRecord
}

async function toResult({ runId, end, state }: DrivenResult, runs: RunContext): Promise<DriveResult> {
  const run = await outlineRun(uninterrupted(runs), runId)
  const verdict = await readVerdict(runs, { run, drive: state })
  const question = end.is === 'paused' ? end.message : end.is === 'waits' ? questionOf(run) : undefined
  const checks = checkResults(state)
  const is = stateOfDriven({ record: {}, run, drive: state, drivenBy: undefined })
  return {
    run_id: runId,
    verdict,
    state: is,
    ...whyPaused(is, run, state),
    ...(question !== undefined && { question }),
    ...(checks.length > 0 && { checks_passed: checks.every(({ passed }) => passed) }),
    ...(state.delivered !== undefined && { delivered: withNote(state.delivered, verdict) }),
  }
}

/** For programs, which do not read sentences. */
function whyPaused(
  state: DriveResult['state'],
  run: RunOutline,
  { paused, attempts }: DrivenResult['state'],
): Pick<DriveResult, 'pause_reason' | 'error_code'> {
  if (state === 'waiting') return { pause_reason: waitReason(run) }
  if (state !== 'paused' || paused === undefined) return {}
  const { error_code } = attempts.at(-1)?.ended ?? {}
  return { pause_reason: paused.reason, ...(error_code !== undefined && { error_code }) }
}

function questionOf(run: RunOutline): string {
  return run.state === 'stopped' ? 'the run is stopped' : findQuestion(run)
}
