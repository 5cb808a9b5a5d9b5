/** `drover help` and `--help`: help texts made from the command definitions. */
import {
  type Command,
  choicesToList,
  commandName,
  type Flag,
  GROUPS,
  type Positional,
  type RunCommand,
} from '../command.ts'
import { type TextLayout, tableWidth } from '../output/text-table.ts'
import { wrapWords } from '../output/wrap-words.ts'
import { findCommand, GLOBAL_FLAGS, ROOT_FLAGS } from '../words/parse-words.ts'

type Row = { left: string; right: string }

/** With fewer columns left, the description is printed below its row. */
const MIN_DESCRIPTION_COLUMNS = 24

const ABOUT =
  'drover runs prompts on command-line coding agents (claude, codex, gemini) and tracks the changes they make.'

/** One word for one thing, in all help, errors and documentation. */
export const TERMS =
  "An agent is a program such as Claude Code. A backend is an agent's name in settings (claude). A host is an agent that drover is installed into."

/** What `drover --help` begins with. */
export const THINGS_PEOPLE_DO: readonly Row[] = [
  { left: 'drover "text"', right: 'Run a prompt on the default agent, or on another one with -b NAME' },
  { left: 'drover chat', right: 'Have a conversation with an agent' },
  { left: 'drover resume', right: 'Continue a session' },
  { left: 'drover compare "text"', right: 'Run the same prompt on several agents' },
  { left: 'drover drive "goal"', right: 'Let agents make a change, from the goal to a branch' },
  { left: 'drover status', right: 'Show the runs of this repository' },
  { left: 'drover sessions', right: 'List your sessions' },
  { left: 'drover serve', right: 'Start a server with a web console' },
  { left: 'drover config show', right: 'Show every setting, its value and its origin' },
  { left: 'drover doctor', right: 'Check everything that drover needs' },
]

const SAME_PROTOCOL = 'input and errors follow the machine protocol (docs/machine-protocol.md).'
const FOR_PROGRAMS = `These commands are for other programs, such as coding agents. Their ${SAME_PROTOCOL}`
const FOR_A_PROGRAM = `This command is for other programs, such as coding agents. Its ${SAME_PROTOCOL}`

const ROOT_EXAMPLES: readonly Row[] = [
  { left: 'drover "explain this project"', right: 'run a prompt on the default agent' },
  { left: 'drover chat', right: 'have a conversation with it' },
  { left: 'drover --demo "hello there"', right: 'try it without an installed agent' },
  { left: 'drover drive "Show the wind in knots"', right: 'let agents make a change' },
  { left: 'drover serve --demo', right: 'start a server with a console' },
  { left: 'drover config show', right: 'show every setting, its value and its origin' },
  { left: 'drover config set --help', right: 'show help for one command' },
]

export const run: RunCommand = async ({ args, runtime, commands }) => {
  const { out } = runtime.terminal
  if (args.length === 1 && args[0] === 'all') {
    await out.write(`${allHelp(commands, out)}\n`)
    return 0
  }
  const target = findCommand(commands, args)
  if (target.is === 'unknown') throw target.fault()
  await out.write(
    `${target.is === 'command' ? commandHelp(target.command, out) : groupHelp(commands, target.words, out)}\n`,
  )
  return 0
}

/** At most 30 lines: what people do most, then the first words of all commands. */
function rootHelp(table: readonly Command[], layout: TextLayout): string {
  const groups = GROUPS.map((group) => {
    const inside = table.filter((command) => command.group === group && command.isHidden !== true)
    const words = [...new Set(inside.map((command) => command.words[0]))].join(', ')
    return { left: group, right: group === 'Programs' ? `${words} (for other programs, such as coding agents)` : words }
  })
  return [
    fill(ABOUT, layout),
    section('Most used', THINGS_PEOPLE_DO, layout),
    section('All commands', groups, layout),
    fill(
      'Run "drover <command> --help" for help on one command, and "drover help all" for a list of all commands.',
      layout,
    ),
  ].join('\n\n')
}

/** One line per command, grouped. */
export function allHelp(table: readonly Command[], layout: TextLayout): string {
  const groups = GROUPS.flatMap((group) => {
    const rows = table.filter((command) => command.group === group && command.isHidden !== true).map(commandRow)
    if (rows.length === 0) return []
    return [section(group, rows, layout), ...(group === 'Programs' ? [fill(FOR_PROGRAMS, layout)] : [])]
  })
  return [
    fill(ABOUT, layout),
    `${heading('Usage', layout)}\n  drover "text" [flags]\n  drover <command> [arguments] [flags]`,
    ...groups,
    section('Flags', ROOT_FLAGS.map(flagRow), layout),
    section('Examples', ROOT_EXAMPLES, layout),
    fill(TERMS, layout),
    fill('Run "drover <command> --help" for the flags and examples of a command.', layout),
  ].join('\n\n')
}

