/** What became of the numbered requirements of a round: what the agent says about each, and what git shows. Pure. */
import type { JudgedRequirement, Requirement } from '../record/follow-event.shape.ts'

type RoundEnd = {
  readonly requirements: readonly Requirement[]
  /** The observations that the agents reported, oldest first. */
  readonly observations: readonly string[]
  /** The commit that the round has delivered, and the files that differ from the one before. */
  readonly commit: string | undefined
  readonly changed: readonly string[]
  /** Files of a merge that still have conflicts. */
  readonly unresolved: readonly string[]
  /** Why nothing was delivered. */
  readonly failure: string | undefined
}

const ANSWER = /^\s*#?(\d{1,3})\s*[:.)]\s*([\s\S]+)$/
const NOT_CHANGED = /^not (?:changed|done)\b[\s:,.-]*/i
const SHORT = 12

export function judgeRequirements(round: RoundEnd): JudgedRequirement[] {
  return round.requirements.map((requirement, index) => ({
    id: requirement.id,
    ...judge(requirement, sayingAbout(index + 1, round.observations), round),
  }))
}

/** The last word counts. */
function sayingAbout(number: number, observations: readonly string[]): string | undefined {
  const said = observations.map((each) => ANSWER.exec(each)).findLast((match) => Number(match?.[1]) === number)
  return said?.[2]?.trim()
}

type Judgement = Pick<JudgedRequirement, 'verdict' | 'text'>

function judge(requirement: Requirement, said: string | undefined, round: RoundEnd): Judgement {
  const { commit, changed, failure } = round
  if (failure !== undefined || commit === undefined) {
    return { verdict: 'not_done', text: `the round delivered nothing: ${failure ?? 'it has no commit'}` }
  }
  if (requirement.from === 'base') return judgeMerge(requirement, round, commit)
  if (said === undefined) return { verdict: 'claimed', text: 'the agent says nothing about it' }
  if (NOT_CHANGED.test(said))
    return { verdict: 'not_done', text: said.replace(NOT_CHANGED, '') || 'it does not say why' }
  const named = changed.filter((path) => mentions(said, path))
  if (named.length > 0) {
    return { verdict: 'observed', text: `changed in ${commit.slice(0, SHORT)} (${named.join(', ')}): ${said}` }
  }
  return changed.length === 0
    ? { verdict: 'contradicted', text: `the agent says this, but no file has changed: ${said}` }
    : { verdict: 'claimed', text: said }
}

function judgeMerge({ conflicts = [] }: Requirement, { unresolved }: RoundEnd, commit: string): Judgement {
  return unresolved.length === 0
    ? { verdict: 'observed', text: `merged in ${commit.slice(0, SHORT)}, without conflicts in ${conflicts.join(', ')}` }
    : { verdict: 'contradicted', text: `conflicts are left in ${unresolved.join(', ')}` }
}

/** As a whole path: `a.ts` is not a part of `ba.ts`. */
function mentions(text: string, path: string): boolean {
  const at = text.indexOf(path)
  if (at === -1) return false
  const isPart = (character: string | undefined) => character !== undefined && /[\w/-]/.test(character)
  return !isPart(text[at - 1]) && !isPart(text[at + path.length])
}
