/** Generates man/drover.1 from the table of commands, with the standard `man` macros. */
import { type Command, type Flag, nameOf, type Positional } from '../src/cli/command.ts'
import { COMMANDS } from '../src/cli/program/command-table.ts'
import { usageOf } from '../src/cli/shell/help.ts'
import { GLOBAL_FLAGS, ROOT_FLAGS } from '../src/cli/words/parse-words.ts'
import { OTHER_VARIABLES } from '../src/config/read-environment.ts'

const FILES: readonly Entry[] = [
  { term: '~/.drover/config.yaml', description: 'The settings. "drover config show" lists them with their origin.' },
  { term: '~/.drover/sessions.db', description: 'The sessions, a SQLite database that only its user can read.' },
]

const EXIT_CODES: readonly Entry[] = [
  { term: '0', description: 'It is done.' },
  { term: '1', description: 'It failed. A prompt has the exit code of its agent instead.' },
  { term: '2', description: 'The words were wrong, and nothing was done. Of "drover serve" that is 1.' },
  { term: '3', description: 'A command on changes or hosts failed.' },
  { term: '124', description: 'The agent took too long.' },
  { term: '130', description: 'Ctrl-C.' },
]

type Entry = { term: string; description: string }

export function manPage(version: string): string {
  const commands = COMMANDS.filter((command) => command.isHidden !== true)
  return `${[
    `.TH DROVER 1 "" "drover ${escaped(version)}" "User Commands"`,
    '.SH NAME',
    'drover \\- run prompts on command\\-line coding agents, and keep track of changes made with them',
    '.SH SYNOPSIS',
    `${example('drover "text" [flags]')}\n${example('drover <command> [arguments] [flags]')}`,
    '.SH DESCRIPTION',
    'Runs prompts on Claude Code, Codex CLI and Gemini CLI, from the command line and over HTTP, and keeps their sessions.',
    'A change becomes a run: one action at a time, recorded, and checked against what git says.',
    '.SH OPTIONS',
    ...ROOT_FLAGS.map(flagEntry),
    '.SH COMMANDS',
    `Every command has ${GLOBAL_FLAGS.map(({ name }) => `\\fB\\-\\-${name}\\fR`).join(' and ')}, too.`,
    ...commands.map(commandSection),
    '.SH EXIT STATUS',
    ...EXIT_CODES.map(entry),
    '.SH ENVIRONMENT',
    'Every setting has a variable; "drover config show" names them. Besides:',
    ...OTHER_VARIABLES.map(({ name, meaning }) => entry({ term: name, description: meaning })),
    '.SH FILES',
    ...FILES.map(entry),
  ].join('\n')}\n`
}

function commandSection(command: Command): string {
  const { summary, description, positionals, flags, examples } = command
  return [
    `.SS drover ${escaped(nameOf(command))}`,
    escaped(`${summary}.`),
    ...(description === undefined ? [] : ['.PP', escaped(description)]),
    example(usageOf(command)),
    ...positionals.map(positionalEntry),
    ...flags.map(flagEntry),
    ...examples.flatMap(({ line, description }) => ['.PP', escaped(`${capital(description)}:`), example(line)]),
  ].join('\n')
}

function flagEntry({ name, short, value, description, choices, repeats }: Flag): string {
  const words = [...(short === undefined ? [] : [`-${short}`]), `--${name}`].map((word) => `\\fB${escaped(word)}\\fR`)
  const term = `${words.join(', ')}${value === undefined ? '' : ` \\fI${escaped(value)}\\fR`}`
  return `.TP\n${term}\n${escaped(description + choicesOf(choices) + (repeats === true ? '; may be given again' : ''))}`
}

function positionalEntry({ name, description, choices }: Positional): string {
  return `.TP\n\\fI${escaped(name)}\\fR\n${escaped(description + choicesOf(choices))}`
}

function choicesOf(choices: readonly string[] | undefined): string {
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
