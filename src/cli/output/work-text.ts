/** What a driven run begins with, as text for people: where, by which agents, within which limits. Pure. */
import { titleOfGoal } from '../../contract/goal-title.ts'
import type { EventOf } from '../../drive/record/drive-event.shape.ts'
import type { DriveState } from '../../drive/record/drive-state.ts'
import type { Options } from '../../drive/record/recorded-options.shape.ts'
import { formatMicro } from '../../kit/wording.ts'
import { formatDuration } from './format-amounts.ts'
import { toPrintable } from './printable.ts'
import { oneLine, type StyledLine } from './text-table.ts'

export function whole(text: string): StyledLine {
  return { text, keepsPaths: true }
}

export function describeStart(started: EventOf<'drive_started'>['data']): StyledLine[] {
  const { run_id, goal, place, options, round, is_reviewed: isReviewed } = started
  const where =
    place.kind === 'worktree'
      ? [`Branch ${place.branch}`, whole(`Worktree ${place.root}`)]
      : [whole(`In place: ${place.root}, as it is`)]
  const title = `Run ${run_id}: ${round > 1 ? `round ${round} of ` : ''}${oneLine(titleOfGoal(goal))}`
  return [
    { text: title, tone: 'title' },
    ...[...where, ...folderLines(place, 'Folder'), ...describeAgents(options, isReviewed), ...describeLimits(options)],
    ...(options.checks.length > 0 || round > 1 ? [] : [UNCHECKED]),
  ]
}

function describeAgents(options: Options, isReviewed: boolean | undefined): string[] {
  const demo = options.is_demo ? ' (demo)' : ''
  const work = `Work by ${formatAgent(options)}${demo}`
  if (isReviewed === false) return [`${work}, no review`]
  const { review_backend: reviewer, unpriced_reviewer: unpriced } = options
  const why = `No review by ${unpriced}: --max-cost cannot count what it costs ("drover doctor" says why)`
  return [`${work}, review by ${reviewer}${demo}`, ...(unpriced === undefined ? [] : [why])]
}

/** What is the same for all runs that are queued together. */
export function describeQueued(
  options: Options,
  { isReviewed, totals }: { isReviewed: boolean; totals: Limits },
): StyledLine[] {
  const checks = options.checks.map((check) => toPrintable(check)).join(', ')
  return [
    ...describeAgents(options, isReviewed).map(whole),
    checks === '' ? UNCHECKED : whole(`Checks: ${checks}`),
    ...[...describeLimits(options), ...describeLimits(totals, 'Limits of all these runs')].map(whole),
  ]
}

const UNCHECKED: StyledLine = {
  text: 'No check was given, so nothing is tested; --check "COMMAND" adds one',
  tone: 'open',
}

/** Agents and checks work below the root. */
export function folderLines({ folder }: DriveState['place'], word: string): StyledLine[] {
  return folder === undefined ? [] : [whole(`${word} ${toPrintable(folder)}: agents and checks work there`)]
}

function formatAgent({ backend, model }: Pick<Options, 'backend' | 'model'>): string {
  return model === undefined ? backend : `${backend}/${model}`
}

type Limits = Pick<Options, 'max_tokens' | 'max_cost_microusd' | 'max_time_ms'>
export function describeLimits({ max_tokens, max_cost_microusd, max_time_ms }: Limits, name = 'Limits'): string[] {
  const limits = [
    ...(max_tokens === undefined ? [] : [`${max_tokens} tokens`]),
    ...(max_cost_microusd === undefined ? [] : [formatMicro(max_cost_microusd)]),
    ...(max_time_ms === undefined ? [] : [formatDuration(max_time_ms)]),
  ]
  return limits.length === 0 ? [] : [`${name}: ${limits.join(', ')}`]
}
