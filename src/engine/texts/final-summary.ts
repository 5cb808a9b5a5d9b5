import { digest } from '../../kit/digest.ts'
import { compareBytes } from '../../kit/utf8.ts'
import { isWorktreeChanged } from '../state/git-changes.ts'
import type { ActionTrace, Run } from '../state/run.ts'
import { dirtyAtStart } from './compose-brief.ts'
import { ATTRIBUTION_UNCERTAINTY, notesOnDifference, OBSERVED_SINCE_START } from './notes.ts'
import { longestPrefix } from './text.ts'

/** The line of a summary without any reported check. The texts for hosts quote it. */
export const NO_ACTIVITIES = 'No test, type check, build or lint was reported.'

export const SUMMARY_BYTES = 65_536

/** The summary of a run whose last action reported one: everything done, found and left open. */
export function finalSummary(run: Run): string {
  const blocks = [
    ['The run has finished all its actions.'],
    ['Reports:', ...run.actions.flatMap(report)],
    ['Worktree:', ...gitResult(run)],
    ['Files reported as changed:', ...orNone(reportedFiles(run), '- none')],
    ['Decisions:', ...orNone(decisions(run), '- none')],
    ['Observations:', ...orNone(observations(run).map(bullet), '- none')],
    ['Review:', ...reviewResult(run)],
    ['Checks:', ...orNone(activities(run), `- ${NO_ACTIVITIES}`)],
    [
      'Skipped:',
      ...orNone(
        kindsWhere(run, ({ skipped }) => skipped === true),
        '- none',
      ),
    ],
    [
      'Withdrawn:',
      ...orNone(
        kindsWhere(run, ({ voided }) => voided === true),
        '- none',
      ),
    ],
    ['Known issues:', ...orNone(run.known_issues.map(bullet), '- none')],
    ['Uncertainties:', ...orNone(run.uncertainties.map(bullet), '- none')],
    ...(run.initial_git.path_count > 0 ? [dirtyAtStart(run.initial_git)] : []),
  ]
  return cutSummary(blocks.map((lines) => `${lines.join('\n')}\n`).join('\n'))
}

/** The summary of a run whose last action was skipped: only what drover knows itself. */
export function skippedSummary(run: Run): string {
  const lines = ['The summary was skipped, and the run has ended.', ...gitResult(run), 'No host reported a summary.']
  return `${lines.join('\n')}\n`
}

function report({ action, outcome, skipped, voided }: ActionTrace): string[] {
  if (outcome === undefined) return []
  const marks = [...(skipped === true ? ['skipped'] : []), ...(voided === true ? ['withdrawn'] : [])]
  const annotation = marks.length === 0 ? '' : ` (${marks.join(', ')})`
  return [`- ${action.kind}${annotation}: ${outcome.summary}`]
}

function gitResult(run: Run): string[] {
  if (!run.final_git_observed) return ['- could not be observed when the run ended']
  if (!isWorktreeChanged(run)) return ['- no difference from the start of the run was observed']
  return [bullet(OBSERVED_SINCE_START), bullet(ATTRIBUTION_UNCERTAINTY)]
}

function reportedFiles(run: Run): string[] {
  const files = run.actions.flatMap(({ outcome }) => outcome?.implementation?.files_changed ?? [])
  const names = files.map((file) => file.trim()).filter((file) => file !== '')
  return [...new Set(names)].sort(compareBytes).map(bullet)
}

function decisions(run: Run): string[] {
  return run.answers.filter(({ active }) => active).map(({ action_id, text }) => `- action ${action_id}: ${text}`)
}

/** The observations of hosts, and those of drover about their work. */
function observations(run: Run): string[] {
  const reported = run.actions.flatMap(({ action, outcome }) =>
    action.kind === 'review' ? [] : (outcome?.observations ?? []),
  )
  return [...new Set([...reported, ...notesOnDifference(run)])]
}

function reviewResult(run: Run): string[] {
  const reviews = run.actions.filter(({ action }) => action.kind === 'review')
  const findings = reviews.flatMap(({ outcome }) => outcome?.review?.findings ?? [])
  if (findings.length > 0) return findings.map((each) => `- ${each.location}: ${each.summary} — ${each.detail}`)
  const last = reviews.at(-1)
  if (last?.skipped === true) return ['- skipped by the user']
  if (last?.outcome?.review) return [`- ${last.outcome.review.result}: ${last.outcome.summary}`]
  if (last !== undefined) return ['- issued, but withdrawn before it could report']
  return [run.review_enabled ? '- not issued' : '- turned off for this run']
}

function activities(run: Run): string[] {
  return run.activities.map((each) => `- ${each.kind}: ${each.command} (exit ${each.exit_code}): ${each.summary}`)
}

function kindsWhere(run: Run, matches: (record: ActionTrace) => boolean): string[] {
  return run.actions.filter(matches).map(({ action }) => bullet(action.kind))
}

function bullet(text: string): string {
  return `- ${text}`
}

function orNone(lines: readonly string[], none: string): readonly string[] {
  return lines.length === 0 ? [none] : lines
}

/** The length of the mark depends on the number of omitted bytes, so each candidate length is measured with its own mark. */
function cutSummary(text: string): string {
  const bytes = Buffer.byteLength(text)
  if (bytes <= SUMMARY_BYTES) return text
  const whole = digest(text)
  const cut = (prefix: string) =>
    `${prefix}\n\n...[summary truncated omitted_bytes=${bytes - Buffer.byteLength(prefix)} original_sha256=${whole}]\n`
  return cut(longestPrefix(text, (prefix) => Buffer.byteLength(cut(prefix)) <= SUMMARY_BYTES))
}
