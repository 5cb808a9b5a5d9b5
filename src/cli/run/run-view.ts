/**
 * A run for people: its state, history, what it waits for, and what can follow. A terminal gets the history in colour; a pipe
 * gets one fact per line. Pure.
 */
import { titleOfGoal } from '../../contract/goal-title.ts'
import type { PinnedMaterial } from '../../contract/material.shape.ts'
import type { ProtocolState } from '../../contract/protocol-state.shape.ts'
import type { LocalRun } from '../../contract/run-status.shape.ts'
import type { RunVerdict } from '../../contract/run-verdict.shape.ts'
import type { RunOutline } from '../../runs/read-status.ts'
import { formatNextBlock, formatPeopleBlock, formatVariant } from '../failures/next-text.ts'
import { formatAge } from '../output/format-time.ts'
import { countColumns, padToColumns, toOneLine, toPrintable } from '../output/printable.ts'
import { type TextLayout, tableWidth } from '../output/text-table.ts'
import {
  followUp,
  followUpOfVerdict,
  formatFollowUp,
  type NextCommand,
  toFollowUp,
  withRoot,
} from '../output/what-follows.ts'
import { wrapWords } from '../output/wrap-words.ts'
import type { Channel } from '../terminal.ts'
import { type HistoryRow, toHistory } from './run-history.ts'
import { block, destroyTitle, formatWaiting, pendingQuestion, waitingLines } from './run-waits.ts'

export type ViewOptions = {
  now: Date
  /** The short id of the run. */
  name: string
  /** The worktree that the user named, so the commands that can follow must name one too. */
  root?: string | undefined
  /** What became of it, if it is driven by `drover drive` and not by a host. */
  verdict?: RunVerdict | undefined
  /** The worktree of the run does not exist any more. */
  isRemoved?: boolean
  out: TextLayout
  /** Lines after the history. */
  more?: readonly string[]
  /** How many lines fit; the oldest history is left out first. */
  rows?: number
}

type Style = Parameters<Channel['style']>[0]

const STATE_STYLES: Readonly<Record<RunOutline['state'], Style>> = {
  active: 'green',
  paused: 'yellow',
  stopped: 'red',
  ended: 'cyan',
}

const TONE_STYLES: Readonly<Record<HistoryRow['tone'], Style>> = {
  good: 'green',
  bad: 'red',
  open: 'yellow',
  plain: 'dim',
}

export function formatRunView(run: RunOutline, options: ViewOptions): string {
  return toText(viewLines(run, options))
}

export function viewLines(run: RunOutline, options: ViewOptions): string[] {
  const { more = [], out } = options
  const above = [...headLines(run, options), ...factLines(run, options)]
  const below = [...more, ...waitingLines(run, out), ...block('Next', nextLines(run, options), out)]
  const history = historyLines(run, out)
  const space = (options.rows ?? Number.POSITIVE_INFINITY) - above.length - below.length - 2
  const shown = history.length <= space ? history : history.slice(history.length - Math.max(1, space))
  return [...above, ...block('History', shown, out), ...below]
}

function headLines(run: RunOutline, { name, out, verdict }: ViewOptions): string[] {
  const state = verdict === undefined ? `${run.state}${formatWaiting(run)}` : headOf(verdict, run)
  const [first = '', ...rest] = wrapWords(`Run ${name}  ${state}`, tableWidth(out))
  const shown = first.slice(`Run ${name}  `.length)
  return [
    `${out.style('bold', `Run ${name}`)}  ${out.style(STATE_STYLES[run.state], shown)}`,
    ...rest.map((line) => out.style(STATE_STYLES[run.state], line)),
    ...(verdict?.look_first ?? []).flatMap((each) => wrapWords(`  ${each}`, tableWidth(out))),
    ...wrapWords(toOneLine(titleOfGoal(run.goal), 3 * tableWidth(out)), tableWidth(out)),
  ]
}

/** What is listed or asked in full below is not in the first line too. */
function headOf({ word, line, look_first: lookFirst }: RunVerdict, run: RunOutline): string {
  return lookFirst.length > 0 || pendingQuestion(run) !== undefined ? word : line
}

