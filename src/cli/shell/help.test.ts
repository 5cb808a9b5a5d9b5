import { describe, expect, it } from 'vitest'
import { nameOf } from '../command.ts'
import { COMMANDS } from '../program/command-table.ts'
import { commandHelp, groupHelp } from './help.ts'

const visible = COMMANDS.filter((command) => command.isHidden !== true)

function paper(columns: number, { isTty } = { isTty: true }) {
  return { style: (_style: unknown, text: string) => text, isTty, columns }
}

/** Every help there is, on a terminal so wide. */
function helps(columns: number): string[] {
  return [
    groupHelp(COMMANDS, [], paper(columns)),
    groupHelp(COMMANDS, ['protocol'], paper(columns)),
    ...visible.map((command) => commandHelp(command, paper(columns))),
  ]
}

function helpOf(name: string, on: ReturnType<typeof paper>): string {
  const command = COMMANDS.find((each) => nameOf(each) === name)
  if (command === undefined) throw new Error(`there is no command ${name}`)
  return commandHelp(command, on)
}

function wordsOf(text: string): string[] {
  return text.split(/\s+/)
}

describe('help', () => {
  it.each([40, 60, 80, 100])('fits a terminal of %i columns, but for what is to be pasted', (columns) => {
    const pasted = new Set(visible.flatMap(({ examples }) => examples.map(({ line }) => line)))
    const lines = helps(columns)
      .flatMap((text) => text.split('\n'))
      .filter((line) => !pasted.has(line.trim()) && !line.startsWith('  drover '))
    expect(lines.filter((line) => line.length > columns)).toEqual([])
  })

  it.each([60, 80, 100])('says the same on %i columns as on many', (columns) => {
    expect(helps(columns).map(wordsOf)).toEqual(helps(1000).map(wordsOf))
  })

  it('puts what is said of an example under it where no room is left beside it', () => {
    const line = / {2}drover protocol skip --run \S+ --action \S+/.source
    expect(helpOf('protocol skip', paper(170))).toMatch(new RegExp(`\\n${line} {2}continue with the next action$`))
    expect(helpOf('protocol skip', paper(80))).toMatch(new RegExp(`\\n${line}\\n {6}continue with the next action$`))
  })

  it('takes a file or a pipe for wide', () => {
    expect(helpOf('protocol skip', paper(80, { isTty: false }))).toBe(helpOf('protocol skip', paper(160)))
  })

  it('goes on under what it says of a flag', () => {
    expect(helpOf('backends', paper(60))).toContain(
      '\n      --demo         Use the built-in demo agent for agents\n                     that are not installed\n',
    )
  })

  it('breaks a description anew, though not a paragraph, nor a line that ends with its sentence', () => {
    const [summary, description = ''] = helpOf('serve', paper(60)).split('\n\n')
    expect(summary).toBe('Serve prompts and sessions over HTTP')
    expect(description.split('\n').slice(0, 6)).toEqual([
      'Serves three APIs on one address: the native API under',
      '/api/v1, chat completions under /openai/v1 and messages',
      'under /anthropic/v1. API keys come from DROVER_API_KEYS,',
      'DROVER_API_KEYS_FILE, gopass or the config.',
      'Ctrl+C stops accepting requests, waits up to 30 seconds for',
      'running ones, then ends their agents. A second Ctrl+C stops',
    ])
  })
})
