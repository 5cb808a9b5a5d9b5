/** What happened in a run, in the order in which it happened: setup, attempts, checks, questions, pauses, delivery. Pure. */
import type { DrivenRun } from '../../drive/service/driven-run.shape.ts'
import type { DrivenRunEvent } from '../../drive/service/driven-run-event.shape.ts'
import type { IconName } from '../parts/icon.tsx'
import { formatDuration } from '../text/format.ts'

export type DrivenAttempt = NonNullable<DrivenRun['attempts']>[number]
export type ShownCheck = Omit<DrivenAttempt['checks'][number], 'at'>

export type TimelineNode = {
  key: string
  at: string
  icon: IconName
  title: string
  how: 'good' | 'bad' | 'working' | 'waits' | 'calm'
  /** In one line. */
  detail: string
} & ({ attempt: DrivenAttempt } | { check: ShownCheck } | object)

export function toTimeline(run: DrivenRun, events: readonly DrivenRunEvent[]): TimelineNode[] {
  const attempts = (run.attempts ?? []).flatMap((attempt) => [
    toAttemptNode(attempt),
    ...attempt.checks.map((check, at) => toCheckNode(check, `${attempt.attempt} ${at}`, check.at)),
  ])
  const problem = whyNotDelivered(run, events)
  const others = events.flatMap((event) => toEventNodes(event, { run, problem }))
  return [...attempts, ...others, ...decisionsOf(run)].sort((a, b) => (a.at < b.at ? -1 : a.at > b.at ? 1 : 0))
}

/** What people answered, and what they did with the work. */
function decisionsOf({ answers = [], messages = [], acts = [] }: DrivenRun): TimelineNode[] {
  return [
    ...answers.map(({ at, text, is_permit: isPermit }): TimelineNode => {
      const title = isPermit ? 'Permitted' : 'Answer'
      return { key: `answer ${at}`, at, icon: 'comment', title, how: 'calm', detail: text }
    }),
    ...messages.map(({ message_id: id, sent_at: at, text }): TimelineNode => {
      return { key: `message ${id}`, at, icon: 'comment', title: 'Message', how: 'calm', detail: text }
    }),
    ...acts.map(({ at, did, text }): TimelineNode => {
      const how = did === 'merged' || did === 'pull_request_opened' ? 'good' : 'calm'
      return { key: `act ${at}`, at, icon: 'branch', title: toTitle(did), how, detail: text }
    }),
  ]
}

const toTitle = (word: string) => word.slice(0, 1).toUpperCase() + word.slice(1).replaceAll('_', ' ')

const ICONS: Readonly<Record<string, IconName>> = {
  orient: 'compass',
  clarify: 'question',
  implement: 'edit',
  review: 'eye',
  summarize: 'list',
}

const ENDS: Readonly<Record<string, TimelineNode['how']>> = { running: 'working', answered: 'good', cancelled: 'calm' }

function toAttemptNode(attempt: DrivenAttempt): TimelineNode {
  const { action_kind: kind, purpose, how, backend, duration_ms: duration } = attempt
  return {
    key: `attempt ${attempt.attempt}`,
    at: attempt.started_at,
    icon: ICONS[kind] ?? 'tool',
    title: toTitle(kind),
    how: ENDS[how] ?? 'bad',
    detail: [
      backend,
      ...(purpose === 'action' ? [] : [`again: ${purpose.replaceAll('_', ' ')}`]),
      ...(duration === undefined ? [] : [formatDuration(duration)]),
    ].join(' · '),
    attempt,
  }
}

type NodeFacts = Pick<TimelineNode, 'icon' | 'title' | 'how' | 'detail'>

function toCheckNode(check: ShownCheck, key: string, at: string): TimelineNode {
  return { key: `check ${key}`, at, ...checkFacts('Check', check), check }
}

function checkFacts(title: string, { passed, command }: Pick<ShownCheck, 'passed' | 'command'>): NodeFacts {
  return { icon: passed ? 'check' : 'cross', title, how: passed ? 'good' : 'bad', detail: command }
}

type EventData = {
  text: (name: string) => string
  data: object
  /** Whether it is what the run waits for. */
  isOpen: boolean
  /** Why the work of the run is not delivered. */
  problem: string | undefined
}

