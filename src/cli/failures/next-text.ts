/** The commands of `next` for people. Missing values are shown as placeholders in capitals. Pure. */
import type { Next, NextInput, NextVariant } from '../../contract/next.shape.ts'
import type { PinnedSource } from '../../contract/pinned-source.shape.ts'
import { quoteWord } from '../../kit/shell-words.ts'
import { countColumns, splitToColumns } from '../output/printable.ts'
import { toFollowUp } from '../output/what-follows.ts'
import type { TypedInputs } from '../remedies.ts'

/** One command per line, in the words of people where they have their own. */
export function formatCommands({ variants }: Next, typedInputs?: TypedInputs): string[] {
  return variants.map((variant) => {
    return toFollowUp(variant, { hasRoot: true })?.line ?? variantWords(variant, typedInputs).join(' ')
  })
}

/** The command of a variant, wrapped for a shell to `columns`. */
export function formatVariant(variant: NextVariant, columns: number): string[] {
  return wrapCommand(variantWords(variant), columns)
}

/** Each variant's name, and below it the command for copying: on one line, or wrapped for a shell to `columns`. */
export function formatNextBlock(
  { variants }: Next,
  { source, columns = Number.POSITIVE_INFINITY }: { source?: PinnedSource | undefined; columns?: number } = {},
): string[] {
  if (variants.length === 0) return []
  const lines = variants.flatMap((variant) => [
    `  ${variant.id}`,
    ...[...fetchWords(variant, source), variantWords(variant)].flatMap((words) => wrapCommand(words, columns)),
  ])
  return ['Next:', ...lines]
}

/** The same in the words of people, who answer and resume. Reporting the outcome of an action stays with the protocol. */
export function formatPeopleBlock({ variants }: Next): string[] {
  if (variants.length === 0) return []
  const lines = variants.flatMap((variant) => {
    const words = variant.id === 'submit-outcome-file' ? undefined : toFollowUp(variant, { hasRoot: false })
    return words === undefined
      ? [`  ${variant.id}`, ...wrapCommand(variantWords(variant), Number.POSITIVE_INFINITY)]
      : [`  ${words.says}`, `${INDENT}${words.line}`]
  })
  return ['Next:', ...lines]
}

const INDENT = '    '

/**
 * Breaks a command between its words, with a backslash that a shell ignores together with the line break. A flag stays on
 * the line of its value. A word that is wider than a line is broken too: then the next line must not be indented.
 */
function wrapCommand(words: readonly string[], columns: number): string[] {
  const lines: string[] = []
  let line = INDENT
  for (const word of joinFlags(words)) {
    const longer = line.trim() === '' ? line + word : `${line} ${word}`
    if (countColumns(longer) + 2 <= columns) line = longer
    else {
      if (line.trim() !== '') lines.push(`${line} \\`)
      const [first = '', ...rest] = breakWord(`${INDENT}  ${word}`, columns - 2)
      lines.push(...[first, ...rest].slice(0, -1).map((piece) => `${piece}\\`))
      line = rest.at(-1) ?? first
    }
  }
  return [...lines, line]
}

/** In quotes a backslash is not special, so each piece of a quoted word gets its own quotes. */
function breakWord(word: string, columns: number): string[] {
  if (countColumns(word) <= columns) return [word]
  const [, before = '', quoted] = /^( *(?:\S+ )?)'([^']*)'$/.exec(word) ?? []
  if (quoted === undefined) return splitToColumns(word, columns)
  const pieces = splitToColumns(quoted, columns - countColumns(before) - 2)
  return pieces.map((piece, at) => `${at === 0 ? before : ''}'${piece}'`)
}

/** Joins each flag with the value behind it. */
function joinFlags(words: readonly string[]): string[] {
  const joined: string[] = []
  for (const word of words) {
    const flag = joined.at(-1)
    const isValue = flag !== undefined && /^-[^ ]*$/.test(flag) && !word.startsWith('-')
    if (isValue) joined[joined.length - 1] = `${flag} ${word}`
    else joined.push(word)
  }
  return joined
}

/** The command that fetches the file a refresh needs. */
function fetchWords({ id }: NextVariant, source: PinnedSource | undefined): string[][] {
  if (id !== 'refresh-source' || source === undefined) return []
  return [['drover', 'source', 'fetch', quoteWord(source.canonical_url), '-o', 'SOURCE_FILE']]
}

function variantWords({ base_argv, inputs }: NextVariant, typedInputs: TypedInputs = {}): string[] {
  // People want text.
  const words = base_argv.filter((word) => word !== '--json').map(quoteWord)
  const required = inputs.filter((input) => input.required)
  return [...words, ...required.map((input) => formatInput(input, typedInputs[input.name]))]
}

function formatInput({ name, flag, choices }: NextInput, typed: string | undefined): string {
  if (typed !== undefined) return `${flag} ${quoteWord(typed)}`
  return `${flag} ${choices === undefined ? name.toUpperCase() : choices.join('|')}`
}