type Fact = readonly [name: string, value: string | undefined]

function factLines(run: RunOutline, { now, out, isRemoved }: ViewOptions): string[] {
  const { pinned_source: source, source_candidate: candidate } = run
  const facts: Fact[] = [
    ['Budget', run.state === 'ended' ? undefined : `${formatBudget(run)} actions left`],
    ['Started', `${formatAge(run.created_at, now)}, last change ${formatAge(run.updated_at, now)}`],
    ['Issue', source?.canonical_url],
    ['Sections', source?.sections.map(({ key }) => key).join(', ')],
    ['Issue now', candidate && describeCandidate(source, candidate)],
    ['Id', run.id],
    ['Worktree', isRemoved === true ? 'removed' : run.workspace],
  ]
  return facts.flatMap(([label, value]) => (value === undefined ? [] : labelled(label, value, out)))
}

function describeCandidate(source: RunOutline['pinned_source'], candidate: Candidate): string {
  const changes = source && formatSectionChanges(source, candidate)
  return changes ?? candidate.classification_error ?? candidate.classification
}

const LABEL_COLUMNS = 10

function labelled(label: string, value: string, out: TextLayout): string[] {
  const available = Math.max(20, tableWidth(out) - LABEL_COLUMNS)
  const lines = wrapWords(toPrintable(value), available, { keepsPaths: label === 'Worktree' })
  // A path, whole: below the label it may fit.
  if (lines.some((line) => countColumns(line) > available)) return [out.style('dim', label), ...lines]
  return lines.map((line, at) => `${out.style('dim', (at === 0 ? label : '').padEnd(LABEL_COLUMNS))}${line}`)
}

const RESULT_COLUMNS = 12
const WHO_COLUMNS = 11

function historyLines(run: RunOutline, out: TextLayout): string[] {
  const left = 4 + WHO_COLUMNS + RESULT_COLUMNS
  const space = Math.max(8, tableWidth(out) - left - 1)
  return toHistory(run).map(({ number, who, result, text, tone }) => {
    const head = `${number.padStart(3)} ${padToColumns(who, WHO_COLUMNS)}`
    const styled = out.style(TONE_STYLES[tone], padToColumns(result, RESULT_COLUMNS))
    return `${head}${styled} ${toOneLine(text, space)}`.trimEnd()
  })
}

/** The commands that can follow. The summary of a run is for programs; the report says the same to people. */
function nextLines({ next, state, workspace }: RunOutline, options: ViewOptions): string[] {
  const { name, out, verdict, isRemoved } = options
  const [RUN, hasRoot] = [name, options.root !== undefined]
  if (state === 'ended') {
    const root = (isRemoved === true ? options.root : undefined) ?? workspace
    const report = followUp('report', { RUN })
    const first = verdict === undefined || verdict.next === report.line ? [] : [followUpOfVerdict(verdict)]
    const named = [...first, report].map((each) =>
      each.line.startsWith('drover ') ? withRoot(each, ['--root', root], { hasRoot }) : each,
    )
    return named.flatMap((each) => formatFollowUp(each, out))
  }
  const own = (id: Parameters<typeof followUp>[0]) =>
    withRoot(followUp(id, { RUN }), next.variants[0]?.base_argv ?? [], { hasRoot })
  const offered = next.variants.flatMap((variant) =>
    verdict !== undefined && variant.id === 'submit-outcome-file'
      ? ofDriver(verdict).map((each) => withRoot(each, variant.base_argv, { hasRoot }))
      : (toFollowUp(variant, { name, hasRoot }) ?? []),
  )
  const forHosts = verdict !== undefined ? [] : next.variants.filter(({ id }) => id === 'submit-outcome-file')
  return [
    ...[...offered, ...(state === 'stopped' ? [] : [own('stop')])].flatMap((each) => formatFollowUp(each, out)),
    ...forHosts.flatMap((variant) => [
      `  ${out.style('dim', 'Without drover drive, a host reports the outcome of the action:')}`,
      ...formatVariant(variant, tableWidth(out)),
    ]),
  ]
}

