/** Lets an agent work on an action, once. What will be done is recorded before it costs anything, and how it ended after. */
import { join } from 'node:path'
import { agentSilent } from '../agents/faults.ts'
import type { Action } from '../contract/action.shape.ts'
import { titleOfGoal } from '../contract/goal-title.ts'
import { newExecutionId } from '../executions/store/execution-id.ts'
import { digest } from '../kit/digest.ts'
import { Fault, ignoreFault } from '../kit/fault.ts'
import { encodeUtf8 } from '../kit/utf8.ts'
import type { PromptRequest } from '../prompts/prompt-request.ts'
import { failedResult, type PromptResult, toPromptStatus } from '../prompts/prompt-result.ts'
import { runPromptToEnd } from '../prompts/run-prompt.ts'
import { readActionMaterial } from '../runs/read-material.ts'
import type { Session } from '../sessions/session.shape.ts'
import { repositoryOf } from '../workspace/discover-workspace.ts'
import { AttemptBeat } from './attempt-beat.ts'
import { AttemptGuard, ownCap, priceSoFar, whyUnpriced } from './attempt-guard.ts'
import { agentInCharge } from './decide/after-limit.ts'
import { commandsFor, permissionsFor, placeOf } from './decide/agent-permissions.ts'
import type { DriveStep } from './decide/next-step.ts'
import { limitsCosts, remainingBudget, smallerBudget, spentBy } from './decide/spending.ts'
import { type DriveContext, readDriveState, record, workDirectory } from './drive-context.ts'
import { toDriveWarning } from './evidence/drive-warning.ts'
import { Trace } from './evidence/trace.ts'
import { hasOtherGitConfiguration } from './evidence/tree.ts'
import { noteRepositoryChanges, saveRepositoryState } from './guard-repository.ts'
import { observeTree, pathsBetween } from './observe-tree.ts'
import { findGitPrograms, findTrusted } from './project-settings.ts'
import { composePrompt, type Section } from './prompt/compose-prompt.ts'
import { composeFollowUp, describeFollowUp, describeTold, type FollowUp } from './prompt/follow-ups.ts'
import { readAnswer } from './prompt/read-reported-outcome.ts'
import type { AttemptEnd, Tree } from './record/drive-event.shape.ts'
import { readDrive } from './record/drive-journal.ts'
import type { Attempt, DriveState } from './record/drive-state.ts'
import type { Options } from './record/recorded-options.shape.ts'
import { RetryRecorder } from './retry-recorder.ts'
import { readReviewMaterial, removeReviewFiles } from './review-material.ts'
import { RunWatch } from './run-watch.ts'

export type AttemptStep = Extract<DriveStep, { do: 'attempt' }>

/** Long enough to see what the agent said instead of an outcome. */
const SAID_CHARACTERS = 2000
const TITLE_LENGTH = 120

type AttemptOptions = {
  readonly actionNumber: number
  /** Called when the agent is known to do something. */
  readonly onAnswer: () => void
}

export async function runAttempt(
  context: DriveContext,
  step: AttemptStep,
  { actionNumber, onAnswer }: AttemptOptions,
): Promise<void> {
  const state = readDriveState(context)
  const { action, purpose } = step
  removeReviewFiles(context)
  const tree = await observeTree(context)
  const session = await sessionToResume(context, step)
  const followUp = await complete(context, step.followUp, tree)
  const prompt = await toPrompt(context, { action, followUp, isResumed: session !== undefined })
  const executionId = newExecutionId(context.runs.ids)
  const who = agentInCharge(action.kind, state)
  const number = state.attempts.length + 1
  // Now, because the agent before may have written some.
  const first = state.attempts[0]
  const isGitChanged = first !== undefined && hasOtherGitConfiguration(first.tree, tree)
  const projectSettings = isGitChanged ? undefined : await findTrusted(context.runs, context.projectTrust)
  const gitSettings = first === undefined ? findGitPrograms(context.runs, context.prompts) : first.git_settings
  const repository = await saveRepositoryState(context)
  const totals = context.totals?.()
  const shared = totals === undefined ? {} : remainingBudget(totals.spent, totals.caps)
  const reserved = smallerBudget(remainingBudget(spentBy(state), state.options), shared)
  record(context, 'attempt_started', {
    attempt: number,
    action_id: action.action_id,
    action_kind: action.kind,
    action_number: actionNumber,
    actions_left: action.remaining_budget,
    purpose,
    ...who,
    execution_id: executionId,
    ...(placeOf(who.backend, state).isInside && { is_inside: true as const }),
    ...(session !== undefined && { resumes: session.id }),
    reserved,
    ...(projectSettings !== undefined && { project_settings: projectSettings }),
    ...(gitSettings !== undefined && { git_settings: gitSettings }),
    repository: repository.digest,
    prompt_sha256: digest(encodeUtf8(prompt)),
    tree,
  })
  const { options } = state
  const ignoresProject = projectSettings === undefined
  const maxCost = reserved.cost_microusd
  const request = toRequest({ action, prompt, session, who, context, options, maxCost, ignoresProject, gitSettings })
  try {
    await execute(context, { number, action, request, executionId, tree, onAnswer })
  } finally {
    removeReviewFiles(context)
    await noteRepositoryChanges(context, number, repository)
  }
}

