/** Help texts, made from the table of commands. */
import { type Command, type Flag, GROUPS, nameOf, type Positional, type Run } from '../command.ts'
import { tableWidth } from '../output/text-table.ts'
import { wrapWords } from '../output/wrap-words.ts'
import type { Channel } from '../terminal.ts'
import { findCommand, GLOBAL_FLAGS, ROOT_FLAGS } from '../words/parse-words.ts'

type Row = { left: string; right: string }

/** What help is written on, as wide as it is. */
type TextLayout = Pick<Channel, 'style' | 'isTty' | 'columns'>

/** Where less is left for what is said of a row, it stands under the row. */
const NARROWEST_SAYING = 24

const ABOUT =
  'drover runs prompts on command-line coding agents (claude, codex, gemini) and keeps track of changes made with them.'

const ROOT_EXAMPLES: readonly Row[] = [
  { left: 'drover "explain this project"', right: 'a prompt, on the default agent' },
  { left: 'drover --demo "hello there"', right: 'the same without any agent installed' },
  { left: 'drover run "Show the wind in knots"', right: 'a change, worked out action by action' },
  { left: 'drover config show', right: 'every setting, its value and where it came from' },
  { left: 'drover config set --help', right: 'help of one command' },
]

export const run: Run = async ({ args, runtime, commands }) => {
  const { out } = runtime.terminal
  const target = findCommand(commands, args)
  if (target.is === 'nowhere') throw target.fault
  await out.write(
    `${target.is === 'command' ? commandHelp(target.command, out) : groupHelp(commands, target.words, out)}\n`,
  )
  return 0
}

/** One line per command, grouped. */
function rootHelp(table: readonly Command[], paper: TextLayout): string {
  const groups = GROUPS.flatMap((group) => {
    const rows = table.filter((command) => command.group === group && command.isHidden !== true).map(commandRow)
    return rows.length === 0 ? [] : [section(group, rows, paper)]
  })
  return [
    fill(ABOUT, paper),
    `${heading('Usage', paper)}\n  drover "text" [flags]\n  drover <command> [arguments] [flags]`,
    ...groups,
    section('Flags', ROOT_FLAGS.map(flagRow), paper),
    section('Examples', ROOT_EXAMPLES, paper),
    fill('Run "drover <command> --help" for the flags and examples of a command.', paper),
  ].join('\n\n')
}

/** Help of drover as a whole, or of words that only group commands, such as `drover config`. */
export function groupHelp(table: readonly Command[], words: readonly string[], paper: TextLayout): string {
  if (words.length === 0) return rootHelp(table, paper)
  const inside = table.filter((command) => words.every((word, at) => command.words[at] === word))
  return [
    `${heading('Usage', paper)}\n  drover ${words.join(' ')} <subcommand> [arguments] [flags]`,
    section('Subcommands', inside.map(commandRow), paper),
    section('Examples', inside.flatMap((command) => command.examples.slice(0, 1)).map(exampleRow), paper),
  ].join('\n\n')
}

/** Help of one command. */
export function commandHelp(command: Command, paper: TextLayout): string {
  const { positionals, flags, examples, description, summary } = command
  return [
    fill(description === undefined ? summary : `${summary}\n\n${description}`, paper),
    `${heading('Usage', paper)}\n  ${usageOf(command)}`,
    ...(positionals.length === 0 ? [] : [section('Arguments', positionals.map(positionalRow), paper)]),
    section('Flags', [...flags, ...GLOBAL_FLAGS].map(flagRow), paper),
    section('Examples', examples.map(exampleRow), paper),
  ].join('\n\n')
}

/** `drover config set <key> <value>... [flags]` */
export function usageOf(command: Command): string {
  const words = command.positionals.map((positional) => {
    const name = `<${positional.name}>${positional.repeats === true ? '...' : ''}`
    return positional.isOptional === true ? `[${name}]` : name
  })
  return ['drover', ...command.words, ...words, '[flags]'].join(' ')
}

function commandRow(command: Command): Row {
  return { left: nameOf(command), right: command.summary }
}

function exampleRow(example: { line: string; description: string }): Row {
  return { left: example.line, right: example.description }
}

function positionalRow(positional: Positional): Row {
  const choices = positional.choices === undefined ? '' : ` (${positional.choices.join(', ')})`
  return { left: positional.name, right: `${positional.description}${choices}` }
}

function flagRow(flag: Flag): Row {
  const short = flag.short === undefined ? '    ' : `-${flag.short}, `
  const value = flag.value === undefined ? '' : ` ${flag.value}`
  const choices = flag.choices === undefined ? '' : ` (${flag.choices.join(', ')})`
  const again = flag.repeats === true ? '; may be given again' : ''
  return { left: `${short}--${flag.name}${value}`, right: `${flag.description}${choices}${again}` }
}

function section(title: string, rows: readonly Row[], paper: TextLayout): string {
  const width = tableWidth(paper)
  const left = Math.max(...rows.map((row) => row.left.length))
  const room = width - left - 4
  const lines = rows.flatMap((row) => {
    if (room < NARROWEST_SAYING) {
      return [`  ${paper.style('cyan', row.left)}`, ...wrapWords(row.right, width - 6).map((line) => `      ${line}`)]
    }
    const [first = '', ...others] = wrapWords(row.right, room)
    const indent = ' '.repeat(left + 4)
    return [`  ${paper.style('cyan', row.left.padEnd(left))}  ${first}`, ...others.map((line) => indent + line)]
  })
  return [heading(title, paper), ...lines].join('\n')
}

/** The lines as they were written where they fit. Else they are broken anew, though not joined after a sentence. */
function fill(text: string, paper: TextLayout): string {
  const width = tableWidth(paper)
  if (text.split('\n').every((line) => line.length <= width)) return text
  const joined = text.replace(/(?<![.\n])\n(?!\n)/g, ' ')
  return wrapWords(joined, width).join('\n')
}

function heading(title: string, paper: TextLayout): string {
  return paper.style('bold', title)
}
