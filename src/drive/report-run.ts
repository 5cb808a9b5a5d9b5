/** The report about a run, with what its driver knows if it was driven. */
import { existsSync } from 'node:fs'
import { nameDecider } from '../agents/describe-for-people.ts'
import type { RunVerdict } from '../contract/run-verdict.shape.ts'
import { Fault } from '../kit/fault.ts'
import type { RunOutline } from '../runs/read-status.ts'
import { formatReport } from '../runs/report-markdown.ts'
import type { RunContext } from '../runs/run-context.ts'
import {
  type ReportChange,
  type ReportCheck,
  type ReportEvidence,
  type ReportParts,
  type RunReport,
  toReport,
} from '../runs/run-report.ts'
import { asOwner } from '../runs/run-worktree.ts'
import {
  diffCommits,
  diffWorktree,
  type Patch,
  type PatchPart,
  patchCommits,
  patchWorktree,
} from '../workspace/worktrees/diff-worktree.ts'
import { checkResults } from './decide/check-results.ts'
import { describeAct } from './decide/describe-act.ts'
import { describeFollowed } from './decide/judge-work.ts'
import { countUnknownCosts, spentBy } from './decide/spending.ts'
import { flagsOfRun } from './evidence/repository-flags.ts'
import { summarizeBoundary } from './evidence/summarize-boundary.ts'
import { changedPaths } from './evidence/tree.ts'
import { howItEnded, NO_WORK } from './prompt/follow-ups.ts'
import { roundsOf } from './read-verdict.ts'
import type { Claim } from './record/drive-event.shape.ts'
import { type BaselineRun, type DriveState, judgedAttempts } from './record/drive-state.ts'
import type { JudgedRequirement } from './record/follow-event.shape.ts'

type Driven = { readonly state: DriveState; readonly verdict: RunVerdict }

export async function reportRun(context: RunContext, run: RunOutline, driven: Driven | undefined): Promise<RunReport> {
  if (driven === undefined) return toReport(run)
  const { state, verdict } = driven
  const rounds = roundsOf(context.store, state)
  const boundary = summarizeBoundary(rounds)
  const also = rounds.toReversed().flatMap(({ asked }) => asked.map(({ text }) => text))
  return toReport(run, {
    verdict,
    ...(also.length > 0 && { also }),
    ...toReportParts(state, await readChanges(context, state)),
    cost: toReportCost(rounds, { isDriven: verdict.word === 'running' }),
    ...(boundary !== undefined && { boundary }),
  })
}

/** The report in Markdown. */
export async function describeRun(context: RunContext, run: RunOutline, driven: Driven): Promise<string> {
  return formatReport(await reportRun(context, run, driven), run)
}

/** The files that git shows as changed; undefined if git cannot tell any more. */
async function readChanges(context: RunContext, state: DriveState): Promise<readonly ReportChange[] | undefined> {
  try {
    return state.place.kind === 'worktree'
      ? await changesOnBranch(context, state)
      : await changesInPlace(context, state)
  } catch (error) {
    if (!(error instanceof Fault) || context.signal.aborted) throw error
    return undefined
  }
}

/** The paths of the files that a run has changed; none if git cannot tell. */
export async function pathsOfRun(context: RunContext, state: DriveState): Promise<readonly string[]> {
  return (await readChanges(context, state))?.map(({ path }) => path) ?? []
}

async function changesOnBranch(context: RunContext, state: DriveState): Promise<readonly ReportChange[]> {
  const work = locateWork(state)
  if (work === undefined) return []
  if (work.is === 'worktree') return await changesIn(context, state, work.base)
  const { git, signal, workspace } = context
  return await diffCommits({ git, directory: workspace.git_common_dir, from: work.base, to: work.commit, signal })
}

/** The work of a run with its patch. Undefined if the run works in place, where there is no branch. */
export async function patchOfRun(context: RunContext, state: DriveState, part: PatchPart): Promise<Patch | undefined> {
  const work = locateWork(state)
  if (work === undefined) return undefined
  const { git, signal } = context
  if (work.is === 'worktree') {
    const { workspace } = asOwner(context, state.run_id)
    return await patchWorktree({ git, workspace, base: work.base, signal }, part)
  }
  const directory = context.workspace.git_common_dir
  return await patchCommits({ git, directory, from: work.base, to: work.commit, signal }, part)
}

type Work = { base: string } & ({ is: 'worktree' } | { is: 'commit'; commit: string })

/** What was delivered, else what is in the worktree, else what is on the branch. */
function locateWork({ place, delivered }: DriveState): Work | undefined {
  if (place.kind !== 'worktree') return undefined
  const { base, root, branch } = place
  if (delivered?.commit === undefined && existsSync(root)) return { is: 'worktree', base }
  return { is: 'commit', commit: delivered?.commit ?? `refs/heads/${branch}`, base }
}

