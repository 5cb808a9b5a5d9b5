/**
 * A run for people: its state, history, what it waits for, and what can follow. A terminal gets the history in colour; a pipe
 * gets one fact per line. Pure.
 */
import { titleOfGoal } from '../../contract/goal-title.ts'
import type { Activity } from '../../contract/outcome.shape.ts'
import type { RunVerdict } from '../../contract/run-verdict.shape.ts'
import { cleanText } from '../../drive/prompt/fence.ts'
import type { Claim } from '../../drive/record/drive-event.shape.ts'
import { type DriveState, judgedAttempts } from '../../drive/record/drive-state.ts'
import { pendingQuestion, type RunOutline } from '../../runs/read-status.ts'
import { formatVariant } from '../failures/next-text.ts'
import { formatAge } from '../output/format-amounts.ts'
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
import { type Candidate, type Fact, formatActionsLeft, formatSectionChanges, toText } from './run-text.ts'
import { block, formatWaiting, waitingLines } from './run-waits.ts'

export type ViewOptions = {
  now: Date
  /** The short id of the run. */
  name: string
  /** The worktree that the user named, so the commands that can follow must name one too. */
  root?: string | undefined
  /** What became of it, if it is driven by `drover drive` and not by a host. */
  verdict?: RunVerdict | undefined
  /** What the driver has seen. */
  drive?: Pick<DriveState, 'attempts'> | undefined
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
  const history = historyLines(run, options)
  const space = (options.rows ?? Number.POSITIVE_INFINITY) - above.length - below.length - 2
  const shown = history.length <= space ? history : history.slice(history.length - Math.max(1, space))
  return [...above, ...block('History', shown, out), ...below]
}

function headLines(run: RunOutline, { name, out, verdict }: ViewOptions): string[] {
  const state = verdict === undefined ? `${run.state}${formatWaiting(run)}` : headOf(verdict, run)
  const title = `Run ${name}`
  const [first = '', ...rest] = wrapWords(`${title}  ${state}`, tableWidth(out))
  const inColour = (text: string) => (text === '' ? '' : out.style(STATE_STYLES[run.state], text))
  // On a narrow terminal, the title itself may be broken.
  const hasTitle = first.startsWith(title)
  const [, gap = '', shown = ''] = /^( *)(.*)$/.exec(first.slice(title.length)) ?? []
  return [
    hasTitle ? `${out.style('bold', title)}${gap}${inColour(shown)}` : inColour(first),
    ...rest.map(inColour),
    ...(verdict?.look_first ?? []).flatMap((each) => wrapWords(`  ${each}`, tableWidth(out))),
    ...wrapWords(toOneLine(titleOfGoal(run.goal), 3 * tableWidth(out)), tableWidth(out)),
  ]
}

/** What is listed or asked in full below is not in the first line too. */
function headOf({ word, line }: RunVerdict, run: RunOutline): string {
  return word === 'delivered, look first' || pendingQuestion(run) !== undefined ? word : line
}

