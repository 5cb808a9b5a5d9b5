/** Places in a step's prompt that stand for the answers of earlier steps. Pure. */
import { chainInvalid } from './faults.ts'
import type { ChainStep } from './prompt-request.shape.ts'

/** `{{previous}}`, `{{steps.a name}}`, and the one that earlier chains had and this one refuses. */
const PLACE = /\{\{(?:(previous)|steps\.([^{}]+)|(session))\}\}/g

/** Finds references to nothing before the first agent is started. */
export function checkReferences(steps: readonly ChainStep[]): void {
  for (const [at, step] of steps.entries()) {
    const path = `$.steps[${at}].prompt`
    for (const [place, , name, session] of step.prompt.matchAll(PLACE)) {
      if (session !== undefined) {
        throw chainInvalid({ path, problem: 'asks for {{session}}, but the steps of a chain share no session' })
      }
      if (name === undefined) continue
      const named = steps.slice(0, at).filter((earlier) => earlier.name === name)
      if (named.length === 1) continue
      const problem =
        named.length === 0 ? 'names no step before it' : `is not clear: ${named.length} steps have that name`
      throw chainInvalid({ path, problem: `${place} ${problem}` })
    }
  }
}

export type Answers = {
  /** Of the step just before; undefined in the first, where `{{previous}}` stays as it is. */
  previous: string | undefined
  named: ReadonlyMap<string, string>
}

/** In one pass: what an answer says is never taken for a place. */
export function fillPrompt(prompt: string, { previous, named }: Answers): string {
  return prompt.replace(PLACE, (place, isPrevious: string | undefined, name: string | undefined) => {
    if (isPrevious !== undefined) return previous ?? place
    return (name === undefined ? undefined : named.get(name)) ?? place
  })
}
