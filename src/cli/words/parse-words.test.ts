import { describe, expect, it } from 'vitest'
import { commandName, type Flag } from '../command.ts'
import { COMMANDS } from '../program/command-table.ts'
import { parseWords } from './parse-words.ts'

/** Any value is allowed. */
const isFree = ({ choices, integer, pattern }: Flag) => (choices ?? integer ?? pattern) === undefined

const rows = COMMANDS.flatMap((command) =>
  command.flags
    .filter((flag) => flag.value !== undefined && isFree(flag))
    .map((flag) => ({ command, flag, title: `drover ${commandName(command)} --${flag.name}` })),
)

describe('parseWords', () => {
  it.each(rows)('takes the word after $title as its value, whatever it begins with', ({ command, flag }) => {
    const args = command.positionals.flatMap(({ isOptional, choices }) => (isOptional ? [] : [choices?.[0] ?? 'word']))
    for (const value of ['- yes', '-g.txt', '-1', '--', '--json', `--${flag.name}`]) {
      const { flags, args: read } = parseWords(command, [...args, `--${flag.name}`, value])
      expect([flags.text(flag.name), read, flags.isOn('json')]).toEqual([value, args, false])
      if (flag.short !== undefined) expect(parseWords(command, [`-${flag.short}`, value, ...args]).args).toEqual(args)
    }
  })
})