function factLines(run: RunOutline, { now, out, isRemoved }: ViewOptions): string[] {
  const { pinned_source: source, source_candidate: candidate } = run
  const facts: Fact[] = [
    ['Actions', run.state === 'ended' ? undefined : `${formatActionsLeft(run)} left`],
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

function historyLines(run: RunOutline, { drive, out }: ViewOptions): string[] {
  const left = 4 + WHO_COLUMNS + RESULT_COLUMNS
  const space = Math.max(8, tableWidth(out) - left - 1)
  return toHistory(run, drive).map(({ number, who, result, text, tone }) => {
    const head = `${number.padStart(3)} ${padToColumns(who, WHO_COLUMNS)}`
    const styled = out.style(TONE_STYLES[tone], padToColumns(result, RESULT_COLUMNS))
    return `${head}${styled} ${toOneLine(text, space)}`.trimEnd()
  })
}

/** The commands that can follow. The summary of a run is for programs; the report says the same to people. */
function nextLines({ next, state, workspace, pause_reason: pauseReason }: RunOutline, options: ViewOptions): string[] {
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
  const forDriver = verdict === undefined ? undefined : next.variants.find(({ id }) => DONE_BY_DRIVER.has(id))
  const offered = [
    ...(verdict === undefined || forDriver === undefined ? [] : ofDriver(verdict)).map((each) =>
      withRoot(each, forDriver?.base_argv ?? [], { hasRoot }),
    ),
    ...next.variants.flatMap((each) => (each === forDriver ? [] : (toFollowUp(each, { name, hasRoot }) ?? []))),
  ]
  if (verdict !== undefined && pauseReason === 'environment_unavailable') offered.push(own('answer-instead'))
  const forHosts = verdict !== undefined ? [] : next.variants.filter(({ id }) => id === 'submit-outcome-file')
  return [
    ...[...offered, ...(state === 'stopped' ? [] : [own('stop')])].flatMap((each) => formatFollowUp(each, out)),
    ...forHosts.flatMap((variant) => [
      `  ${out.style('dim', 'Without drover drive, a host reports the outcome of the action:')}`,
      ...formatVariant(variant, tableWidth(out)),
    ]),
  ]
}

/** `drover drive` does these for a driven run. */
const DONE_BY_DRIVER: ReadonlySet<string> = new Set(['submit-outcome-file', 'resume-ad-hoc', 'use-pinned-source'])

/** A run that is driven needs no driver. */
function ofDriver(verdict: RunVerdict): NextCommand[] {
  const next = followUpOfVerdict(verdict)
  const [, , RUN = ''] = next.line.split(' ')
  return next.line === `drover drive ${RUN}` ? [next, followUp('drive-in-background', { RUN })] : [next]
}

type HistoryRow = {
  /** Empty for what belongs to the row above. */
  number: string
  who: string
  result: string
  text: string
  tone: 'good' | 'bad' | 'open' | 'plain'
}

type Action = RunOutline['actions'][number]
type Outcome = NonNullable<Action['outcome']>

/** What has happened in a run, one row per action and answer. Pure. */
function toHistory(run: RunOutline, drive: ViewOptions['drive']): HistoryRow[] {
  return run.actions.flatMap((action, at) => [
    { number: String(at + 1), who: action.action.kind, ...describeAction(action, run) },
    ...listDetails(action, drive),
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

const EVIDENCE_TONES = { observed: 'good', claimed: 'open', contradicted: 'bad', reported: 'open' } as const

/** The commands that the agent says it ran, the checks that drover ran, and the findings of a review. */
function listDetails({ action, outcome }: Action, drive: ViewOptions['drive']): HistoryRow[] {
  const activities = outcome?.implementation?.activities ?? []
  const findings = outcome?.review?.findings ?? []
  return [
    ...activities.map((activity): HistoryRow => {
      const { kind, command, exit_code } = activity
      const word = evidenceWord(activity, action, drive)
      const tone = exit_code === 0 ? EVIDENCE_TONES[word] : 'bad'
      return { number: '', who: `  ${kind}`, result: `exit ${exit_code}`, text: `${word}: ${command}`, tone }
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

/** Whether a command that an outcome lists was seen to end as it says. Pure. */
type Ran = Pick<Activity, 'command' | 'exit_code'>

/** `reported` if no one has compared it, as in a run of a host. */
export function evidenceWord(
  { command, exit_code: exitCode }: Ran,
  { action_id: id }: { readonly action_id: string },
  drive: Pick<DriveState, 'attempts'> | undefined,
): Claim['verdict'] | 'reported' {
  const attempt = drive && judgedAttempts(drive).find(({ action_id }) => action_id === id)
  const isCheck = attempt?.checks.some((run) => cleanText(run.command) === command && run.exit_code === exitCode)
  if (isCheck === true) return 'observed'
  const claims = attempt?.evidence?.claims.filter(({ about }) => about === 'activity') ?? []
  return claims.find(({ subject, exit_code }) => subject === command && exit_code === exitCode)?.verdict ?? 'reported'
}
