/** A run for people at a terminal: its state, history, what it waits for, and what can follow. Pure. */

import { titleOfGoal } from '../../contract/goal-title.ts'
import type { Next } from '../../contract/next.shape.ts'
import { toRevealed } from '../../kit/revealed-text.ts'
import type { RunOutline } from '../../runs/read-status.ts'
import { formatVariant } from '../failures/next-text.ts'
import { type PeopleWords, toPeopleWords, withRoot } from '../failures/people-words.ts'
import { formatAge } from '../output/format-time.ts'
import { columnsOf, padToColumns, toOneLine, toPrintable } from '../output/printable.ts'
import { tableWidth } from '../output/text-table.ts'
import { wrapWords } from '../output/wrap-words.ts'
import type { Channel } from '../terminal.ts'
import { type HistoryRow, toHistory } from './run-history.ts'
import { formatBudget, formatSectionChanges, formatWaiting } from './run-text.ts'

export type ViewOptions = {
  now: Date
  /** The short id of the run. */
  name: string
  /** The worktree that the user named, so the commands that can follow must name one too. */
  root?: string | undefined
  /** By `drover drive`, and not by a host. */
  isDriven?: boolean
  /** Its work is on a branch. */
  isDelivered?: boolean
  /** The worktree of the run does not exist any more. */
  isRemoved?: boolean
  out: Pick<Channel, 'style' | 'isTty' | 'columns'>
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
  return `${viewLines(run, options).join('\n')}\n`
}

export function viewLines(run: RunOutline, options: ViewOptions): string[] {
  const above = [...headLines(run, options), ...factLines(run, options)]
  const { more = [] } = options
  const below = [...more, ...waitingLines(run, options), ...nextLines(run, options)]
  const history = historyLines(run, options)
  const space = (options.rows ?? Number.POSITIVE_INFINITY) - above.length - below.length - 2
  const shown = history.length <= space ? history : history.slice(history.length - Math.max(1, space))
  return [...above, ...block('History', shown, options), ...below]
}

function headLines(run: RunOutline, { name, out, isDelivered }: ViewOptions): string[] {
  const state = isDelivered === true ? 'delivered' : `${run.state}${formatWaiting(run)}`
  const [first = '', ...rest] = wrapWords(`Run ${name}  ${state}`, tableWidth(out))
  const shown = first.slice(`Run ${name}  `.length)
  return [
    `${out.style('bold', `Run ${name}`)}  ${out.style(STATE_STYLES[run.state], shown)}`,
    ...rest.map((line) => out.style(STATE_STYLES[run.state], line)),
    ...wrapWords(toOneLine(titleOfGoal(run.goal), 3 * tableWidth(out)), tableWidth(out)),
  ]
}

function factLines(run: RunOutline, { now, out, isRemoved }: ViewOptions): string[] {
  const { pinned_source: source, source_candidate: candidate } = run
  const facts: (readonly [string, string | undefined])[] = [
    ['Budget', run.state === 'ended' ? undefined : `${formatBudget(run)} actions left`],
    ['Started', `${formatAge(run.created_at, now)}, last change ${formatAge(run.updated_at, now)}`],
    ['Issue', source?.canonical_url],
    ['Sections', source?.sections.map(({ key }) => key).join(', ')],
    ['Issue now', candidate && describeCandidate(source, candidate)],
    ['Id', run.id],
    ['Worktree', isRemoved === true ? 'removed' : run.workspace],
  ]
  const lines = facts.flatMap(([label, value]) => (value === undefined ? [] : [labelled(label, value, out)]))
  return lines.flat()
}

function describeCandidate(
  source: RunOutline['pinned_source'],
  candidate: NonNullable<RunOutline['source_candidate']>,
): string {
  const changes = source && formatSectionChanges(source, candidate)
  return changes ?? candidate.classification_error ?? candidate.classification
}

const LABEL_COLUMNS = 10

function labelled(label: string, value: string, out: ViewOptions['out']): string[] {
  const available = Math.max(20, tableWidth(out) - LABEL_COLUMNS)
  const lines = wrapWords(toPrintable(value), available, { keepsPaths: label === 'Worktree' })
  // A path, whole: below the label it may fit.
  if (lines.some((line) => columnsOf(line) > available)) return [out.style('dim', label), ...lines]
  return lines.map((line, at) => `${out.style('dim', (at === 0 ? label : '').padEnd(LABEL_COLUMNS))}${line}`)
}

const RESULT_COLUMNS = 12
const WHO_COLUMNS = 11

