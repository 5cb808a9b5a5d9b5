/** Runs as text for people. Pure. */
import { titleOfGoal } from '../../contract/goal-title.ts'
import type { PinnedMaterial } from '../../contract/material.shape.ts'
import type { ProtocolState } from '../../contract/protocol-state.shape.ts'
import type { LocalRun } from '../../contract/run-status.shape.ts'
import type { RunList, RunOutline } from '../../runs/read-status.ts'
import { formatNextBlock, formatPeopleBlock } from '../failures/next-text.ts'
import { formatAge } from '../output/format-time.ts'
import { formatNotedTable, type NotedRow, type TextLayout } from '../output/noted-table.ts'
import { toOneLine, toPrintable } from '../output/printable.ts'

const LINE_COLUMNS = 200

type Fact = readonly [name: string, value: string | undefined]

export function formatStarted(
  { run_id, state, action, next }: ProtocolState,
  { goal, budget }: { goal: string; budget: number },
): string {
  const facts: Fact[] = [
    ['State', state],
    ['Goal', toOneLine(goal, LINE_COLUMNS)],
    ['Budget remaining', action && formatBudget({ remaining_budget: action.remaining_budget, initial_budget: budget })],
    ['Current action', action && formatAction(action)],
  ]
  return toText([`Run ${run_id} started`, ...toLines(facts), ...formatNextBlock(next)])
}

export function formatStopped({ run_id, next, pinned_source }: ProtocolState): string {
  const message = `Run ${run_id} is stopped. Its work so far is kept, and it can be resumed.`
  return toText([message, ...formatNextBlock(next, { source: pinned_source })])
}

/** The state of a run, what it waits for, and the commands that can follow. */
export function formatRun(run: RunOutline, now: Date): string {
  const report = run.summary === undefined ? [] : ['', toPrintable(run.summary).trimEnd(), '']
  return toText([...runFacts(run, now), ...report, ...formatPeopleBlock(run.next)])
}

function runFacts(run: RunOutline, now: Date): string[] {
  const { pinned_source: source, source_candidate: candidate, pause_reason } = run
  const facts: Fact[] = [
    ['Run', run.id],
    ['State', `${run.state}${formatWaiting(run)}`],
    ['Goal', toOneLine(run.goal, LINE_COLUMNS)],
    ['Budget remaining', run.state === 'ended' ? undefined : formatBudget(run)],
    ['Started', `${run.created_at} (${formatAge(run.created_at, now)})`],
    ['Updated', `${run.updated_at} (${formatAge(run.updated_at, now)})`],
    ['Pinned source', source && `${source.canonical_url} (${source.issue_id})`],
    ['Source revision', source?.source_revision],
    ['Requirements revision', source?.requirements_revision],
    ['Sections', source?.sections.map(({ key }) => key).join(', ')],
    ['Pause reason', pause_reason],
    ...questionFacts(run),
    ...destructiveFacts(run),
    ['Current source candidate', candidate && formatCandidate(candidate)],
    ['Candidate classification', candidate?.classification_error],
    ['Candidate sections', source && candidate && formatSectionChanges(source, candidate)],
    ['Current action', run.current_action && formatAction(run.current_action)],
  ]
  return toLines(facts)
}

/** One line per change, for `--watch` without a terminal. */
export function formatUpdate(run: RunOutline): string {
  return `${run.updated_at}  ${run.state}${formatWaiting(run)}  (${formatBudget(run)} actions left)\n`
}

export function formatSection({ run_id, run_state, section, requirements_revision }: PinnedMaterial): string {
  const { key, role, title, section_revision, markdown } = section
  return toText([
    `Section ${JSON.stringify(key)} (${role}) of run ${run_id}, which is ${run_state}.`,
    `Section revision: ${section_revision}`,
    `Requirements revision: ${requirements_revision}`,
    'This is the pinned text. Reading it does not permit anyone to work on it.',
    '',
    `# ${toPrintable(title)}`,
    '',
    toPrintable(markdown).replace(/\n$/, ''),
  ])
}

const LIST_HEADINGS = ['ID', 'STATE', 'BUDGET', 'STARTED', 'GOAL']
const BUDGET = LIST_HEADINGS.indexOf('BUDGET')

type ListWords = {
  nameOf?: ((id: string) => string) | undefined
  /** What is said below a run instead of where it belongs. */
  noteOf?: ((id: string) => string | undefined) | undefined
  /** More than the state of the run says. */
  stateOf?: ((id: string) => string | undefined) | undefined
  /** What a paused run waits for. */
  waitOf?: ((id: string) => string | undefined) | undefined
}

/** One row per run; undefined without runs. A terminal has no column for budgets if no run has one. */
export function formatRuns(list: RunList, now: Date, out: TextLayout & ListWords): string | undefined {
  const { nameOf = (id: string) => id, noteOf = () => undefined, waitOf = () => undefined } = out
  const own = list.runs.map((run) => {
    const { cells, note } = toRow(run, now, out.stateOf?.(run.id))
    const notes = [waitOf(run.id), noteOf(run.id) ?? note].filter((each) => each !== undefined)
    return { cells, note: notes.length === 0 ? undefined : notes.join('; ') }
  })
  const all = [...own, ...list.unavailable_runs.map(toUnavailableRow)]
  const hasBudgets = !out.isTty || all.some(({ cells }) => cells[BUDGET] !== '-')
  const toShown = (cells: readonly string[]) => cells.filter((_, at) => at !== BUDGET || hasBudgets)
  const rows = all.map(({ cells: [id = '', ...rest], note }) => ({ cells: toShown([nameOf(id), ...rest]), note }))
  return rows.length === 0 ? undefined : `${formatNotedTable(toShown(LIST_HEADINGS), rows, out).join('\n')}\n`
}

