/** The outcome that is submitted: that of the agent with what drover observed, or one that drover writes. Pure. */
import type { Action } from '../../contract/action.shape.ts'
import { CONTRACT_VERSION } from '../../contract/limits.ts'
import type { Activity, Outcome } from '../../contract/outcome.shape.ts'
import { checkOutcome } from '../../contract/outcome.ts'
import { cleanText } from '../prompt/fence.ts'
import { howItEnded } from '../prompt/follow-ups.ts'
import type { Attempt, CheckRun } from '../record/drive-state.ts'

/** Adds the checks and the number of attempts to an implementation. Checks that failed make it partial. */
export function completeOutcome(outcome: Outcome, attempts: readonly Attempt[]): Outcome {
  if (outcome.implementation === null || outcome.implementation === undefined) return outcome
  const checks = attempts.at(-1)?.checks ?? []
  const failed = checks.filter(({ passed }) => !passed)
  const added = {
    attempts: attempts.filter(isWork).length,
    activities: [...outcome.implementation.activities, ...checks.flatMap(toActivity)],
  }
  const known_issues = [...outcome.known_issues, ...failed.map(toIssue)]
  const implementation = { ...outcome.implementation, ...added }
  const isPartial = failed.length > 0 && outcome.status === 'completed'
  if (!isPartial) return { ...outcome, known_issues, implementation } as Outcome
  return {
    ...outcome,
    known_issues,
    status: 'partial',
    implementation: { ...implementation, result: 'partial' },
  } as Outcome
}

/** An attempt that only reports again is not work. */
function isWork({ purpose, ended }: Attempt): boolean {
  return ended?.how === 'answered' && purpose !== 'outcome_problem'
}

function toIssue(check: CheckRun): string {
  return cleanText(`drover ran the check \`${check.command}\`, and it ${howItEnded(check)}.`)
}

/** A check without an exit code is not an activity; it is a known issue. */
function toActivity(check: CheckRun): Activity[] {
  if (check.exit_code === undefined) return []
  const summary = cleanText(`Run by drover: it ${howItEnded(check)}.`)
  return [
    { kind: classifyCommand(check.command), command: cleanText(check.command), exit_code: check.exit_code, summary },
  ]
}

const KINDS: readonly (readonly [RegExp, Activity['kind']])[] = [
  [/lint|biome|ruff|clippy|prettier|fmt|format/i, 'lint'],
  [/\btsc\b|typecheck|type-check|mypy|pyright/i, 'typecheck'],
  [/test|spec|jest|vitest|pytest|check/i, 'test'],
  [/build|compile|\bmake\b/i, 'build'],
]

function classifyCommand(command: string): Activity['kind'] {
  return KINDS.find(([words]) => words.test(command))?.[1] ?? 'test'
}

type Frame = Pick<Action, 'action_id' | 'kind'>

/** For an action whose agent reported nothing that can be used. */
export function errorOutcome(action: Frame, problem: string, observations: readonly string[] = []): Outcome {
  const error = { status: 'error', summary: cleanText(problem), observations: observations.map(cleanText) }
  const none = { uncertainties: [], findings: [] }
  const own = {
    orient: {},
    clarify: {},
    summarize: {},
    implement: {
      implementation: { result: 'unable', files_changed: [], activities: [], uncertainties: [], attempts: 1 },
    },
    review: { review: { result: 'error', ...none } },
  }
  return checkOutcome({ ...commonFields(action), ...error, ...own[action.kind] })
}

/** Asks a person. A review and a summary cannot ask, so they end with an error. */
export function askOutcome(action: Frame, { question, summary }: { question: string; summary: string }): Outcome {
  if (action.kind === 'review' || action.kind === 'summarize') return errorOutcome(action, `${summary}\n\n${question}`)
  const pause = { reason: 'decision_required', question: cleanText(question), destructive_request: null }
  return checkOutcome({ ...commonFields(action), status: 'needs_input', summary: cleanText(summary), pause })
}

function commonFields({ action_id, kind }: Frame) {
  return {
    contract_version: CONTRACT_VERSION,
    action_id,
    action_kind: kind,
    status: 'error',
    summary: '',
    observations: [],
    known_issues: [],
    suggested_actions: [],
    pause: null,
    implementation: null,
    review: null,
  }
}
