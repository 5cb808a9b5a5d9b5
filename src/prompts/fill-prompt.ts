/** Places in a step's prompt that stand for the answers of earlier steps. Pure. */
import { chainInvalid, promptOverfilled } from './faults.ts'
import type { ChainStep } from './prompt-request.shape.ts'

/** `{{previous}}`, `{{steps.a name}}`, and one that is refused; white space inside of the braces means nothing. */
const PLACE = /\{\{\s*(?:(previous)|steps\.([^{}]+?)|(session))\s*\}\}/g

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

/** Far more than any agent reads; a place may stand in a prompt many times. */
export const FILLED_LIMIT_CHARACTERS = 16 * 1024 * 1024

/** In one pass: what an answer says is never taken for a place. Throws a Fault before the text grows past all reason. */
export function fillPrompt(prompt: string, { previous, named }: Answers): string {
  let length = prompt.length
  return prompt.replace(PLACE, (place, isPrevious: string | undefined, name: string | undefined) => {
    const answer = isPrevious === undefined ? named.get(name ?? '') : previous
    length += (answer ?? place).length - place.length
    if (length > FILLED_LIMIT_CHARACTERS) throw promptOverfilled({ limit: FILLED_LIMIT_CHARACTERS })
    return answer ?? place
  })
}