function historyLines(run: RunOutline, { out }: ViewOptions): string[] {
  const left = 4 + WHO_COLUMNS + RESULT_COLUMNS
  const space = Math.max(8, tableWidth(out) - left - 1)
  return toHistory(run).map(({ number, who, result, text, tone }) => {
    const head = `${number.padStart(3)} ${padToColumns(who, WHO_COLUMNS)}`
    const styled = out.style(TONE_STYLES[tone], padToColumns(result, RESULT_COLUMNS))
    return `${head}${styled} ${toOneLine(text, space)}`.trimEnd()
  })
}

/** The question, and all of what a confirmation permits. Neither is shortened. */
function waitingLines(run: RunOutline, options: ViewOptions): string[] {
  const question = run.actions.at(-1)?.outcome?.pause?.question
  const isAsked = run.state === 'paused' && run.current_action !== undefined && question !== undefined
  return [...(isAsked ? block('Question', indent(question, options), options) : []), ...destructiveLines(run, options)]
}

export function destructiveLines(run: RunOutline, options: Pick<ViewOptions, 'out'>): string[] {
  const request = run.pending_destructive_request
  if (request === undefined) return []
  const isAllowed = run.current_action?.destructive_authorization !== undefined
  const targets = request.targets.flatMap(({ kind, value }) => indent(toRevealed(`${kind} ${value}`), options))
  const title = isAllowed ? 'Is allowed to destroy' : 'Would destroy'
  return [
    ...block(title, targets, options),
    ...block('Impact', indent(toRevealed(request.impact), options), options),
    ...indent(`Digest: ${request.scope_sha256}`, options),
  ]
}

function indent(text: string, { out }: Pick<ViewOptions, 'out'>): string[] {
  return wrapWords(toPrintable(text), tableWidth(out) - 2).map((line) => `  ${line}`)
}

function block(title: string, lines: readonly string[], { out }: Pick<ViewOptions, 'out'>): string[] {
  return lines.length === 0 ? [] : ['', out.style('bold', title), ...lines]
}

/** The commands that can follow, with what each does. The summary of a run is for programs; the report says the same to people. */
function nextLines(run: Pick<RunOutline, 'next' | 'state' | 'workspace'>, options: ViewOptions): string[] {
  const report = { line: `drover report ${options.name}`, says: 'what was done, and the evidence' }
  const hasRoot = options.root !== undefined
  const root = (options.isRemoved === true ? options.root : undefined) ?? run.workspace
  if (run.state === 'ended') {
    return block('Next', wordLines(withRoot(report, ['--root', root], { hasRoot }), options.out), options)
  }
  return block(
    'Next',
    formatNextWords(run.next, { ...options, hasRoot, canStop: ['active', 'paused'].includes(run.state) }),
    options,
  )
}

function formatNextWords(
  { variants }: Next,
  options: Pick<ViewOptions, 'name' | 'isDriven' | 'out'> & { hasRoot: boolean; canStop: boolean },
): string[] {
  const { name, out, canStop, isDriven = false } = options
  const words = variants.flatMap((variant) => {
    const each = toPeopleWords(variant, options)
    if (each === undefined) return []
    const isWork = variant.id === 'submit-outcome-file'
    return isWork && isDriven ? [{ ...each, says: 'go on' }, inBackground(each)] : [each]
  })
  const forHosts = isDriven ? [] : variants.filter(({ id }) => id === 'submit-outcome-file')
  const stop = { line: `drover stop ${name}`, says: 'stop the run; it can be resumed' }
  const stops = canStop ? [withRoot(stop, variants[0]?.base_argv ?? [], options)] : []
  return [
    ...[...words, ...stops].flatMap((each) => wordLines(each, out)),
    ...forHosts.flatMap((variant) => [
      `  ${out.style('dim', 'Without drover drive, a host reports the outcome of the action:')}`,
      ...formatVariant(variant, tableWidth(out)),
    ]),
  ]
}

function inBackground({ line }: PeopleWords): PeopleWords {
  return { line: `${line} --detach`, says: 'go on in the background' }
}

const LINE_COLUMNS = 36

/** A command, and what it does: beside it if both fit, else below it. */
export function wordLines({ line, says }: PeopleWords, out: ViewOptions['out']): string[] {
  const fits = columnsOf(line) <= LINE_COLUMNS && 4 + LINE_COLUMNS + columnsOf(says) <= tableWidth(out)
  if (fits) return [`  ${out.style('cyan', padToColumns(line, LINE_COLUMNS))}  ${out.style('dim', says)}`]
  const below = wrapWords(`      ${says}`, tableWidth(out), { keepsPaths: true })
  return [`  ${out.style('cyan', line)}`, ...below.map((each) => out.style('dim', each))]
}
