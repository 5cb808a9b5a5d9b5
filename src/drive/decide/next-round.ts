/** What an ended run leaves open, and the goal of the run that works on it. Pure. */
import { titleOfGoal } from '../../contract/goal-title.ts'
import type { RunOutline } from '../../runs/read-status.ts'
import { cleanText } from '../prompt/fence.ts'
import type { DriveState } from '../record/drive-state.ts'
import type { Requirement } from '../record/follow-event.shape.ts'
import { checkResults } from './check-results.ts'
import { whyUnreported } from './judge-work.ts'

/** The goal of a run has at most 256 KiB, also as JSON. */
const MAX_CHARACTERS = 30_000
const TITLE_CHARACTERS = 200
const NAME_CHARACTERS = 200

const UNREPORTED = {
  'was stopped': 'A person stopped the agent that worked on the goal.',
  'waited for a person': 'The agent that worked on the goal waited for a person before it had finished.',
}
const FINISH = 'Its changes are in the worktree. Finish the work, and report as changed only what you change now.'

/** `name` is one line for people, `text` an entry of the next goal. */
type OpenPart = { readonly name: string; readonly text: string }

/** One part per finding of the last review and per check that still fails, and one for work that no agent has reported. */
export function openWork({ actions }: Pick<RunOutline, 'actions'>, state: DriveState): OpenPart[] {
  const review = actions.findLast(({ action, voided }) => action.kind === 'review' && voided !== true)?.outcome?.review
  const failed = checkResults(state).flatMap(({ run, result }) => (run?.passed === false ? [{ ...run, result }] : []))
  const why = whyUnreported({ actions }, state)
  return [
    ...(why === undefined ? [] : [{ name: `work that ${why}`, text: `${UNREPORTED[why]} ${FINISH}` }]),
    ...failed.map(({ command, result, output }) => ({
      name: toName(`check ${command} ${result}`),
      text: `The check \`${command}\` ${result}. The end of its output:\n${output.slice(-2000)}`,
    })),
    ...(review?.findings ?? []).map(({ location, summary, detail }) => ({
      name: toName(`finding ${location}: ${summary}`),
      text: `${location}: ${summary}\n${detail}`,
    })),
  ]
}

/** What a requirement wants, in one line. */
export function nameRequirement({ from, by, path, line, text }: Requirement): string {
  const where = path === undefined ? '' : ` on ${path}${line === undefined ? '' : `:${line}`}`
  switch (from) {
    case 'check':
      return toName(`failed check ${by}`)
    case 'base':
      return 'conflicts with the base'
    case 'person':
      return toName(text)
    default:
      return toName(`comment${by === undefined ? '' : ` by ${by}`}${where}: ${text}`)
  }
}

function toName(text: string): string {
  return cleanText(text).replaceAll(/\s+/g, ' ').trim().slice(0, NAME_CHARACTERS).toWellFormed()
}

/** What came after a delivery has as many rounds as the work before. */
export function mayStartRound({
  round,
  first_round: first = 1,
  options,
}: Pick<DriveState, 'round' | 'first_round' | 'options'>): boolean {
  return round - first + 1 <= options.rounds
}

/** What a person decided in the run and still applies, each with its question. A confirmation is for one action only. */
// Stryker disable next-line ArrayDeclaration: a text is no active answer
export function decisionsIn({ actions, answers = [] }: Pick<RunOutline, 'actions' | 'answers'>): string[] {
  return answers
    .filter(({ active, confirm_destructive }) => active && !confirm_destructive)
    .map(({ action_id, text }) => {
      const asked = actions.find(({ action }) => action.action_id === action_id)?.outcome?.pause?.question
      return asked === undefined ? text : `${asked}\n   Answer: ${text}`
    })
}

type RoundGoal = {
  /** Of the first run. */
  readonly goal: string
  readonly round: number
  readonly decisions: readonly string[]
  readonly open: readonly string[]
}

/** The first line names the round in every list. The goal of the first run follows, because the findings are about it. */
export function goalOfRound({ goal, round, decisions, open }: RoundGoal): string {
  const title = `round ${round} of ${titleOfGoal(goal).slice(0, TITLE_CHARACTERS)}`
  const intro = `${title}\n\nAddress what is still open after an earlier run. The work of that run is in the worktree. Its goal was:\n\n${goal}`
  const decided = decisions.length === 0 ? '' : `\n\nDecided by a person in that run:\n\n${toList(decisions)}`
  return cleanText(`${intro}${decided}\n\nOpen:\n\n${toList(open)}`.slice(0, MAX_CHARACTERS))
}

function toList(entries: readonly string[]): string {
  return entries.map((each, at) => `${at + 1}. ${each}`).join('\n\n')
}