function toRow(run: RunList['runs'][number], now: Date, state: string = run.state): NotedRow {
  const { id } = run
  const goal = titleOfGoal(run.goal)
  const started = formatAge(run.created_at, now)
  return run.workspace_foreign === true
    ? { cells: [id, state, '-', started, goal], note: `in another worktree: ${run.workspace}` }
    : { cells: [id, state, run.state === 'ended' ? '-' : formatBudget(run), started, goal] }
}

function toUnavailableRow({ id, code, detail }: RunList['unavailable_runs'][number]): NotedRow {
  return { cells: [id, 'unavailable', '-', '-', '-'], note: `${code}: ${detail}` }
}

function formatAction({ kind, action_id }: { kind: string; action_id: string }): string {
  return `${kind} (${action_id})`
}

export function formatWaiting({ state, pause_reason, source_candidate, current_action }: RunOutline): string {
  if (state === 'ended') return ''
  if (source_candidate !== undefined) return ', waiting for a choice between its pinned source and the candidate'
  if (state === 'stopped') return ', waiting to be resumed'
  if (state === 'active') return `, waiting for the outcome of ${current_action?.kind}`
  return `, waiting for ${WAITS_FOR[pause_reason ?? 'decision_required']}`
}

const WAITS_FOR: Readonly<Record<NonNullable<RunOutline['pause_reason']>, string>> = {
  decision_required: 'an answer',
  destructive_confirmation_required: 'a confirmation, or an answer that declines it',
  environment_unavailable: 'its environment to be fixed, then a resume',
  budget_exhausted: 'more budget, which it gets when it is resumed',
}

/** What a paused run of a list waits for, with the command that answers a question. */
export function describePause(run: RunOutline, name: string): string | undefined {
  if (run.state !== 'paused') return undefined
  const waits = formatWaiting(run).replace(/^, /, '')
  const isQuestion =
    run.source_candidate === undefined && (run.pause_reason ?? 'decision_required') === 'decision_required'
  return isQuestion ? `${waits}: drover answer ${name} "TEXT"` : `${waits}: drover status ${name}`
}

/** A resume can give a run more budget than it started with. */
export function formatBudget(run: Pick<RunOutline, 'remaining_budget' | 'initial_budget'>): string {
  const { remaining_budget: left, initial_budget: initial } = run
  return left > initial ? String(left) : `${left} of ${initial}`
}

function questionFacts({ state, current_action, actions }: RunOutline): Fact[] {
  const question = actions.at(-1)?.outcome?.pause?.question
  if (state !== 'paused' || current_action === undefined || question === undefined) return []
  const [short, whole] = [toOneLine(question, LINE_COLUMNS), toOneLine(question, Number.POSITIVE_INFINITY)]
  return [
    ['Pending question', short],
    ['The whole question', short === whole ? undefined : whole],
  ]
}

/** Never shortened: the user must see all of what a confirmation permits. */
function destructiveFacts({ pending_destructive_request: request, current_action }: RunOutline): Fact[] {
  if (request === undefined) return []
  const label = current_action?.destructive_authorization === undefined ? 'Would destroy' : 'Is allowed to destroy'
  return [
    ...request.targets.map(({ kind, value }): Fact => [label, `${kind} ${toOneLine(value, Number.POSITIVE_INFINITY)}`]),
    ['Impact', toOneLine(request.impact, Number.POSITIVE_INFINITY)],
  ]
}

type Candidate = NonNullable<LocalRun['source_candidate']>
type Source = NonNullable<LocalRun['pinned_source']>

function formatCandidate({ candidate_id, classification, classification_code }: Candidate): string {
  return `${candidate_id} (${classification}, ${classification_code})`
}

/** The sections that adopting the candidate would change, add or remove; undefined if there are none. */
export function formatSectionChanges(pinned: Source, { snapshot }: Candidate): string | undefined {
  if (snapshot === undefined) return undefined
  const [before, after] = [revisionsOf(pinned), revisionsOf(snapshot)]
  const inBoth = [...after.keys()].filter((key) => before.has(key))
  const changes = {
    changed: inBoth.filter((key) => before.get(key) !== after.get(key)),
    new: [...after.keys()].filter((key) => !before.has(key)),
    removed: [...before.keys()].filter((key) => !after.has(key)),
  }
  const parts = Object.entries(changes).flatMap(([change, keys]) =>
    keys.length === 0 ? [] : [`${change}: ${keys.join(', ')}`],
  )
  return parts.length === 0 ? undefined : parts.join('; ')
}

function revisionsOf({ sections }: Source): Map<string, string> {
  return new Map(sections.map(({ key, section_revision }) => [key, section_revision]))
}

function toLines(facts: readonly Fact[]): string[] {
  return facts.flatMap(([name, value]) => (value === undefined ? [] : [`${name}: ${toPrintable(value)}`]))
}

function toText(lines: readonly string[]): string {
  return `${lines.join('\n')}\n`
}
