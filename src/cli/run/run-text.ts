/** Runs in words. Pure. */
import type { PinnedMaterial } from '../../contract/material.shape.ts'
import type { ProtocolState } from '../../contract/protocol-state.shape.ts'
import type { RunOutline } from '../../runs/show-status.ts'
import { nextBlock } from '../failures/next-text.ts'
import { sayAge } from '../output/moments.ts'
import { toOneLine, toPrintable } from '../output/printable.ts'
import { sayCandidate, sayDifference } from './candidate-text.ts'

const LINE_COLUMNS = 200

type Fact = readonly [name: string, value: string | undefined]

/** What a new run begins with. */
export function sayStarted(
  { run_id, state, action, next }: ProtocolState,
  { goal, budget }: { goal: string; budget: number },
): string {
  const facts: Fact[] = [
    ['State', state],
    ['Goal', toOneLine(goal, LINE_COLUMNS)],
    ['Budget remaining', action && sayBudget({ remaining_budget: action.remaining_budget, initial_budget: budget })],
    ['Current action', action && sayAction(action)],
  ]
  return toText([`Run ${run_id} started`, ...toLines(facts), ...nextBlock(next)])
}

export function sayStopped({ run_id, next, pinned_source }: ProtocolState): string {
  const said = `Run ${run_id} is stopped. What it has done stays, and it can be resumed.`
  return toText([said, ...nextBlock(next, pinned_source)])
}

/** Where a run stands, what it waits for and how to go on. */
export function sayRun(run: RunOutline, now: Date): string {
  const { pinned_source: source, source_candidate: candidate, pause_reason, summary } = run
  const facts: Fact[] = [
    ['Run', run.id],
    ['State', `${run.state}${sayWaiting(run)}`],
    ['Goal', toOneLine(run.goal, LINE_COLUMNS)],
    ['Budget remaining', sayBudget(run)],
    ['Started', `${run.created_at} (${sayAge(run.created_at, now)})`],
    ['Updated', `${run.updated_at} (${sayAge(run.updated_at, now)})`],
    ['Pinned source', source && `${source.canonical_url} (${source.issue_id})`],
    ['Source revision', source?.source_revision],
    ['Requirements revision', source?.requirements_revision],
    ['Sections', source?.sections.map(({ key }) => key).join(', ')],
    ['Pause reason', pause_reason],
    ...sayQuestion(run),
    ...sayRequest(run),
    ['Current source candidate', candidate && sayCandidate(candidate)],
    ['Candidate classification', candidate?.classification_error],
    ['Candidate sections', source && candidate && sayDifference(source, candidate)],
    ['Current action', run.current_action && sayAction(run.current_action)],
  ]
  const report = summary === undefined ? [] : ['', toPrintable(summary).trimEnd(), '']
  return toText([...toLines(facts), ...report, ...nextBlock(run.next, source)])
}

/** One line about where a run stands, for a list of moments. */
export function sayMoment(run: RunOutline): string {
  return `${run.updated_at}  ${run.state}${sayWaiting(run)}  (${sayBudget(run)} actions left)\n`
}

export function saySection({ run_id, run_state, section, requirements_revision }: PinnedMaterial): string {
  const { key, role, title, section_revision, markdown } = section
  return toText([
    `Section ${JSON.stringify(key)} (${role}) of run ${run_id}, which is ${run_state}.`,
    `Section revision: ${section_revision}`,
    `Requirements revision: ${requirements_revision}`,
    'This is the text as it was pinned. To read it gives nobody leave to work on it.',
    '',
    `# ${toPrintable(title)}`,
    '',
    toPrintable(markdown).replace(/\n$/, ''),
  ])
}

function sayAction({ kind, action_id }: { kind: string; action_id: string }): string {
  return `${kind} (${action_id})`
}

/** What the run waits for, in each of its states. */
function sayWaiting({ state, pause_reason, source_candidate, current_action }: RunOutline): string {
  if (state === 'ended') return ''
  if (source_candidate !== undefined) return ', waits for a choice between its pinned source and what was found'
  if (state === 'stopped') return ', waits to be resumed'
  if (state === 'active') return `, waits for the outcome of ${current_action?.kind}`
  return `, waits for ${WAITS[pause_reason ?? 'decision_required']}`
}

const WAITS: Readonly<Record<NonNullable<RunOutline['pause_reason']>, string>> = {
  decision_required: 'an answer',
  destructive_confirmation_required: 'a confirmation, or for words instead of one',
  environment_unavailable: 'its environment to be mended, and then to be resumed',
  budget_exhausted: 'more budget, which it gets when it is resumed',
}

/** A run that was resumed may have been given more than it began with. */
export function sayBudget(run: Pick<RunOutline, 'remaining_budget' | 'initial_budget'>): string {
  const { remaining_budget: left, initial_budget: initial } = run
  return left > initial ? String(left) : `${left} of ${initial}`
}

function sayQuestion({ state, current_action, actions }: RunOutline): Fact[] {
  const question = actions.at(-1)?.outcome?.pause?.question
  if (state !== 'paused' || current_action === undefined || question === undefined) return []
  const [short, whole] = [toOneLine(question, LINE_COLUMNS), toOneLine(question, Number.POSITIVE_INFINITY)]
  return [
    ['Pending question', short],
    ['The whole question', short === whole ? undefined : whole],
  ]
}

/** Whoever is to confirm something has to see all of it, on lines that nothing in it can break. */
function sayRequest({ pending_destructive_request: request, current_action }: RunOutline): Fact[] {
  if (request === undefined) return []
  const label = current_action?.destructive_authorization === undefined ? 'Would destroy' : 'Is allowed to destroy'
  return [
    ...request.targets.map(({ kind, value }): Fact => [label, `${kind} ${toOneLine(value, Number.POSITIVE_INFINITY)}`]),
    ['Impact', toOneLine(request.impact, Number.POSITIVE_INFINITY)],
  ]
}

function toLines(facts: readonly Fact[]): string[] {
  return facts.flatMap(([name, value]) => (value === undefined ? [] : [`${name}: ${toPrintable(value)}`]))
}

function toText(lines: readonly string[]): string {
  return `${lines.join('\n')}\n`
}