type Requested = {
  /** What the attempt may cost, in millionths of a dollar. */
  maxCost: number | undefined
  ignoresProject: boolean
  gitSettings: string | undefined
  action: Action
  prompt: string
  session: Session | undefined
  who: Pick<Attempt, 'backend' | 'model'>
  context: DriveContext
  options: Options
}

function toRequest(requested: Requested): PromptRequest {
  const { action, prompt, session, who, context, options, maxCost, ignoresProject, gitSettings } = requested
  const state = readDriveState(context)
  const { place } = state
  const at = placeOf(who.backend, state)
  const keepsCost = context.prompts.locate(who.backend)?.agent.reports.cost === true
  return {
    ...who,
    prompt,
    ...(session === undefined && { workdir: workDirectory(context) }),
    ...permissionsFor(action, at),
    mcp_servers: serversFor(action, options, context.prompts.settings),
    // Worktrees are elsewhere.
    budgetDirectory: join(repositoryOf(context.runs.workspace), place.folder ?? ''),
    ownBranch: place.kind === 'worktree' ? `refs/heads/${place.branch}` : undefined,
    ...commandsFor(action, { ...at, checks: options.checks }),
    ignoresProject,
    knownGitSettings: gitSettings,
    resumes: session,
    title: toSessionTitle(action),
    metadata: { drover_run: context.runId },
    wantsDeltas: context.wantsDeltas,
    ...(maxCost !== undefined && keepsCost && { maxCostUsd: maxCost / 1_000_000 }),
  }
}

/** Who may only read gets only servers whose tools change nothing. A server that is no longer defined is refused. */
function serversFor(
  { kind }: Action,
  { mcp_servers: names = [] }: Options,
  { mcp_servers: defined }: DriveContext['prompts']['settings'],
): string[] {
  const changing = defined.filter(({ read_only: isReadOnly }) => isReadOnly !== true).map(({ name }) => name)
  return kind === 'implement' ? [...names] : names.filter((name) => !changing.includes(name))
}

/** The first line of the goal, for people who look for the session. */
function toSessionTitle({ goal }: Action): string {
  return titleOfGoal(goal)
    .replace(/[\p{C}\s]+/gu, ' ')
    .slice(0, TITLE_LENGTH)
    .toWellFormed()
}

/** The prompt of the action, or only what is new for a session that knows the rest. */
async function toPrompt(
  context: DriveContext,
  { action, followUp, isResumed }: { action: Action; followUp: FollowUp | undefined; isResumed: boolean },
): Promise<string> {
  if (followUp !== undefined && isResumed) return composeFollowUp(action, followUp)
  const state = readDriveState(context)
  const { options, issue, round, place, requirements } = state
  const sections = await readSections(context, action)
  const isGoalData = issue !== undefined || action.source !== undefined || round > 1
  const { approval } = placeOf(agentInCharge(action.kind, state).backend, state)
  const mayRunAll = approval === 'sandboxed' || approval === 'none'
  const prompt = composePrompt({
    action,
    sections,
    isGoalData,
    checks: options.checks,
    folder: place.folder,
    mayRunAll,
    requirements,
  })
  const seesWork = action.kind === 'review' || followUp?.why === 'hand_over'
  const work = seesWork ? [await readReviewMaterial(context)] : []
  const note = followUp === undefined ? [] : ['## An earlier attempt', describeFollowUp(followUp)]
  const said = describeTold(isResumed ? toldSince(state) : state.told)
  return [prompt, ...said, ...work, ...note].join('\n\n')
}

