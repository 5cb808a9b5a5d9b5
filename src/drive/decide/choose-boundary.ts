/** Whether a run is driven inside of a boundary. Pure. */
import type { Options } from '../record/drive-event.shape.ts'

export type BoundaryFacts = {
  readonly mode: NonNullable<Options['sandbox']>
  /** An earlier driver of the run had a boundary. */
  readonly wasInside: boolean
  /** Why there is none on this machine; undefined if there is one. */
  readonly problem: string | undefined
}

export type BoundaryChoice =
  | { readonly is: 'inside' }
  | { readonly is: 'outside'; readonly why: string }
  | { readonly is: 'refused'; readonly problem: string }

/** A run that was begun inside does not leave unless a person says so. */
export function chooseBoundary({ mode, wasInside, problem }: BoundaryFacts): BoundaryChoice {
  if (mode === 'off') return { is: 'outside', why: 'it is turned off' }
  if (problem === undefined) return { is: 'inside' }
  return mode === 'required' || wasInside ? { is: 'refused', problem } : { is: 'outside', why: problem }
}
