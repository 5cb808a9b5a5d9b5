/**
 * What an action is told of earlier ones: the decisions that hold, the last outcome, and the outcomes before it. When not
 * everything fits, it is taken in this order: decisions, the newest first; the last outcome; earlier ones, the newest first.
 * An item that does not fit is passed over for smaller ones after it, and the first such item gets what space is left.
 */
import { LIMITS } from '../contract/limits.ts'
import type { Outcome } from '../contract/outcome.shape.ts'
import type { IssuedAction, Run } from './run.ts'
import { encodedBytes, longestPrefix, truncationMark, withLineFeeds } from './text.ts'

type Part = {
  readonly heading: string
  readonly omitted: string
  readonly items: readonly string[]
  /** What is shown of the items, by their index. */
  readonly shown: Map<number, string>
}

/** `spaceBytes` is what the action has left for it, as JSON; undefined when not even the headings fit. */
export function composeContext(run: Run, spaceBytes: number): string | undefined {
  const parts = partsOf(run)
  // Sizes are added up: to measure the whole text for each item would take quadratic time.
  const used = { bytes: 0, encodedBytes: 0 }
  const fits = (text: string, part?: Part) => {
    const frame = parts.flatMap((each) => frameOf(each, each === part ? 1 : 0)).join('')
    const isShort = used.bytes + Buffer.byteLength(frame + text) <= LIMITS.contextBytes
    return isShort && used.encodedBytes + encodedBytes(frame + text) <= spaceBytes
  }
  const show = ({ part, index }: Place, text: string) => {
    part.shown.set(index, text)
    used.bytes += Buffer.byteLength(text)
    used.encodedBytes += encodedBytes(text)
  }
  if (!fits('')) return undefined
  const passedOver = byPriority(parts).filter((place) => {
    if (!fits(place.text, place.part)) return true
    show(place, place.text)
    return false
  })
  for (const place of passedOver.slice(0, 1)) {
    const cut = (prefix: string) => `${prefix}${truncationMark(place.text)}\n`
    const fitsCut = (prefix: string) => fits(cut(prefix), place.part)
    if (fitsCut('')) show(place, cut(longestPrefix(place.text, fitsCut)))
  }
  return parts.map(render).join('')
}

type Place = { readonly part: Part; readonly index: number; readonly text: string }

function byPriority(parts: readonly Part[]): Place[] {
  return parts.flatMap((part) => part.items.map((text, index) => ({ part, index, text })).toReversed())
}

/** What stands before and after the items of a part, if so many more of them were shown. */
function frameOf({ heading, omitted, items, shown }: Part, more: number): readonly [before: string, after: string] {
  if (items.length === 0) return [`${heading}:\n(none)\n`, '']
  const left = items.length - shown.size - more
  return [`${heading}:\n`, left > 0 ? `[omitted ${omitted}: ${left}]\n` : '']
}

function render(part: Part): string {
  const [before, after] = frameOf(part, 0)
  const inOrder = [...part.shown].sort(([one], [other]) => one - other).map(([, text]) => text)
  return `${before}${inOrder.join('')}${after}`
}

function partsOf(run: Run): Part[] {
  const requirements = run.pinned_source?.requirements_revision
  const decisions = run.answers
    .filter(({ active, requirements_revision }) => active && requirements_revision === requirements)
    .map(({ action_id, text }) => `- action ${action_id} decision:\n  ${indent(2, text)}\n`)
  const outcomes = run.actions.flatMap(({ action, outcome, voided }) =>
    outcome === undefined || voided === true ? [] : [describeOutcome(action, outcome)],
  )
  return [
    { heading: 'Decisions', omitted: 'decisions', items: decisions, shown: new Map() },
    { heading: 'Recent outcome', omitted: 'recent outcomes', items: outcomes.slice(-1), shown: new Map() },
    { heading: 'Earlier outcomes', omitted: 'earlier outcomes', items: outcomes.slice(0, -1), shown: new Map() },
  ]
}

function describeOutcome({ kind, action_id }: IssuedAction, { summary, known_issues }: Outcome): string {
  const line = `- ${kind} action ${action_id}: ${indent(2, summary)}\n`
  const issues = known_issues.map((issue) => `  - ${indent(4, issue)}\n`)
  return issues.length === 0 ? line : `${line}  Known issues:\n${issues.join('')}`
}

/** Indents every line but the first. */
function indent(by: number, text: string): string {
  return withLineFeeds(text).replaceAll('\n', `\n${' '.repeat(by)}`)
}
