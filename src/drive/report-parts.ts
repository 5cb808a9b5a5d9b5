/** What only a driver knows about a run, for its report. Pure. */
import { nameDecider } from '../agents/decision-text.ts'
import type { ReportChange, ReportCheck, ReportEvidence, ReportParts } from '../runs/run-report.ts'
import { checkResults } from './decide/check-results.ts'
import { describeAct } from './decide/describe-act.ts'
import { describeFollowed } from './decide/judge-work.ts'
import { spentBy } from './decide/spending.ts'
import { flagsOfRun } from './evidence/repository-flags.ts'
import { summarizeBoundary } from './evidence/summarize-boundary.ts'
import type { Claim } from './record/drive-event.shape.ts'
import { type DriveState, judgedAttempts } from './record/drive-state.ts'
import type { JudgedRequirement } from './record/follow-event.shape.ts'

export function toReportParts(state: DriveState, changes: readonly ReportChange[] | undefined): ReportParts {
  const { place, goal, issue, previous_run_id, delivered } = state
  const judged = judgedAttempts(state)
  const boundary = summarizeBoundary(state)
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
    checks: checkResults(state).map(toReportCheck),
    ...(boundary !== undefined && { boundary }),
    ...(state.options.mcp_servers !== undefined && { mcp_servers: state.options.mcp_servers }),
    cost: toReportCost(state),
  }
}

function toReportRequirement({ id, verdict, text }: JudgedRequirement, { requirements = [] }: DriveState) {
  const { from, by, url } = requirements.find((each) => each.id === id) ?? { from: 'person' as const }
  return { from: url ?? by ?? from, verdict: verdict.replaceAll('_', ' '), text }
}

function toReportCheck({ command, passed, result, run, tests }: ReturnType<typeof checkResults>[number]): ReportCheck {
  const output = run?.passed === false ? { output: lastLines(run.output) } : {}
  return { command, passed, result, ...output, ...(tests.length > 0 && { tests }) }
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
export function claimText({ about, subject, exit_code }: Claim): string {
  return about === 'file' ? `changed ${subject}` : `${subject} exited with ${exit_code}`
}

function toReportCost(state: DriveState): NonNullable<ReportParts['cost']> {
  const { tokens, cost_microusd, priced_microusd, time_ms } = spentBy(state)
  return {
    attempts: state.attempts.length,
    attempts_with_unknown_usage: state.attempts.filter(({ ended }) => ended?.usage === undefined).length,
    tokens,
    ...(cost_microusd > 0 && { cost_usd: cost_microusd / 1_000_000 }),
    ...(priced_microusd !== undefined && { priced_usd: priced_microusd / 1_000_000 }),
    working_ms: time_ms,
  }
}
