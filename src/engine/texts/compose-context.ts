/**
 * The context of an action: the active decisions, the last outcome and the outcomes before it. If not everything fits, the
 * priority is: decisions, newest first; the last outcome; earlier outcomes, newest first. An item that does not fit is
 * skipped in favor of smaller ones after it; the first skipped item is then cut to fill the remaining space.
 */
import { LIMITS } from '../../contract/limits.ts'
import type { Outcome } from '../../contract/outcome.shape.ts'
import type { IssuedAction, Run } from '../state/run.ts'
import { encodedBytes, longestPrefix, truncationMark, withLineFeeds } from './text.ts'

type Part = {
  readonly heading: string
  readonly omitted: string
  readonly items: readonly string[]
  /** The texts of the included items, by index. */
  readonly shown: Map<number, string>
}

/** `spaceBytes` is the space for the context as JSON. Returns undefined if not even the headings fit. */
export function composeContext(run: Run, spaceBytes: number): string | undefined {
  const parts = listContextParts(run)
  // Sizes are summed up: measuring the whole text for each item would take quadratic time.
  const used = { bytes: 0, encodedBytes: 0 }
  const fits = (text: string, part?: Part) => {
    const frame = parts.flatMap((each) => framePart(each, each === part ? 1 : 0)).join('')
    const isShort = used.bytes + Buffer.byteLength(frame + text) <= LIMITS.contextBytes
    return isShort && used.encodedBytes + encodedBytes(frame + text) <= spaceBytes
  }
  const show = ({ part, index }: Item, text: string) => {
    part.shown.set(index, text)
    used.bytes += Buffer.byteLength(text)
    used.encodedBytes += encodedBytes(text)
  }
  if (!fits('')) return undefined
  const skipped = byPriority(parts).filter((item) => {
    if (!fits(item.text, item.part)) return true
    show(item, item.text)
    return false
  })
  for (const item of skipped.slice(0, 1)) {
    const cut = (prefix: string) => `${prefix}${truncationMark(item.text)}\n`
    const fitsCut = (prefix: string) => fits(cut(prefix), item.part)
    if (fitsCut('')) show(item, cut(longestPrefix(item.text, fitsCut)))
  }
  return parts.map(render).join('')
}

type Item = { readonly part: Part; readonly index: number; readonly text: string }

function byPriority(parts: readonly Part[]): Item[] {
  return parts.flatMap((part) => part.items.map((text, index) => ({ part, index, text })).toReversed())
}

/** The lines before and after the items of a part, if `more` of them were included. */
function framePart({ heading, omitted, items, shown }: Part, more: number): readonly [before: string, after: string] {
  if (items.length === 0) return [`${heading}:\n(none)\n`, '']
  const left = items.length - shown.size - more
  return [`${heading}:\n`, left > 0 ? `[omitted ${omitted}: ${left}]\n` : '']
}

function render(part: Part): string {
  const [before, after] = framePart(part, 0)
  const inOrder = [...part.shown].sort(([one], [other]) => one - other).map(([, text]) => text)
  return `${before}${inOrder.join('')}${after}`
}

function listContextParts(run: Run): Part[] {
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
