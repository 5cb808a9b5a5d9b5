import type { Execution } from '../../executions/store/execution.shape.ts'
import type { Session } from '../../sessions/session.shape.ts'
import { sender } from '../live/api.ts'
import { now } from '../live/now.ts'
import { countAlike } from '../text/count-alike.ts'
import { elapsedOf } from '../text/execution-facts.ts'
import { formatAge, formatCost, formatDuration, formatTokens } from '../text/format.ts'
import type { StateWord } from '../text/state-word.ts'
import { toLine } from '../text/visible-text.ts'

/** The state as a word, with a mark that differs in form too. */
export function StateChip({ word, says = word }: { word: StateWord; says?: string }) {
  return <span class={`chip chip-${word.replace(/\W+/g, '-')}`}>{says}</span>
}

/** How long it runs or ran; empty before its start. */
export function Elapsed({ execution }: { execution: Execution }) {
  const time = elapsedOf(execution, now.value)
  return time === undefined ? null : <span>{formatDuration(time)}</span>
}

/** `of`: what happened then, where that is not clear. */
export function Age({ time, of = '' }: { time: string; of?: string }) {
  return (
    <time dateTime={time} title={new Date(time).toLocaleString()}>
      {`${of} ${formatAge(time, now.value)}`.trim()}
    </time>
  )
}

type Amounts = {
  usage: Execution['usage']
  /** Agents count differently. */
  backend: string | undefined
  cost?: number | undefined
  kind?: Execution['cost_kind']
}

/** Tokens and cost, as far as they are known. */
export function Tokens({ usage, backend, cost, kind }: Amounts) {
  if (usage === undefined) return null
  const { read, written } = countAlike(usage, backend)
  const title = `${read} tokens read, ${written} written, ${usage.cached_tokens} from a cache`
  const parts = [formatTokens(read, written), cost === undefined ? '' : formatCost(cost, kind === 'priced')].filter(
    Boolean,
  )
  return parts.length === 0 ? null : <span title={title}>{parts.join(', ')}</span>
}

/** In a list: costs stand below each other, and those of nothing are not shown. */
export function RowCost({ cost = 0, isPriced }: { cost?: number | undefined; isPriced: boolean }) {
  return <span class="row-cost">{cost > 0 && formatCost(cost, isPriced)}</span>
}

/** The API key of a session, an execution or a run, if it is not that of the reader, and whether all keys see it. */
export function Owner({ of }: { of: Partial<Pick<Session, 'api_key' | 'shared'>> }) {
  const { api_key: key, shared } = of
  return (
    <>
      {key !== undefined && key !== sender.value?.name && <span>of {toLine(key)}</span>}
      {shared === true && <span class="tag">shared</span>}
    </>
  )
}
