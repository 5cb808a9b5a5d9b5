import { describe, expect, it } from 'vitest'
import { COMMANDS } from '../../src/cli/program/command-table.ts'
import { VARIANTS } from '../../src/contract/next-variants.ts'
import { checkOutcome } from '../../src/contract/outcome.ts'
import { NO_ACTIVITIES } from '../../src/engine/texts/final-summary.ts'
import { CAPABILITIES } from '../../src/hosts/capabilities.ts'
import { TEXTS } from '../../src/hosts/texts.generated.js'
import { BOUNDARIES, INTERVIEW, OBLIGATIONS } from './obligations.ts'

/** As one line, so that it does not matter where lines break. */
const flat = (text: string) => text.replaceAll(/\n\s*>/g, '\n').replaceAll(/\s+/g, ' ')

const INTERVIEWERS = ['drover-run', 'drover-clarify', 'drover-workflow']

describe.each(CAPABILITIES)('$name', ({ name, text, description }) => {
  const interview = INTERVIEWERS.includes(name) ? INTERVIEW : []

  it.each([...OBLIGATIONS[name], ...interview, ...BOUNDARIES])('says: %s', (_, words) => {
    expect(flat(text)).toContain(words)
  })

  it('contains no prohibition twice', () => {
    const prohibitions: readonly string[] = flat(text).match(/(?:Never|Do not|never|Neither|Put no) [^.;|]+[.;]/g) ?? []
    expect(prohibitions.length).toBeGreaterThan(3)
    expect(prohibitions.filter((each, index) => prohibitions.indexOf(each) !== index)).toEqual([])
  })

  it('ends with the boundaries', () => {
    expect(text.endsWith(`\n${TEXTS.boundaries}`)).toBe(true)
  })

  it('is short enough for an agent and for every host', () => {
    expect(text.length).toBeLessThan(20_000)
    expect(text.split('\n').length).toBeLessThan(300)
    expect(description.length).toBeLessThan(130)
  })

  it('has the interview word for word, or not at all', () => {
    const isInterviewer = INTERVIEWERS.includes(name)
    expect(text.includes(TEXTS.interview)).toBe(isInterviewer)
    if (!isInterviewer) for (const [, words] of INTERVIEW) expect(flat(text)).not.toContain(words)
  })
})

const shown = CAPABILITIES.flatMap(({ name, text }) =>
  [...flat(text).matchAll(/`(drover [^`]+)`/g)].map((match) => [name, match[1] ?? ''] as const),
)

it.each(shown)('%s shows a command that exists: %s', (_, line) => {
  const words = line.split(' ').slice(1)
  const command = COMMANDS.find((each) => each.words.every((word, index) => words[index] === word))
  if (command === undefined) expect.fail(`there is no command ${line}`)
  const rest = words.slice(command.words.length)
  const positionals: string[] = []
  while (rest.length > 0) {
    const word = rest.shift() ?? ''
    if (!word.startsWith('-')) positionals.push(word)
    else {
      const flag = command.flags.find(({ name, short }) => word === `--${name}` || word === `-${short}`)
      if (flag === undefined) expect.fail(`${command.words.join(' ')} has no flag ${word}`)
      if (flag.value !== undefined || flag.choices !== undefined) expect(rest.shift()).toMatch(/^[A-Z]+$/)
    }
  }
  expect(positionals.length).toBeLessThanOrEqual(command.positionals.length)
})

it('flags that are shown alone belong to their commands', () => {
  const flags = (words: string) =>
    COMMANDS.find((each) => each.words.join(' ') === words)?.flags.map(({ name }) => name) ?? []
  expect(flags('run')).toEqual(expect.arrayContaining(['source-file', 'no-review', 'goal-stdin']))
  expect(flags('protocol answer')).toEqual(expect.arrayContaining(['text', 'text-stdin']))
  expect(flags('protocol material')).toContain('section')
  expect(flags('source draft')).toContain('amends')
})

it('the variants that texts name are variants of next', () => {
  const named = ['submit-outcome-file', 'answer-decision', 'confirm-destructive', 'decline-or-feedback', 'skip-action']
  const resuming = ['refresh-source', 'use-pinned-source', 'keep-pinned', 'adopt']
  const ids = VARIANTS.map(({ id }) => id)
  for (const id of [...named, ...resuming]) {
    expect(ids).toContain(id)
    expect(TEXTS.run).toContain(`\`${id}\``)
  }
})

it('the outcome that the run shows is one that drover takes, and has the fields that it names', () => {
  const outcome = checkOutcome(JSON.parse(/```json\n(.*?)```/s.exec(TEXTS.run)?.[1] ?? ''))
  expect(flat(TEXTS.run)).toContain(`All fields are always there: \`${Object.keys(outcome).join(' ')}\`.`)
})

it('the run teaches every legal combination of an outcome', () => {
  const rows = TEXTS.run.split('\n').filter((line) => /^\| `\w+` \| `\w+`/.test(line))
  expect(
    rows.map((row) =>
      row
        .split('|')
        .slice(1, 3)
        .map((cell) => cell.replaceAll('`', '').trim()),
    ),
  ).toEqual([
    ['orient', 'completed, partial, error'],
    ['orient', 'needs_input'],
    ['clarify', 'completed, error'],
    ['clarify', 'needs_input'],
    ['implement', 'completed, partial, error'],
    ['implement', 'needs_input'],
    ['review', 'completed, partial, error'],
    ['summarize', 'completed, error'],
  ])
})

it('the sentence for a missing activity is the one that drover uses', () => {
  expect(flat(TEXTS.implementing)).toContain(`the final report says "${NO_ACTIVITIES}"`)
})

it('the workflow has a route to every other capability and none to itself', () => {
  const ends = TEXTS.workflow
    .split('\n')
    .filter((line) => line.startsWith('| '))
    .map((line) => line.split('|').at(-2) ?? '')
  const reached = new Set(ends.flatMap((end) => end.match(/drover-[a-z]+/g) ?? []))
  expect([...reached].sort()).toEqual(
    CAPABILITIES.map(({ name }) => name as string)
      .filter((name) => name !== 'drover-workflow')
      .sort(),
  )
  expect(ends).toHaveLength(13)
})