/** Help of drover as a whole, or of words that only group commands, such as `drover config`. */
export function groupHelp(table: readonly Command[], words: readonly string[], layout: TextLayout): string {
  if (words.length === 0) return rootHelp(table, layout)
  const inside = table.filter((command) => words.every((word, at) => command.words[at] === word))
  const name = words.join(' ')
  const byDefault = inside.find((command) => command.isDefault)
  const alone = byDefault === undefined ? '' : `\n  drover ${name} [flags]  (same as drover ${commandName(byDefault)})`
  return [
    ...(inside.every(({ group }) => group === 'Programs') ? [fill(FOR_PROGRAMS, layout)] : []),
    `${heading('Usage', layout)}\n  drover ${name} <subcommand> [arguments] [flags]${alone}`,
    section('Subcommands', inside.map(commandRow), layout),
    section(
      'Examples',
      inside.flatMap((command) => exampleRows(command).slice(0, 1)),
      layout,
    ),
  ].join('\n\n')
}

export function commandHelp(command: Command, layout: TextLayout): string {
  const { positionals, flags, description, summary } = command
  return [
    fill(description === undefined ? summary : `${summary}\n\n${description}`, layout),
    ...(command.group === 'Programs' ? [fill(FOR_A_PROGRAM, layout)] : []),
    `${heading('Usage', layout)}\n  ${usageLine(command)}`,
    ...(positionals.length === 0 ? [] : [section('Arguments', positionals.map(positionalRow), layout)]),
    section('Flags', [...flags, ...GLOBAL_FLAGS].map(flagRow), layout),
    section('Examples', exampleRows(command), layout),
  ].join('\n\n')
}

/** `drover config set <key> <value>... [flags]` */
export function usageLine(command: Command): string {
  const words = command.positionals.map((positional) => {
    const name = `<${positional.name}>${positional.repeats === true ? '...' : ''}`
    return positional.isOptional === true ? `[${name}]` : name
  })
  return ['drover', ...command.words, ...words, '[flags]'].join(' ')
}

function commandRow(command: Command): Row {
  return { left: commandName(command), right: command.summary }
}

function exampleRows({ examples }: Command): Row[] {
  return Object.entries(examples).map(([left, right]) => ({ left, right }))
}

function positionalRow(positional: Positional): Row {
  return { left: positional.name, right: `${positional.description}${choicesOf(positional)}` }
}

function flagRow(flag: Flag): Row {
  const short = flag.short === undefined ? '    ' : `-${flag.short}, `
  const value = flag.value === undefined ? '' : ` ${flag.value}`
  const repeatable = flag.repeats === true ? ' (repeatable)' : ''
  return { left: `${short}--${flag.name}${value}`, right: `${flag.description}${choicesOf(flag)}${repeatable}` }
}

function choicesOf(described: Flag | Positional): string {
  const choices = choicesToList(described)
  return choices === undefined ? '' : ` (${choices.join(', ')})`
}

function section(title: string, rows: readonly Row[], layout: TextLayout): string {
  const width = tableWidth(layout)
  const left = Math.max(...rows.map((row) => row.left.length))
  const available = width - left - 4
  const lines = rows.flatMap((row) => {
    if (available < MIN_DESCRIPTION_COLUMNS) {
      return [`  ${layout.style('cyan', row.left)}`, ...wrapHelp(row.right, width - 6).map((line) => `      ${line}`)]
    }
    const [first = '', ...others] = wrapHelp(row.right, available)
    const indent = ' '.repeat(left + 4)
    return [`  ${layout.style('cyan', row.left.padEnd(left))}  ${first}`, ...others.map((line) => indent + line)]
  })
  return [heading(title, layout), ...lines].join('\n')
}

/** Keeps the lines as written if they fit. Otherwise wraps them again, but starts a new line where one ended with a sentence. */
function fill(text: string, layout: TextLayout): string {
  const width = tableWidth(layout)
  if (text.split('\n').every((line) => line.length <= width)) return text
  const joined = text.replace(/(?<![.\n])\n(?!\n)/g, ' ')
  return wrapHelp(joined, width).join('\n')
}

function wrapHelp(text: string, width: number): string[] {
  return wrapWords(text, width, { keepsPaths: true })
}

function heading(title: string, layout: TextLayout): string {
  return layout.style('bold', title)
}