/** In place, only paths that changed between the first and the last look of the driver count. */
async function changesInPlace(context: RunContext, state: DriveState) {
  const { attempts } = state
  const first = attempts[0]?.tree
  const last = attempts.findLast(({ ended }) => ended?.tree !== undefined)?.ended?.tree
  if (first === undefined || last === undefined || first.head !== last.head || first.head === 'unborn') return undefined
  const seen = changedPaths(first, last, [])
  return (await changesIn(context, state, first.head)).filter(({ path }) => seen.includes(path))
}

/** The run knows its repository. What `.git` says there now may come from an agent. */
async function changesIn(context: RunContext, { run_id }: DriveState, base: string): Promise<readonly ReportChange[]> {
  const { git, signal, workspace } = asOwner(context, run_id)
  return (await diffWorktree({ git, workspace, base, signal })).files
}

/** What only a driver knows about a run, for its report. Pure. */
function toReportParts(state: DriveState, changes: readonly ReportChange[] | undefined): ReportParts {
  const { place, goal, issue, previous_run_id, delivered } = state
  const judged = judgedAttempts(state)
  return {
    goal,
    ...(issue !== undefined && { issue: issue.url }),
    ...(previous_run_id !== undefined && { previous_run_id }),
    ...(place.kind === 'worktree' && { branch: place.branch }),
    ...(place.folder !== undefined && { folder: place.folder }),
    ...(state.moved !== undefined && { moved: state.moved }),
    ...(delivered?.pull_request !== undefined && { pull_request: delivered.pull_request }),
    ...(state.followed !== undefined && { pull_request_end: describeFollowed(state.followed) }),
    ...(state.acts.length > 0 && { acts: state.acts.map((act) => ({ at: act.at, text: describeAct(act) })) }),
    ...(state.told.length > 0 && {
      messages: state.told.map(({ sent_at: at, by, text }) => ({ at, by: nameDecider(by), text })),
    }),
    ...(state.judged !== undefined && { requirements: state.judged.map((each) => toReportRequirement(each, state)) }),
    ...(changes !== undefined && { changes }),
    evidence: judged.flatMap(({ evidence }) => (evidence?.claims ?? []).map(toEvidence)),
    flags: flagsOfRun(state),
    checks: [...checksBefore(state), ...checkResults(state).map(toReportCheck)],
    ...(state.options.checks.length === 0 && { is_unchecked: true }),
    ...(state.options.mcp_servers !== undefined && { mcp_servers: state.options.mcp_servers }),
  }
}

function toReportRequirement({ id, verdict, text }: JudgedRequirement, { requirements = [] }: DriveState) {
  const { from, by, url } = requirements.find((each) => each.id === id) ?? { from: 'person' as const }
  return { from: url ?? by ?? from, verdict: verdict.replaceAll('_', ' '), text }
}

function toReportCheck({ command, passed, result, run, tests }: ReturnType<typeof checkResults>[number]): ReportCheck {
  return { command, passed, result, ...outputOf(run), ...(tests.length > 0 && { tests }) }
}

/** As long as no agent has worked. */
function checksBefore({ attempts, baseline }: DriveState): ReportCheck[] {
  return attempts.length > 0
    ? []
    : baseline.map((run) => {
        const { command, passed } = run
        return { command, passed, result: `${howItEnded(run)} before the work`, ...outputOf(run) }
      })
}

/** Of a check that failed. */
function outputOf(run?: Pick<BaselineRun, 'passed' | 'output'>): Pick<ReportCheck, 'output'> {
  return run?.passed === false ? { output: lastLines(run.output) } : {}
}

function toEvidence(claim: Claim): ReportEvidence {
  const { verdict, note, execution_id, seq } = claim
  const where = execution_id === undefined ? '' : ` (${execution_id}, event ${seq})`
  return { claim: claimText(claim), verdict, seen: `${note}${where}` }
}

const OUTPUT_LINES = 40

function lastLines(output: string): string {
  return output.trimEnd().split('\n').slice(-OUTPUT_LINES).join('\n')
}

/** What the agent says. */
export function claimText({ about, subject, exit_code, note }: Claim): string {
  if (note === NO_WORK) return 'the result is "applied"'
  return about === 'file' ? `changed ${subject}` : `${subject} exited with ${exit_code}`
}

type Rounds = ReturnType<typeof roundsOf>

function toReportCost(rounds: Rounds, { isDriven }: { isDriven: boolean }): NonNullable<ReportParts['cost']> {
  const { tokens, cost_microusd, priced_microusd, time_ms } = spentBy(rounds[0])
  const unknown = countUnknownCosts(rounds, { isDriven })
  const attempts = rounds.flatMap((each) => each.attempts)
  return {
    ...(rounds.length > 1 && { rounds: rounds.length }),
    attempts: attempts.length,
    attempts_with_unknown_usage: attempts.filter(({ ended }) => ended?.usage === undefined).length,
    tokens,
    ...(cost_microusd > 0 && { cost_usd: cost_microusd / 1_000_000 }),
    ...(priced_microusd !== undefined && { priced_usd: priced_microusd / 1_000_000 }),
    ...(unknown > 0 && { unknown_cost_attempts: unknown }),
    working_ms: time_ms,
  }
}