/** A run that is driven needs no driver. */
function ofDriver(verdict: RunVerdict): NextCommand[] {
  const next = followUpOfVerdict(verdict)
  const [, , RUN = ''] = next.line.split(' ')
  return next.line === `drover drive ${RUN}` ? [next, followUp('drive-in-background', { RUN })] : [next]
}

const LINE_COLUMNS = 200

/** The state of a run, what it waits for, and the commands that can follow, one fact per line. */
export function formatRun(run: RunOutline, now: Date, verdict?: RunVerdict): string {
  if (verdict !== undefined) return toText([...toLines(runFacts(run, now, verdict)), ...nextOfVerdict(verdict)])
  const report = run.summary === undefined ? [] : ['', toPrintable(run.summary).trimEnd(), '']
  return toText([...toLines(runFacts(run, now)), ...report, ...formatPeopleBlock(run.next)])
}

function nextOfVerdict(verdict: RunVerdict): string[] {
  const { line, says } = followUpOfVerdict(verdict)
  return ['Next:', `  ${says}`, `    ${line}`]
}

function runFacts(run: RunOutline, now: Date, verdict?: RunVerdict): Fact[] {
  const { pinned_source: source, source_candidate: candidate, pause_reason } = run
  return [
    ['Run', run.id],
    ['State', verdict?.line ?? `${run.state}${formatWaiting(run)}`],
    ...(verdict?.look_first ?? []).map((each): Fact => ['Look first', each]),
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
}

function questionFacts(run: RunOutline): Fact[] {
  const question = pendingQuestion(run)
  if (question === undefined) return []
  const [short, whole] = [toOneLine(question, LINE_COLUMNS), toOneLine(question, Number.POSITIVE_INFINITY)]
  return [
    ['Pending question', short],
    ['The whole question', short === whole ? undefined : whole],
  ]
}

/** Never shortened: the user must see all of what a confirmation permits. */
function destructiveFacts(run: RunOutline): Fact[] {
  const request = run.pending_destructive_request
  if (request === undefined) return []
  const toWhole = (text: string) => toOneLine(text, Number.POSITIVE_INFINITY)
  return [
    ...request.targets.map(({ kind, value }): Fact => [destroyTitle(run), `${kind} ${toWhole(value)}`]),
    ['Impact', toWhole(request.impact)],
  ]
}

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

/** One line per change, for `--watch` without a terminal. */
export function formatUpdate(run: RunOutline, verdict?: RunVerdict): string {
  return `${run.updated_at}  ${verdict?.line ?? `${run.state}${formatWaiting(run)}`}  (${formatBudget(run)} actions left)\n`
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

function formatAction({ kind, action_id }: { kind: string; action_id: string }): string {
  return `${kind} (${action_id})`
}

/** A resume can give a run more budget than it started with. */
export function formatBudget(run: Pick<RunOutline, 'remaining_budget' | 'initial_budget'>): string {
  const { remaining_budget: left, initial_budget: initial } = run
  return left > initial ? String(left) : `${left} of ${initial}`
}

type Candidate = NonNullable<LocalRun['source_candidate']>
type Source = NonNullable<LocalRun['pinned_source']>

function formatCandidate({ candidate_id, classification, classification_code }: Candidate): string {
  return `${candidate_id} (${classification}, ${classification_code})`
}

/** The sections that adopting the candidate would change, add or remove; undefined if there are none. */
export function formatSectionChanges(pinned: Source, { snapshot }: Candidate): string | undefined {
  if (snapshot === undefined) return undefined
  const [before, after] = [listRevisions(pinned), listRevisions(snapshot)]
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

function listRevisions({ sections }: Source): Map<string, string> {
  return new Map(sections.map(({ key, section_revision }) => [key, section_revision]))
}

function toLines(facts: readonly Fact[]): string[] {
  return facts.flatMap(([name, value]) => (value === undefined ? [] : [`${name}: ${toPrintable(value)}`]))
}

function toText(lines: readonly string[]): string {
  return `${lines.join('\n')}\n`
}
