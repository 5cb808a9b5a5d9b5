/** Who has asked for work on an issue, who has taken it, and whether a budget keeps a watcher from taking issues. Pure. */
import type { Forge, ForgeComment, Labeling } from '../../forge/forge.ts'
import { budgetSpent } from '../../prompts/budget-faults.ts'
import { scopeOf } from '../../prompts/budget-limit.ts'
import type { BudgetList } from '../../prompts/budget-list.shape.ts'
import { isInDirectory } from '../../prompts/workdir-policy.ts'
import type { WatchRecord } from '../record/watch-record.shape.ts'

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

/** What a comment of drover begins with. Everything after it is for people. */
const MARK = /^<!-- drover-watch claim=([0-9a-f-]{36})( done)? -->/

/** `isDone`: the run is over, and the next label or comment may start another one. */
export function markOf(claim: string, isDone: boolean): string {
  return `<!-- drover-watch claim=${claim}${isDone ? ' done' : ''} -->`
}

export type IssueClaim = Pick<ForgeComment, 'author' | 'createdAt'> & {
  readonly commentId: number
  readonly claim: string
  readonly isDone: boolean
}

/** The first comment with a mark has taken the issue. In the order of the comments, which GitHub numbers. */
export function claimsIn(comments: readonly Omit<ForgeComment, 'url' | 'updatedAt' | 'on'>[]): IssueClaim[] {
  return comments
    .flatMap(({ id, author, createdAt, body }) => {
      const [, claim, done] = MARK.exec(body) ?? []
      return claim === undefined ? [] : [{ commentId: id, author, createdAt, claim, isDone: done !== undefined }]
    })
    .sort((a, b) => a.commentId - b.commentId)
}

type ClaimStep =
  /** No one has taken it. */
  | { readonly is: 'post' }
  | { readonly is: 'won'; readonly commentId: number }
  /** Another drover was first. `commentId` is our comment, if we have written one. */
  | { readonly is: 'lost'; readonly commentId: number | undefined }

/** `claims` are only those of people who may claim: a mark of a stranger blocks nothing. */
export function decideClaim(own: { claim: string; asked_at: string }, claims: readonly IssueClaim[]): ClaimStep {
  const mine = claims.find(({ claim }) => claim === own.claim)
  const first = claims.find((each) => each === mine || !each.isDone || each.createdAt >= own.asked_at)
  if (first === undefined) return { is: 'post' }
  return first === mine ? { is: 'won', commentId: first.commentId } : { is: 'lost', commentId: mine?.commentId }
}

/** Whether a budget keeps a watcher from taking issues. */
type Watched = { readonly label: string; readonly budgetDirectory: string }

/** Why its runs would be refused; undefined if they would not. A budget that only what runs now holds is waited for by runs. */
export function findSpent(
  budgets: BudgetList['budgets'],
  { label, budgetDirectory }: Watched,
): WatchRecord['problem'] | undefined {
  const isIn = (outer: string) => isInDirectory(budgetDirectory, outer)
  const subject = { key: undefined, ofKey: [], isIn, label }
  const spent = budgets.find((each) => each.used >= each.limit && scopeOf(each, subject) !== undefined)
  if (spent === undefined) return undefined
  const { code, message } = budgetSpent({ ...spent, resetsAt: spent.resets_at, retryAfterSecs: undefined })
  return { code, message: `no issue is taken: ${message}` }
}
