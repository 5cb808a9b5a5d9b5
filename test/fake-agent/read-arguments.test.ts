import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { type FlagTable, readArguments } from './read-arguments.ts'

const TABLE: FlagTable = { '--loud': 'switch', '--model': 'value', '-m': '--model', '--tools': 'values' }

function read(...argv: string[]) {
  const args = readArguments(argv, TABLE)
  if ('unknownFlag' in args) return args
  const flags = Object.keys(TABLE).filter((flag) => args.has(flag))
  return { flags: flags.map((flag) => [flag, args.value(flag)]), words: args.words, rest: args.rest }
}

describe('readArguments', () => {
  it.each<[string[], Partial<Extract<ReturnType<typeof read>, { words: unknown }>>]>([
    [[], {}],
    [['--loud'], { flags: [['--loud', undefined]] }],
    [['--model', 'x', 'y'], { flags: [['--model', 'x']], words: ['y'] }],
    [['--model', '--loud'], { flags: [['--model', '--loud']] }],
    [['--model=a=b'], { flags: [['--model', 'a=b']] }],
    [['-m', 'x'], { flags: [['--model', 'x']] }],
    [['-m', 'x', '-m', 'y'], { flags: [['--model', 'y']] }],
    [['--model'], { flags: [['--model', undefined]] }],
    [['--tools', 'a', 'b', '--loud', 'c'], { flags: [['--loud', undefined], ['--tools', 'a b']], words: ['c'] }], // biome-ignore format: a row
    [['--tools', 'a', 'b'], { flags: [['--tools', 'a b']] }],
    [['x', '-', '--', '--loud', '-z'], { words: ['x', '-'], rest: ['--loud', '-z'] }],
  ])('reads %j', (argv, found) => {
    expect(read(...argv)).toEqual({ flags: [], words: [], rest: [], ...found })
  })

  it.each([
    [['--quiet'], '--quiet'],
    [['-x', '--loud'], '-x'],
    [['--quiet=1'], '--quiet'],
    [['--toString'], '--toString'],
  ])('refuses %j', (argv, unknownFlag) => {
    expect(read(...argv)).toEqual({ unknownFlag })
  })

  it('keeps every word after "--", whatever it is', () => {
    fc.assert(
      fc.property(fc.array(fc.string()), (rest) => {
        expect(read('--', ...rest)).toEqual({ flags: [], words: [], rest })
      }),
    )
  })
})
