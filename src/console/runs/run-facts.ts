/** What a run waits for and where it is, in words for people. Pure. */
import type { DrivenRun, RunChoice } from '../../drive/service/driven-run.shape.ts'
import { formatCost, formatDuration, nameOfRepository } from '../text/format.ts'
import { toLine } from '../text/visible-text.ts'

type Wait = NonNullable<DrivenRun['waits_for']>
type WaitFacts = Pick<
  DrivenRun,
  'state' | 'verdict' | 'waits_for' | 'pause' | 'problem' | 'spent' | 'machine' | 'is_machine_gone'
>

const WAITS: Readonly<Record<Wait['reason'], string>> = {
  decision_required: 'asks a question',
  destructive_confirmation_required: 'asks to destroy something',
  environment_unavailable: 'lacks something',
  budget_exhausted: 'has used all its actions',
  source_changed: 'has an issue that was edited',
}

const PAUSES: Readonly<Record<string, string>> = {
  max_tokens: 'has reached its limit of tokens',
  max_cost: 'has reached its limit of costs',
  budget_spent: 'is paused, because a budget is spent',
  cost_unknown: 'is paused, because the cost of an attempt is not known',
  max_time: 'has reached its limit of time',
}

/** Follows the title of the run. */
export function describeReason({ state, verdict, waits_for: wait, pause }: WaitFacts): string {
  if (state === 'stopped') return 'was stopped'
  if (wait !== undefined) return WAITS[wait.reason]
  if (pause === undefined) return verdict.word
  return PAUSES[pause.reason] ?? `is paused: ${toLine(pause.reason.replaceAll('_', ' '))}`
}

/** The message of a limit names a flag of the command, so the page has its own. */
export function describeQuestion(run: WaitFacts): string {
  const { waits_for: wait, pause, problem, state, machine = '' } = run
  if (run.is_machine_gone === true)
    return `No worker is running on ${toLine(machine)}. Start drover work there to continue.`
  if (state === 'stopped') return 'Its work is kept. It can be resumed.'
  if (state === 'interrupted') return 'Its process ended. It can be resumed.'
  const limit = describePauseLimit(run)
  if (limit.used !== undefined) return `${limit.used} used so far. Enter a higher limit to continue.`
  return wait?.question ?? pause?.message ?? problem?.message ?? ''
}

/** What a person may raise when the run is resumed. `least`: it pauses again at once with this or less. */
type Limit = { field: string; says: string; least?: number; used?: string }

export function describePauseLimit({ pause, spent }: Pick<DrivenRun, 'pause' | 'spent'>): Limit {
  switch (pause?.reason) {
    case 'max_tokens': {
      const used = `${spent.tokens.toLocaleString('en')} ${spent.tokens === 1 ? 'token is' : 'tokens are'}`
      return { field: 'max_tokens', says: 'tokens at most', least: spent.tokens, used }
    }
    case 'max_cost':
      return {
        field: 'max_cost_usd',
        says: 'dollars at most',
        least: spent.cost_usd,
        used: `${formatCost(spent.cost_usd)} is`,
      }
    case 'cost_unknown':
      return { field: 'max_cost_usd', says: 'dollars at most' }
    case 'max_time': {
      const used = `${formatDuration(spent.time_secs * 1000)} is`
      return { field: 'max_time_secs', says: 'seconds at most', least: spent.time_secs, used }
    }
    default:
      return { field: 'actions', says: 'more actions' }
  }
}

const OVER: readonly DrivenRun['state'][] = ['ended', 'merged', 'discarded', 'continued']

/** Actions that an ended run did not need are not missing. */
export function actionsText({ state, actions }: Pick<DrivenRun, 'state' | 'actions'>): string {
  const { taken, remaining } = actions
  if (OVER.includes(state)) return taken === 1 ? '1 action' : `${taken} actions`
  return `${taken} of ${taken + remaining} actions`
}

/** Tells runs with the same title apart. */
export function whichRun({ id, repository, branch }: Pick<DrivenRun, 'id' | 'repository' | 'branch'>): string {
  return toLine(
    [`${id.slice(0, 8)} in ${nameOfRepository(repository)}`, ...(branch === undefined ? [] : [branch])].join(', '),
  )
}

/** With PostgreSQL, where the run is. */
export function machineText(run: Pick<DrivenRun, 'machine' | 'is_machine_gone'>): string | undefined {
  if (run.machine === undefined) return undefined
  const where = `on ${toLine(run.machine)}`
  return run.is_machine_gone === true ? `${where}, where no worker runs` : where
}

/** What the card of a run asks for, as the head of its page names it. Undefined if the run waits for no one. */
export function cardButton({ choices, state }: Pick<DrivenRun, 'choices' | 'state'>): string | undefined {
  if (choices.includes('confirm')) return 'Permit…'
  if (choices.includes('answer')) return 'Answer'
  if (choices.includes('resume')) return 'Resume'
  return state === 'waiting' ? 'Decide' : undefined
}

/** The card has these itself. */
const IN_CARD: readonly RunChoice[] = ['answer', 'confirm', 'resume', 'first', 'skip', 'stop']
/** The first that a run offers is what its state asks for. */
const MAIN: readonly RunChoice[] = ['undo-discard', 'merge', 'first', 'stop', 'follow-up', 'discard']

type HeadFacts = Pick<DrivenRun, 'choices' | 'state' | 'delivered'>

/** What the head of a run offers: one thing first, and the others. What has a pull request is mostly merged there. */
export function actsInHead(run: HeadFacts): { main?: RunChoice; others: RunChoice[] } {
  const hasCard = cardButton(run) !== undefined
  // A run is moved among the others of the queue, where they are shown.
  const offered = run.choices.filter((act) => act !== 'move' && !(hasCard && IN_CARD.includes(act)))
  const first = hasPullRequest(run) ? (['follow-up'] as const) : []
  const main = hasCard ? undefined : [...first, ...MAIN].find((act) => offered.includes(act))
  return { ...(main !== undefined && { main }), others: offered.filter((act) => act !== main) }
}

type MergeFacts = Pick<DrivenRun, 'state' | 'verdict' | 'choices' | 'delivered'>

/** Whether the run could be merged with another key. What has a pull request is mostly merged there. */
export function lacksMerge(run: MergeFacts, mayMerge: boolean | undefined): boolean {
  const { state, verdict, choices, delivered } = run
  const isOffered = state !== 'ended' || choices.includes('merge') || hasPullRequest(run)
  return mayMerge === false && !isOffered && delivered?.branch !== undefined && verdict.word.startsWith('delivered')
}

export function hasPullRequest({ delivered }: Pick<DrivenRun, 'delivered'>): boolean {
  return delivered?.pull_request !== undefined
}

/** What an agent does in an action, for those who do not know the word. */
export const ACTION_MEANS: Readonly<Record<string, string>> = {
  orient: 'looks around in the repository, and changes nothing',
  clarify: 'asks what has to be decided',
  implement: 'changes the files',
  review: 'compares the changes with the goal, and changes nothing',
  summarize: 'reports what was done',
}

/** Names the branch that one click moves. A phone has room for the first part. */
export function mergeText(run: Pick<DrivenRun, 'base_branch' | 'delivered'>): [act: string, target: string] {
  const { base_branch: into } = run
  return [hasPullRequest(run) ? 'Merge here' : 'Merge', into === undefined ? '' : ` into ${toLine(into)}`]
}

/** So that an action which began meanwhile is not skipped. */
export function currentAction({ action }: Pick<DrivenRun, 'action'>): object {
  return action === undefined ? {} : { action_id: action.action_id }
}
