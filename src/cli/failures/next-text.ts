import type { Next, NextInput, NextVariant } from '../../contract/next.shape.ts'
import type { PinnedSource } from '../../contract/pinned-source.shape.ts'
import { quoteWord } from '../../kit/shell-words.ts'
import type { GivenInputs } from './advised-failure.ts'

/** The commands that may follow, one a line, as a person would type them: what is still open stands there in capitals. */
export function sayNext({ variants }: Next, given?: GivenInputs): string[] {
  return variants.map((variant) => sayVariant(variant, given))
}

/** The name of every command that may follow, and the command itself on a line of its own, to be taken from there. */
export function nextBlock({ variants }: Next, source?: PinnedSource): string[] {
  if (variants.length === 0) return []
  const lines = variants.flatMap((variant) => [
    `  ${variant.id}`,
    ...[...sayFetch(variant, source), sayVariant(variant)].map((command) => `    ${command}`),
  ])
  return ['Next:', ...lines]
}

/** Where the file comes from that a refresh needs. */
function sayFetch({ id }: NextVariant, source: PinnedSource | undefined): string[] {
  if (id !== 'refresh-source' || source === undefined) return []
  return [`drover source fetch ${quoteWord(source.canonical_url)} -o SOURCE_FILE`]
}

function sayVariant({ base_argv, inputs }: NextVariant, given: GivenInputs = {}): string {
  // The JSON of the answer is for programs.
  const words = base_argv.filter((word) => word !== '--json').map(quoteWord)
  const required = inputs.filter((input) => input.required)
  const rest = required.flatMap((input) => given[input.name]?.map(quoteWord) ?? [sayInput(input)])
  return [...words, ...rest].join(' ')
}

function sayInput({ name, flag, choices }: NextInput): string {
  return `${flag} ${choices === undefined ? name.toUpperCase() : choices.join('|')}`
}
