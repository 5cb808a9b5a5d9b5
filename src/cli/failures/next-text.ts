/** The commands of `next` for people. Missing values are shown as placeholders in capitals. Pure. */
import type { Next, NextInput, NextVariant } from '../../contract/next.shape.ts'
import type { PinnedSource } from '../../contract/pinned-source.shape.ts'
import { quoteWord } from '../../kit/shell-words.ts'
import type { TypedInputs } from '../remedies.ts'

/** One command per line. */
export function formatCommands({ variants }: Next, typedInputs?: TypedInputs): string[] {
  return variants.map((variant) => formatVariant(variant, typedInputs))
}

/** Each variant's name, and below it the command on its own line for copying. */
export function formatNextBlock({ variants }: Next, source?: PinnedSource): string[] {
  if (variants.length === 0) return []
  const lines = variants.flatMap((variant) => [
    `  ${variant.id}`,
    ...[...formatFetch(variant, source), formatVariant(variant)].map((command) => `    ${command}`),
  ])
  return ['Next:', ...lines]
}

/** The command that fetches the file a refresh needs. */
function formatFetch({ id }: NextVariant, source: PinnedSource | undefined): string[] {
  if (id !== 'refresh-source' || source === undefined) return []
  return [`drover source fetch ${quoteWord(source.canonical_url)} -o SOURCE_FILE`]
}

function formatVariant({ base_argv, inputs }: NextVariant, typedInputs: TypedInputs = {}): string {
  // People want text.
  const words = base_argv.filter((word) => word !== '--json').map(quoteWord)
  const required = inputs.filter((input) => input.required)
  const rest = required.flatMap((input) => typedInputs[input.name]?.map(quoteWord) ?? [formatInput(input)])
  return [...words, ...rest].join(' ')
}

function formatInput({ name, flag, choices }: NextInput): string {
  return `${flag} ${choices === undefined ? name.toUpperCase() : choices.join('|')}`
}