/** Attempts and their checks are in the run itself. */
const EVENTS: Readonly<Record<string, (event: EventData) => NodeFacts | undefined>> = {
  prepared: ({ data }) => ({
    ...{ icon: 'box', title: 'Setup', how: 'good' },
    detail: formatDuration((data as { duration_ms?: number }).duration_ms ?? 0),
  }),
  setup_failed: ({ text }) => ({
    ...{ icon: 'box', title: 'Setup', how: 'bad' },
    detail: text('command') || text('problem'),
  }),
  baseline_ran: ({ data }) => checkFacts('Check before the work', data as ShownCheck),
  attempt_ended: ({ text, isOpen }) => {
    const detail = questionIn(text('outcome'))
    return detail === '' ? undefined : { icon: 'question', title: 'Question', how: isOpen ? 'waits' : 'calm', detail }
  },
  handed_over: ({ text }) => ({
    ...{ icon: 'tool', title: `Continued by ${text('to')}`, how: 'calm' },
    detail: text('code').replaceAll('_', ' '),
  }),
  waiting_for_limit: ({ text, data }) => ({
    ...{ icon: 'pause', title: 'Limit', how: 'waits' },
    detail: `${text('backend')} ${(data as { is_guess?: boolean }).is_guess === true ? 'does not say when it can be used again; it is tried' : 'can be used again'} at ${text('until')}`,
  }),
  paused: ({ text, isOpen }) => ({
    ...{ icon: 'pause', title: 'Paused', how: isOpen ? 'waits' : 'calm', detail: text('message') },
  }),
  drive_failed: ({ text }) => ({ icon: 'cross', title: 'Failed', how: 'bad', detail: text('message') }),
  delivery_checked: ({ text }) => {
    const result = text('result')
    const detail = text('reason') || (result === 'passed' ? 'every check passes there' : result)
    if (result === 'skipped') return { icon: 'box', title: 'No clean checkout of the commit', how: 'calm', detail }
    const how = result === 'failed' ? 'bad' : 'good'
    return { icon: how === 'bad' ? 'cross' : 'check', title: 'Clean checkout of the commit', how, detail }
  },
  delivered: ({ text, problem }) => {
    const where = text('pull_request') || text('branch')
    if (problem === undefined) return { icon: 'branch', title: 'Delivered', how: 'good', detail: where || text('note') }
    const place = text('commit') === '' ? '' : `; the work is on ${where}`
    return { icon: 'cross', title: 'Not delivered', how: 'bad', detail: `${problem}${place}` }
  },
}

const textOf = ({ data }: Pick<DrivenRunEvent, 'data'>, name: string) => {
  const value = (data as Record<string, unknown>)[name]
  return typeof value === 'string' ? value : ''
}

/** Work that was merged by hand, or discarded since, has another verdict. Its checks say why it was not delivered. */
function whyNotDelivered({ verdict }: DrivenRun, events: readonly DrivenRunEvent[]): string | undefined {
  if (verdict.word === 'not delivered') return verdict.reason
  const checked = events.findLast(({ type }) => type === 'delivery_checked')
  return checked === undefined || textOf(checked, 'result') === 'passed' ? undefined : textOf(checked, 'reason')
}

type Around = { run: DrivenRun; problem: string | undefined }

function toEventNodes({ seq = 0, at, type, data }: DrivenRunEvent, { run, problem }: Around): TimelineNode[] {
  const text = (name: string) => textOf({ data }, name)
  const isWaiting = run.waits_for !== undefined || run.state === 'paused'
  const facts = EVENTS[type]?.({ text, data, problem, isOpen: isWaiting && run.last_seq - seq <= AFTER_QUESTION })
  if (facts === undefined) return []
  return [{ key: `event ${seq}`, at, ...facts, ...(type === 'baseline_ran' && { check: data as ShownCheck }) }]
}

/** The record of an outcome follows its attempt. */
const AFTER_QUESTION = 3

/** The outcome is in the record as the agent wrote it, and was checked then. */
function questionIn(outcome: string): string {
  if (outcome === '') return ''
  const { pause } = JSON.parse(outcome) as { pause?: { question?: string } | null }
  return pause?.question ?? ''
}