/** What was said while no agent worked. */
function toldSince({ told, attempts }: DriveState): DriveState['told'] {
  const ended = attempts.at(-1)?.ended?.at ?? ''
  return told.filter(({ sent_at: at }) => at > ended)
}

async function readSections({ runs, runId }: DriveContext, action: Action): Promise<Section[]> {
  const sections: Section[] = []
  for (const key of action.requirements?.required_for_action ?? []) {
    const { section } = await readActionMaterial(runs, { runId, actionId: action.action_id, key })
    sections.push(section)
  }
  return sections
}

/** What git shows since the attempt whose end is unknown. */
async function complete(
  context: DriveContext,
  followUp: FollowUp | undefined,
  now: Tree,
): Promise<FollowUp | undefined> {
  const last = readDriveState(context).attempts.at(-1)
  if (followUp?.why !== 'after_unknown_end' || last === undefined) return followUp
  return { ...followUp, changed: await pathsBetween(context, last.tree, now) }
}

/** The session that knows what came before: of the whole run for work, of this action for a review. */
async function sessionToResume(context: DriveContext, { action, followUp }: AttemptStep): Promise<Session | undefined> {
  const state = readDriveState(context)
  const isReview = action.kind === 'review'
  if (isReview && followUp === undefined) return undefined
  const { backend } = agentInCharge(action.kind, state)
  const last = attemptsOfSession(context, state).findLast(
    (each) =>
      (isReview ? each.action_id === action.action_id : each.action_kind !== 'review') &&
      lastSession(each) !== undefined,
  )
  const id = last && lastSession(last)
  if (id === undefined || last?.backend !== backend || context.prompts.locate(backend)?.agent.abilities.resume !== true)
    return undefined
  const sessions = context.prompts.openStore()
  const session = await sessions.then((store) => store.find(id)).catch(ignoreFault)
  return session?.backend_session_id === undefined || session.status === 'active' ? undefined : session
}

/** What came after a delivery is done by who did the work before. */
function attemptsOfSession({ runs }: DriveContext, state: DriveState): readonly Attempt[] {
  const { attempts, previous_run_id: before, round, first_round, moved } = state
  // The sessions are on the machine that had the run.
  if (moved !== undefined) return attempts.slice(moved.attempts)
  const isFirst = attempts.length === 0 && round === first_round
  return isFirst && before !== undefined ? (readDrive(runs.store, before)?.attempts ?? []) : attempts
}

function lastSession({ session_id, ended }: Attempt): string | undefined {
  return ended?.session_id ?? session_id
}

type Execution = Pick<AttemptOptions, 'onAnswer'> & {
  number: number
  action: Action
  request: PromptRequest
  executionId: string
  tree: Tree
}

