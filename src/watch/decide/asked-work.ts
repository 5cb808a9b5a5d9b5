/** Who has asked for work on an issue, and whether it is done. Pure. */
import type { Forge, Labeling } from '../../forge/forge.ts'

/** A person who has asked, by a label or by a comment. */
export type AskedWork = { readonly by: string; readonly at: string }

/** Who has set the label last. `labelings` are oldest first, and the issue has the label now. */
export function lastLabeled(labelings: readonly Labeling[], label: string): AskedWork | undefined {
  const isWanted = (each: Labeling) => each.label.toLowerCase() === label.toLowerCase()
  return labelings.filter(isWanted).at(-1)
}

/** Why the run of an issue is not begun any more. `label` is the one that asked for it; undefined if a comment did. */
export function whyNotWanted(
  issue: Awaited<ReturnType<Forge['issue']>>,
  label: string | undefined,
): string | undefined {
  if (issue === undefined) return 'the issue does not exist here any more'
  if (!issue.isOpen) return 'the issue was closed'
  const isLabeled = issue.labels.some((each) => each.toLowerCase() === label?.toLowerCase())
  return label === undefined || isLabeled ? undefined : `the label ${label} was removed`
}

export type Judgement = 'permitted' | 'not_permitted' | 'edited_since'

/** The text may have changed after a person read it and asked for it: then the one who changed it must be one who may ask. */
export function judgeRequest(
  asked: AskedWork | undefined,
  { edit, mayAsk }: { edit: AskedWork | undefined; mayAsk: (login: string) => boolean },
): Judgement {
  if (asked === undefined || !mayAsk(asked.by)) return 'not_permitted'
  return edit !== undefined && edit.at >= asked.at && !mayAsk(edit.by) ? 'edited_since' : 'permitted'
}

/** What follows the name at the beginning of a comment. Undefined if it does not begin with it. */
export function mentionIn(body: string, name: string): string | undefined {
  const text = body.trimStart()
  const mention = `@${name}`
  if (text.slice(0, mention.length).toLowerCase() !== mention.toLowerCase()) return undefined
  const rest = text.slice(mention.length)
  return /^[\w-]/.test(rest) ? undefined : rest.replace(/^[\s:,]+/, '').trimEnd()
}

export type MentionedRun = {
  readonly choices: readonly string[]
  readonly waits_for?: { readonly reason: string } | undefined
}

/** What a comment does with the run of its issue, which is not over. No comment confirms that something is destroyed. */
export function decideMention(
  { choices, waits_for: waitsFor }: MentionedRun,
  text: string,
): 'answer' | 'resume' | 'nothing' {
  if (waitsFor?.reason === 'destructive_confirmation_required') return 'nothing'
  if (choices.includes('answer')) return text === '' ? 'nothing' : 'answer'
  return choices.includes('resume') ? 'resume' : 'nothing'
}
