/** Whether a run is driven inside of a boundary, and which of its agents are. Pure. */
import type { Options } from '../record/recorded-options.shape.ts'

export type BoundaryFacts = {
  readonly mode: NonNullable<Options['sandbox']>
  readonly approval: Options['approval_mode']
  /** An agent is known if drover knows what it needs inside. */
  readonly agents: readonly { readonly name: string; readonly isKnown: boolean }[]
  /** The settings put all agents inside where there is a boundary. */
  readonly isWanted: boolean
  /** An earlier driver of the run had a boundary. */
  readonly wasInside: boolean
  /** Why there is none on this machine; undefined if there is one. */
  readonly problem: string | undefined
}

export type BoundaryChoice =
  /** `why` says which agents are outside. */
  | { readonly is: 'inside'; readonly agents: string[]; readonly why?: string }
  | { readonly is: 'outside'; readonly why: string }
  | { readonly is: 'refused'; readonly problem: string }

/** A run that was begun inside does not leave unless a person says so. */
export function chooseBoundary(facts: BoundaryFacts): BoundaryChoice {
  const { mode, approval, agents, isWanted, wasInside, problem } = facts
  const isRequired = mode === 'required' || approval === 'sandboxed'
  if (mode === 'off' && isRequired)
    return { is: 'refused', problem: '--approval sandboxed needs one, and it is turned off' }
  if (mode === 'off') return { is: 'outside', why: 'it is turned off' }
  if (problem !== undefined)
    return isRequired || wasInside ? { is: 'refused', problem } : { is: 'outside', why: problem }
  if (isRequired || isWanted) return { is: 'inside', agents: agents.map(({ name }) => name) }
  if (approval !== 'default') return { is: 'inside', agents: [], why: `agents are not: --approval ${approval}` }
  const names = (isKnown: boolean) => agents.filter((each) => each.isKnown === isKnown).map(({ name }) => name)
  const unknown = names(false)
  if (unknown.length === 0) return { is: 'inside', agents: names(true) }
  return {
    is: 'inside',
    agents: names(true),
    why: `not ${unknown.join(', ')}: drover does not know what it needs there`,
  }
}