async function execute(
  context: DriveContext,
  { number, action, request, executionId, tree, onAnswer }: Execution,
): Promise<void> {
  const { prompts, runId, onUpdate } = context
  const state = readDriveState(context)
  const { backend } = agentInCharge(action.kind, state)
  const located = prompts.locate(backend)
  const showsExitCodes = located?.agent.reports.exitCodes === true
  const trace = new Trace({ showsExitCodes })
  using watch = new RunWatch(context, action.action_id)
  using _beat = new AttemptBeat(context)
  using guard = new AttemptGuard({
    signal: watch.signal,
    stallMs: state.options.stall_ms,
    timeMs: remainingBudget(spentBy(state), state.options).time_ms,
    tree,
    observe: () => observeTree(context),
    isOverBudget: (usage) =>
      ownCap(state, { usage, backend, cost: located && priceSoFar({ usage, model }, located, prompts) }),
  })
  const retries = new RetryRecorder(context, number)
  let { model } = request
  const mustCount = limitsCosts(state.options, context.totals?.())
  const whyUncounted = (named: string | undefined) =>
    located && mustCount ? whyUnpriced(named, located, prompts) : undefined
  const startedAt = performance.now()
  const result = await runPromptToEnd(request, prompts, {
    signal: guard.signal,
    // Every prompt that an agent gets is an attempt that is shown.
    isSentOnce: true,
    execution: {
      kind: 'action',
      id: executionId,
      parentId: runId,
      onSession: (session_id) => record(context, 'session_opened', { attempt: number, session_id }),
    },
    onUsage: (usage) => {
      guard.noteUsage(usage)
      onUpdate({ is: 'usage', runId, usage })
    },
    onEvent: (event) => {
      if (event.type === 'approval_decision') record(context, 'approval_decided', { attempt: number, ...event.content })
      if (event.type === 'user_message') record(context, 'user_message', { attempt: number, ...event.content })
      retries.note(event)
      // A message may be the text of a limit.
      if (event.type === 'tool_use') onAnswer()
      if (event.type === 'init') {
        model = event.content.model ?? model
        guard.noteCost(whyUncounted(model))
      }
      trace.note(event)
      guard.note(event)
      onUpdate({ is: 'agent', runId, attempt: number, event })
    },
  }).catch((error: unknown) => {
    if (error instanceof Fault) return failedResult(backend, error)
    throw error
  })
  noteBoundary(context, number, result)
  const after = await observeTree(context).catch(asFault)
  // An agent that has answered before it was ended is paid for, so its answer counts.
  const how = toPromptStatus(result) === 'completed' ? 'answered' : (guard.reason?.how ?? toAttemptEnd(result))
  record(context, 'attempt_ended', {
    attempt: number,
    how,
    ...endFacts(result),
    duration_ms: Math.round(performance.now() - startedAt),
    tree: after instanceof Fault ? { ...tree, is_complete: false } : after,
    ...(how === 'answered'
      ? reportIn(result, action)
      : {
          error: guard.reason?.message ?? result.error ?? 'it failed',
          ...(how === 'failed' && failureFacts(result)),
          ...(guard.reason?.code !== undefined && how === guard.reason.how && { error_code: guard.reason.code }),
        }),
    trace: trace.entries,
    warnings: (result.warnings ?? []).flatMap((warning) => toDriveWarning(warning, action) ?? []),
  })
  // It is paid for, so its end is recorded even if the agent left a worktree that cannot be read.
  if (after instanceof Fault) throw after
}

/** What an agent in a sandbox reached and was refused. */
function noteBoundary(context: DriveContext, attempt: number, { boundary }: PromptResult): void {
  if (boundary === undefined) return
  const { enforced_by: _, ...seen } = boundary
  if (Object.values(seen).every((each) => each.length === 0)) return
  record(context, 'boundary_seen', { by: 'agent', attempt, ...seen })
}

function asFault(error: unknown): Fault {
  if (error instanceof Fault) return error
  throw error
}

function toAttemptEnd(result: PromptResult): AttemptEnd {
  if (result.error_code === agentSilent.code) return 'stalled'
  return toPromptStatus(result) === 'canceled' ? 'cancelled' : 'failed'
}

function endFacts({ session_id, model, token_usage: usage, cost_usd, cost_kind }: PromptResult) {
  return {
    ...(session_id !== '' && { session_id }),
    ...(model !== undefined && { model }),
    usage,
    ...(cost_usd !== undefined && { cost_microusd: Math.round(cost_usd * 1_000_000) }),
    ...(cost_kind !== undefined && { cost_kind }),
  }
}

function failureFacts({ error_code, retry_after_secs: wait, budget }: PromptResult) {
  return {
    ...(error_code !== undefined && { error_code }),
    ...(wait !== undefined && { retry_after_ms: Math.round(wait * 1000) }),
    ...(budget !== undefined && { budget }),
  }
}

function reportIn({ output }: PromptResult, action: Action) {
  const reported = readAnswer(output, action)
  if ('text' in reported) return { outcome: reported.text }
  return { problem: reported.problem, said: output.slice(-SAID_CHARACTERS).toWellFormed() }
}
