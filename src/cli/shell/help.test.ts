import { describe, expect, it } from 'vitest'
import { commandName } from '../command.ts'
import { COMMANDS } from '../program/command-table.ts'
import { allHelp, commandHelp, groupHelp, THINGS_PEOPLE_DO } from './help.ts'

const visible = COMMANDS.filter((command) => command.isHidden !== true)

function layout(columns: number, { isTty } = { isTty: true }) {
  return { style: (_style: unknown, text: string) => text, isTty, columns }
}

/** All help texts on a terminal of this width. */
function helps(columns: number): string[] {
  return [
    groupHelp(COMMANDS, [], layout(columns)),
    allHelp(COMMANDS, layout(columns)),
    groupHelp(COMMANDS, ['protocol'], layout(columns)),
    ...visible.map((command) => commandHelp(command, layout(columns))),
  ]
}

function helpOf(name: string, on: ReturnType<typeof layout>): string {
  const command = COMMANDS.find((each) => commandName(each) === name)
  if (command === undefined) throw new Error(`unknown command ${name}`)
  return commandHelp(command, on)
}

function wordsOf(text: string): string[] {
  return text.split(/\s+/)
}

describe('help', () => {
  it.each([80, 100, 160])('of drover fits 30 lines of %i columns', (columns) => {
    expect(groupHelp(COMMANDS, [], layout(columns)).split('\n').length).toBeLessThanOrEqual(30)
  })

  it('of drover begins with ten things that people do', () => {
    expect(THINGS_PEOPLE_DO).toHaveLength(10)
    const known = [...visible.map(({ words }) => words[0]), '"text"']
    for (const { left } of THINGS_PEOPLE_DO) expect(known).toContain(left.split(' ')[1])
  })

  it.each([40, 60, 80, 100])('fits a terminal of %i columns, except for examples and addresses', (columns) => {
    const pasted = new Set(visible.flatMap(({ examples }) => Object.keys(examples)))
    const lines = helps(columns)
      .flatMap((text) => text.split('\n'))
      .filter((line) => !pasted.has(line.trim()) && !line.startsWith('  drover '))
    // An address stays whole, so that it can be copied.
    const isAddress = (line: string) => /^ *https:\S+$/.test(line)
    expect(lines.filter((line) => line.length > columns && !isAddress(line))).toEqual([])
  })

  it.each([60, 80, 100])('has the same words in %i columns as in many', (columns) => {
    expect(helps(columns).map(wordsOf)).toEqual(helps(1000).map(wordsOf))
  })

  it('prints the description of an example below it if it does not fit beside it', () => {
    const line = / {2}drover protocol skip --run \S+ --action \S+/.source
    expect(helpOf('protocol skip', layout(170))).toMatch(new RegExp(`\\n${line} {2}continue with the next action$`))
    expect(helpOf('protocol skip', layout(80))).toMatch(new RegExp(`\\n${line}\\n {6}continue with the next action$`))
  })

  it('is wide in a file or a pipe', () => {
    expect(helpOf('protocol skip', layout(80, { isTty: false }))).toBe(helpOf('protocol skip', layout(160)))
  })

  it('wraps the description of a flag in its column', () => {
    expect(helpOf('backends list', layout(60))).toContain(
      '\n      --demo         Use the built-in demo agent for agents\n                     that are not installed\n',
    )
  })

  it('lists the choices of a flag, unless its description names each of them', () => {
    const help = helpOf('compare', layout(400))
    expect(help).toMatch(/Where the agent may write \(default, read-only, workspace, full\)\n/)
    expect(help).toMatch(
      /edit files \(auto\), everything in a sandbox \(sandboxed\), everything \(none\), nothing \(always\), or what .* allow \(default\)\n/,
    )
  })

  it('wraps a description again but keeps paragraphs and lines that end with a sentence', () => {
    const [summary, description = ''] = helpOf('serve', layout(60)).split('\n\n')
    expect(summary).toBe('Serve prompts and sessions over HTTP')
    expect(description.split('\n').slice(0, 7)).toEqual([
      'Serves the web console and three APIs on one address: the',
      'native API under /api/v1, the OpenAI API (responses and chat',
      'completions) under /openai/v1, and the Anthropic API',
      '(messages) under /anthropic/v1. API keys come from "drover',
      'keys create", DROVER_API_KEYS, DROVER_API_KEYS_FILE or',
      'gopass.',
      'After Ctrl-C, the server accepts no more requests, waits up',
    ])
  })
})
