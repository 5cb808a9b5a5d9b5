/** What has happened in a run, one row per action and answer. Pure. */
import type { RunOutline } from '../../runs/read-status.ts'

export type HistoryRow = {
  /** Empty for what belongs to the row above. */
  number: string
  who: string
  result: string
  text: string
  tone: 'good' | 'bad' | 'open' | 'plain'
}

type Action = RunOutline['actions'][number]
type Outcome = NonNullable<Action['outcome']>

export function toHistory(run: RunOutline): HistoryRow[] {
  return run.actions.flatMap((action, at) => [
    { number: String(at + 1), who: action.action.kind, ...describeAction(action, run) },
    ...listDetails(action),
    ...answersTo(action, run),
  ])
}

type Described = Pick<HistoryRow, 'result' | 'text' | 'tone'>

function describeAction(action: Action, run: RunOutline): Described {
  const { outcome, skipped, voided } = action
  if (skipped === true) return { result: 'skipped', text: '', tone: 'plain' }
  if (outcome !== undefined) return describeOutcome(outcome)
  if (voided === true) return { result: 'withdrawn', text: '', tone: 'plain' }
  const isCurrent = run.current_action?.action_id === action.action.action_id
  return { result: isCurrent ? 'in progress' : 'no outcome', text: '', tone: 'open' }
}

function describeOutcome(outcome: Outcome): Described {
  const { status, summary, pause, implementation, review } = outcome
  if (status === 'needs_input') return { result: 'asked', text: pause?.question ?? summary, tone: 'open' }
  if (status === 'error') return { result: 'failed', text: summary, tone: 'bad' }
  const isGood = status === 'completed' && (review?.findings.length ?? 0) === 0
  const result = formatResult(implementation, review) ?? status
  return { result, text: summary, tone: isGood ? 'good' : 'bad' }
}

function formatResult(implementation: Outcome['implementation'], review: Outcome['review']): string | undefined {
  if (implementation !== null) return implementation.result.replace('_', ' ')
  if (review === null) return undefined
  const { findings, result } = review
  if (findings.length > 0) return findings.length === 1 ? '1 finding' : `${findings.length} findings`
  return result === 'no_findings_reported' ? 'no findings' : result
}

/** The checks that the host says it ran, and the findings of a review. */
function listDetails({ outcome }: Action): HistoryRow[] {
  const activities = outcome?.implementation?.activities ?? []
  const findings = outcome?.review?.findings ?? []
  return [
    ...activities.map(({ kind, command, exit_code }): HistoryRow => {
      const isGood = exit_code === 0
      return { number: '', who: `  ${kind}`, result: `exit ${exit_code}`, text: command, tone: isGood ? 'good' : 'bad' }
    }),
    ...findings.map(({ location, summary }): HistoryRow => {
      return { number: '', who: '  finding', result: '', text: `${location}: ${summary}`, tone: 'bad' }
    }),
  ]
}

function answersTo({ action }: Action, { answers = [] }: RunOutline): HistoryRow[] {
  const given = answers.filter(({ action_id }) => action_id === action.action_id)
  return given.map(({ text, confirm_destructive }) => {
    const result = confirm_destructive ? 'confirmed' : 'answered'
    return { number: '', who: '  you', result, text, tone: 'plain' }
  })
}
