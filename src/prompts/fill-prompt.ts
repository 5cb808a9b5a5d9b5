/** Replaces `{{previous}}` and `{{steps.name}}` in a step's prompt by the answers of earlier steps. Pure. */
import { chainInvalid, promptOverfilled } from './faults.ts'
import type { ChainStep } from './prompt-request.shape.ts'

/**
 * `{{previous}}`, `{{steps.a name}}`, and `{{session}}`, which is refused. White space inside the braces is ignored. It is
 * limited, because the time for a text that only begins like a placeholder would grow with the square of its length.
 */
const PLACEHOLDER = /\{\{\s{0,16}(?:(previous)|steps\.([^{}]{0,199}[^{}\s])|(session))\s{0,16}\}\}/gu

/** Throws a Fault for a placeholder without a step, before any agent is started. */
export function checkReferences(steps: readonly ChainStep[]): void {
  for (const [at, step] of steps.entries()) {
    const path = `$.steps[${at}].prompt`
    for (const [placeholder, , name, session] of step.prompt.matchAll(PLACEHOLDER)) {
      if (session !== undefined) {
        throw chainInvalid({ path, problem: 'contains {{session}}, but the steps of a chain have no session' })
      }
      if (name === undefined) continue
      const named = steps.slice(0, at).filter((earlier) => earlier.name === name)
      if (named.length === 1) continue
      const problem =
        named.length === 0 ? 'names no earlier step' : `is ambiguous: ${named.length} earlier steps have that name`
      throw chainInvalid({ path, problem: `${placeholder} ${problem}` })
    }
  }
}

export type Answers = {
  /** The answer of the previous step; undefined in the first, where `{{previous}}` stays as it is. */
  previous: string | undefined
  named: ReadonlyMap<string, string>
}

/** Far more than any agent accepts. One placeholder may occur many times. */
export const FILLED_LIMIT_CHARACTERS = 16 * 1024 * 1024

/** Works in one pass, so placeholders inside an answer stay. Throws a Fault before the text exceeds the limit. */
export function fillPrompt(prompt: string, { previous, named }: Answers): string {
  let length = prompt.length
  return prompt.replace(PLACEHOLDER, (placeholder, isPrevious: string | undefined, name: string | undefined) => {
    const answer = isPrevious === undefined ? named.get(name ?? '') : previous
    length += (answer ?? placeholder).length - placeholder.length
    if (length > FILLED_LIMIT_CHARACTERS) throw promptOverfilled({ limit: FILLED_LIMIT_CHARACTERS })
    return answer ?? placeholder
  })
}
