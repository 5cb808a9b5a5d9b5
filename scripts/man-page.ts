/** Generates man/drover.1 from the table of commands, with the standard `man` macros. */
import { type Command, choicesToList, commandName, type Flag, type Positional } from '../src/cli/command.ts'
import { COMMANDS } from '../src/cli/program/command-table.ts'
import { TERMS, usageLine } from '../src/cli/shell/help.ts'
import { GLOBAL_FLAGS, ROOT_FLAGS } from '../src/cli/words/parse-words.ts'
import { OTHER_VARIABLES } from '../src/config/read-config.ts'
import { EXIT_CODES } from './exit-codes-table.ts'

const FILES: readonly Entry[] = [
  {
    term: '~/.drover/config.yaml',
    description: 'The config file. "drover config show" lists all settings and where each value comes from.',
  },
  { term: '~/.drover/sessions.db', description: 'The sessions: an SQLite database that only its user can read.' },
  { term: '~/.drover/chat-history', description: 'The last lines typed in "drover chat".' },
]

type Entry = { term: string; description: string }

export function manPage(version: string): string {
  const commands = COMMANDS.filter((command) => command.isHidden !== true)
  return `${[
    `.TH DROVER 1 "" "drover ${escaped(version)}" "User Commands"`,
    '.SH NAME',
    'drover \\- run prompts on command\\-line coding agents, and track the changes they make',
    '.SH SYNOPSIS',
    `${example('drover "text" [flags]')}\n${example('drover <command> [arguments] [flags]')}`,
    '.SH DESCRIPTION',
    'Runs prompts on Claude Code, Codex CLI and Gemini CLI, from the command line and over HTTP, and records sessions.',
    'Tracks a change as a run: one action at a time, each recorded and checked with git.',
    TERMS,
    '.SH OPTIONS',
    ...ROOT_FLAGS.map(flagEntry),
    '.SH COMMANDS',
    `Every command has ${GLOBAL_FLAGS.map(({ name }) => `\\fB\\-\\-${name}\\fR`).join(' and ')} too.`,
    ...commands.map(commandSection),
    '.SH EXIT STATUS',
    ...EXIT_CODES.map(([code, meaning]) => entry({ term: code, description: meaning })),
    '.SH ENVIRONMENT',
    'Most settings have a variable: DROVER_ and the key in capitals, with _ for each dot, such as DROVER_SERVER_PORT.',
    'These variables are not settings:',
    ...OTHER_VARIABLES.map(({ name, meaning }) => entry({ term: name, description: meaning })),
    '.SH FILES',
    ...FILES.map(entry),
  ].join('\n')}\n`
}

function commandSection(command: Command): string {
  const { summary, description, positionals, flags, examples } = command
  return [
    `.SS drover ${escaped(commandName(command))}`,
    escaped(`${summary}.`),
    ...(description === undefined ? [] : ['.PP', escaped(description)]),
    example(usageLine(command)),
    ...positionals.map(positionalEntry),
    ...flags.map(flagEntry),
    ...Object.entries(examples).flatMap(([line, description]) => [
      '.PP',
      escaped(`${capital(description)}:`),
      example(line),
    ]),
  ].join('\n')
}

function flagEntry(flag: Flag): string {
  const { name, short, value, description, repeats } = flag
  const words = [...(short === undefined ? [] : [`-${short}`]), `--${name}`].map((word) => `\\fB${escaped(word)}\\fR`)
  const term = `${words.join(', ')}${value === undefined ? '' : ` \\fI${escaped(value)}\\fR`}`
  return `.TP\n${term}\n${escaped(description + choicesOf(flag) + (repeats === true ? '; can be repeated' : ''))}`
}

function positionalEntry(positional: Positional): string {
  const { name, description } = positional
  return `.TP\n\\fI${escaped(name)}\\fR\n${escaped(description + choicesOf(positional))}`
}

function choicesOf(described: Flag | Positional): string {
  const choices = choicesToList(described)
  return choices === undefined ? '' : ` (${choices.join(', ')})`
}

function entry({ term, description }: Entry): string {
  return `.TP\n\\fB${escaped(term)}\\fR\n${escaped(description)}`
}

/** Literal text: neither filled nor hyphenated. */
function example(line: string): string {
  return `.PP\n.nf\n.RS 4\n${escaped(line)}\n.RE\n.fi`
}

function capital(text: string): string {
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}`
}

/**
 * A backslash starts a command, and so does a dot at the start of a line. A plain hyphen, quote, accent or tilde would be
 * printed as a typographic character that cannot be pasted, and not every roff supports characters outside ASCII.
 */
function escaped(text: string): string {
  return text
    .replace(/[\\\-`'^~]/g, (character) => ESCAPES[character] ?? character)
    .replace(/[^\n -~]/gu, (character) => `\\[u${codeOf(character)}]`)
    .replace(/^\./gm, '\\&.')
}

function codeOf(character: string): string {
  return (character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')
}

const ESCAPES: Readonly<Record<string, string>> = {
  '\\': '\\e',
  '-': '\\-',
  '`': '\\(ga',
  "'": '\\(aq',
  '^': '\\(ha',
  '~': '\\(ti',
}
