import type { Execution } from '../../executions/store/execution.shape.ts'
import { now } from '../live/now.ts'
import { formatAge, formatCost, formatDuration, formatTokens } from '../text/format.ts'

const MARKS: Readonly<Record<string, string>> = {
  queued: '…',
  running: '●',
  completed: '✓',
  failed: '✗',
  cancelled: '–',
  lost: '?',
  waiting: '!',
  paused: '‖',
  stopped: '■',
  interrupted: '?',
  continued: '→',
  ended: '✓',
  delivered: '✓',
  'delivered, look first': '!',
  'nothing to change': '✓',
  'not delivered': '✗',
  'waits for you': '!',
  'paused by limit': '‖',
  'waiting for limit': '…',
  'not driven': '?',
  answered: '✓',
}

/** The state as a mark and a word, never only as a colour. */
export function StateBadge({ state }: { state: string }) {
  return (
    <span class={`badge state-${state.replaceAll(/[^a-z]+/g, '-')}`}>
      <span aria-hidden="true">{MARKS[state] ?? '·'}</span> {state}
    </span>
  )
}

/** How long it runs or ran; empty before its start. */
export function Elapsed({ execution }: { execution: Execution }) {
  const { started_at: start, ended_at: end } = execution
  if (start === undefined) return null
  const until = end === undefined ? now.value : Date.parse(end)
  return <span>{formatDuration(Math.max(0, until - Date.parse(start)))}</span>
}

/** `of`: what happened then, where that is not clear. */
export function Age({ time, of = '' }: { time: string; of?: string }) {
  return (
    <time dateTime={time} title={new Date(time).toLocaleString()}>
      {`${of} ${formatAge(time, now.value)}`.trim()}
    </time>
  )
}

type Amounts = { usage: Execution['usage']; cost?: number | undefined; kind?: Execution['cost_kind'] }

/** Tokens and cost, as far as they are known. */
export function Tokens({ usage, cost, kind }: Amounts) {
  if (usage === undefined) return null
  const { input_tokens: read, output_tokens: written, cached_tokens: cached } = usage
  const title = `${read} tokens read, ${written} written, ${cached} from a cache`
  const parts = [formatTokens(read, written), cost === undefined ? '' : formatCost(cost, kind === 'priced')].filter(
    Boolean,
  )
  return parts.length === 0 ? null : <span title={title}>{parts.join(', ')}</span>
}
