import type { Next, NextInput, NextVariant } from '../contract/next.shape.ts'
import { quoteWord } from '../kit/shell-words.ts'

/** The commands that may follow, one a line, as a person would type them: what is still open stands there in capitals. */
export function sayNext({ variants }: Next): string[] {
  return variants.map(sayVariant)
}

function sayVariant({ base_argv, inputs }: NextVariant): string {
  // The JSON of the answer is for programs.
  const words = base_argv.filter((word) => word !== '--json').map(quoteWord)
  const open = inputs.filter(({ required }) => required).map(sayInput)
  return [...words, ...open].join(' ')
}

function sayInput({ name, flag, choices }: NextInput): string {
  return `${flag} ${choices === undefined ? name.toUpperCase() : choices.join('|')}`
}
