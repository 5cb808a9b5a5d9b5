/** What only a driver knows about a run, for its report. Pure. */
import type { ReportParts } from '../runs/run-report.ts'
import { spentBy } from './decide/budget.ts'
import { howItEnded } from './prompt/follow-ups.ts'
import type { DriveState } from './record/drive-state.ts'
import type { Claim } from './record/event.shape.ts'

export function toReportParts(state: DriveState): ReportParts {
  const { place, attempts } = state
  const judged = lastOfEachAction(state)
  return {
    evidence: judged.flatMap(({ evidence }) => (evidence?.claims ?? []).map(toEvidence)),
    checks: (attempts.findLast(({ checks }) => checks.length > 0)?.checks ?? []).map((check) => ({
      command: check.command,
      passed: check.passed,
      result: howItEnded(check),
    })),
    ...(place.kind === 'worktree' && { branch: place.branch }),
    cost: [...costOf(state), ...flagsOf(judged)],
  }
}

/** Evidence about an earlier attempt was sent back, and does not count any more. */
function lastOfEachAction({ attempts }: DriveState) {
  return attempts.filter(
    ({ action_id, attempt }) => !attempts.some((later) => later.action_id === action_id && later.attempt > attempt),
  )
}

function toEvidence({ about, subject, exit_code, verdict, note, execution_id, seq }: Claim) {
  const where = execution_id === undefined ? '' : ` (${execution_id}, event ${seq})`
  const claim = about === 'file' ? `changed ${subject}` : `${subject} exited with ${exit_code}`
  return { claim, verdict, seen: `${note}${where}` }
}

function costOf(state: DriveState) {
  const { tokens, cost_microusd, time_ms } = spentBy(state)
  const unknown = state.attempts.filter(({ ended }) => ended?.usage === undefined).length
  return [
    { name: 'Attempts', value: `${state.attempts.length}${unknown === 0 ? '' : `, ${unknown} with unknown usage`}` },
    { name: 'Tokens', value: String(tokens) },
    ...(cost_microusd === 0 ? [] : [{ name: 'Cost', value: `$${(cost_microusd / 1_000_000).toFixed(4)}` }]),
    { name: 'Working time', value: `${Math.round(time_ms / 1000)} s` },
  ]
}

function flagsOf(judged: ReturnType<typeof lastOfEachAction>) {
  return judged.flatMap(({ evidence }) =>
    (evidence?.flags ?? []).map(({ flag, detail }) => ({
      name: `Look at: ${flag.replaceAll('_', ' ')}`,
      value: detail,
    })),
  )
}
