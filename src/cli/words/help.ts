/** Help texts, made from the table of commands. */
import { type Command, type Flag, GROUPS, nameOf, type Positional } from '../command.ts'
import type { Channel } from '../output/terminal.ts'
import { GLOBAL_FLAGS, ROOT_FLAGS } from './parse-words.ts'

type Row = { left: string; right: string }

const ROOT_EXAMPLES: readonly Row[] = [
  { left: 'drover "explain this project"', right: 'a prompt, on the default agent' },
  { left: 'drover --demo "hello there"', right: 'the same without any agent installed' },
  { left: 'drover config show', right: 'every setting, its value and where it came from' },
  { left: 'drover config set --help', right: 'help of one command' },
]

/** Help of drover as a whole: one line a command, grouped. */
export function rootHelp(table: readonly Command[], channel: Channel): string {
  const groups = GROUPS.flatMap((group) => {
    const rows = table.filter((command) => command.group === group && command.isHidden !== true).map(commandRow)
    return rows.length === 0 ? [] : [section(group, rows, channel)]
  })
  return [
    'drover runs prompts on command-line coding agents: claude, codex, gemini.',
    `${heading('Usage', channel)}\n  drover "text" [flags]\n  drover <command> [arguments] [flags]`,
    ...groups,
    section('Flags', ROOT_FLAGS.map(flagRow), channel),
    section('Examples', ROOT_EXAMPLES, channel),
    'Run "drover <command> --help" for the flags and examples of a command.',
  ].join('\n\n')
}

/** Help of a word that only groups commands, such as `drover config`. */
export function groupHelp(table: readonly Command[], words: readonly string[], channel: Channel): string {
  const inside = table.filter((command) => words.every((word, at) => command.words[at] === word))
  return [
    `${heading('Usage', channel)}\n  drover ${words.join(' ')} <subcommand> [arguments] [flags]`,
    section('Subcommands', inside.map(commandRow), channel),
    section('Examples', inside.flatMap((command) => command.examples.slice(0, 1)).map(exampleRow), channel),
  ].join('\n\n')
}

/** Help of one command. */
export function commandHelp(command: Command, channel: Channel): string {
  const { positionals, flags, examples, description, summary } = command
  return [
    description === undefined ? summary : `${summary}\n\n${description}`,
    `${heading('Usage', channel)}\n  ${usageOf(command)}`,
    ...(positionals.length === 0 ? [] : [section('Arguments', positionals.map(positionalRow), channel)]),
    section('Flags', [...flags, ...GLOBAL_FLAGS].map(flagRow), channel),
    section('Examples', examples.map(exampleRow), channel),
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

function exampleRow(example: { line: string; says: string }): Row {
  return { left: example.line, right: example.says }
}

function positionalRow(positional: Positional): Row {
  const choices = positional.choices === undefined ? '' : ` (${positional.choices.join(', ')})`
  return { left: positional.name, right: `${positional.says}${choices}` }
}

function flagRow(flag: Flag): Row {
  const short = flag.short === undefined ? '    ' : `-${flag.short}, `
  const value = flag.value === undefined ? '' : ` ${flag.value}`
  const choices = flag.choices === undefined ? '' : ` (${flag.choices.join(', ')})`
  const again = flag.repeats === true ? '; may be given again' : ''
  return { left: `${short}--${flag.name}${value}`, right: `${flag.says}${choices}${again}` }
}

function section(title: string, rows: readonly Row[], channel: Channel): string {
  const width = Math.max(...rows.map((row) => row.left.length))
  const lines = rows.map((row) => `  ${channel.style('cyan', row.left.padEnd(width))}  ${row.right}`)
  return [heading(title, channel), ...lines].join('\n')
}

function heading(title: string, channel: Channel): string {
  return channel.style('bold', title)
}
