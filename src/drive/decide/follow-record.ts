/** What the records of all rounds say about the pull request of a run. Pure. */

import type { DriveState } from '../record/drive-state.ts'
import type { JudgedRequirement, Requirement } from '../record/follow-event.shape.ts'

export type PendingAnswer = { readonly requirement: Requirement; readonly judged: JudgedRequirement }

export type FollowRecord = {
  /** Undefined if there is none. */
  readonly pullRequest: { readonly url: string; readonly number: number } | undefined
  /** The commit of the branch that drover knows, and those before it. */
  readonly commit: string | undefined
  readonly commits: readonly string[]
  /** By their ids. */
  readonly requirements: ReadonlyMap<string, Requirement>
  /** What the user wants in addition, and no round was started for: as much as fits into one round. */
  readonly asked: readonly Requirement[]
  /** Judged, and not answered yet. */
  readonly pending: readonly PendingAnswer[]
  /** The last commit of the base that was compared with the branch. */
  readonly base: string | undefined
  readonly described: string | undefined
  readonly branchTaken: string | undefined
  /** How many rounds followed the pull request so far. */
  readonly rounds: number
  /** When the pull request was opened. */
  readonly since: string | undefined
  /** Why the last round did not change the pull request. */
  readonly failure: string | undefined
}

/** Of what a user asks for in addition, so that all of it fits into the goal of a round. */
export const MOST_ASKED = 10
export const ASKED_CHARACTERS = 2000

/** Only the authors of these wait for an answer. */
const ANSWERED: readonly Requirement['from'][] = ['thread', 'comment', 'review']

/** `rounds`: latest first. */
export function toFollowRecord(rounds: readonly DriveState[]): FollowRecord {
  const requirements = new Map(
    rounds
      .flatMap(({ requirements = [], next_requirements = [] }) => [...requirements, ...next_requirements])
      .map((each) => [each.id, each]),
  )
  const answered = new Set(rounds.flatMap((each) => each.answered))
  const judged = rounds.flatMap((each) => each.judged ?? []).filter(({ id }) => !answered.has(id))
  const commits = rounds.flatMap(({ pushed }) => pushed)
  return {
    pullRequest: pullRequestOf(rounds),
    commit: commits[0],
    commits,
    requirements,
    asked: fitting(rounds.flatMap((each) => each.asked).filter(({ id }) => !requirements.has(id))),
    pending: judged.flatMap((each) => {
      const requirement = requirements.get(each.id)
      return requirement !== undefined && ANSWERED.includes(requirement.from) ? [{ requirement, judged: each }] : []
    }),
    base: rounds.map(baseOf).find((each) => each !== undefined),
    described: rounds.find((each) => each.described !== undefined)?.described,
    branchTaken: rounds[0]?.branch_taken,
    rounds: rounds.filter(({ round, first_round }) => round === first_round).length,
    since: rounds.findLast(({ delivered }) => delivered?.as === 'pr')?.delivered_at,
    failure: failureOf(rounds[0]),
  }
}

function pullRequestOf(rounds: readonly DriveState[]): FollowRecord['pullRequest'] {
  const url = rounds.find(({ delivered }) => delivered?.pull_request !== undefined)?.delivered?.pull_request ?? ''
  const number = /\/pull\/(\d+)$/.exec(url)?.[1]
  return number === undefined ? undefined : { url, number: Number(number) }
}

/** Of one round: more would not fit into its goal. */
const MOST_REQUIREMENTS = 20
const MOST_CHARACTERS = 20_000

/** The first ones, as far as the goal of a round has room for their texts. The others are for the next round. */
export function fitting(requirements: readonly Requirement[]): Requirement[] {
  let characters = 0
  const end = requirements.findIndex(({ text }) => {
    characters += text.length
    return characters > MOST_CHARACTERS
  })
  return requirements.slice(0, Math.min(MOST_REQUIREMENTS, end === -1 ? MOST_REQUIREMENTS : Math.max(1, end)))
}

function failureOf(last: DriveState | undefined): string | undefined {
  const { delivered, taken_over: taken } = last ?? {}
  if (delivered === undefined || delivered.as === 'pr' || taken !== undefined) return undefined
  return delivered.note ?? 'nothing was delivered'
}

function baseOf({ base_seen: seen, requirements = [], place }: DriveState): string | undefined {
  const merged = requirements.find(({ from }) => from === 'base')?.commit
  return seen?.commit ?? merged ?? (place.kind === 'worktree' ? place.base : undefined)
}
