import { describe, expect, it } from 'vitest'
import { nearestProgram, nearestWord } from './match-names.ts'

const COMMANDS = ['prompt', 'resume', 'parallel', 'chain', 'compare', 'sessions', 'config', 'version', 'run', 'stop']

describe('nearestWord', () => {
  it.each([
    ['a letter too few', 'promt', 'prompt'],
    ['a letter too many', 'prommpt', 'prompt'],
    ['another letter', 'cinfig', 'config'],
    ['two letters swapped', 'cofnig', 'config'],
    ['the wrong case', 'CONFIG', 'config'],
    ['a missing ending', 'session', 'sessions'],
    ['a short word with one slip', 'rum', 'run'],
  ])('finds the word for %s', (_name, typed, meant) => {
    expect(nearestWord(typed, COMMANDS)).toBe(meant)
  })

  it.each(['deploy', 'x', '', 'configparallel', 'backends'])('suggests nothing for "%s"', (typed) => {
    expect(nearestWord(typed, COMMANDS)).toBeUndefined()
  })

  it('prefers the closer of two', () => {
    expect(nearestWord('stopp', ['step', 'stop'])).toBe('stop')
  })

  it('suggests nothing for a much longer word, without comparing it', () => {
    const known = Array.from({ length: 50 }, (_, at) => `a-known-word-${at}`)
    expect(nearestWord('x'.repeat(15_000_000), known)).toBeUndefined()
  })
})

it.each([
  ['pytset', 'pytest'],
  ['gti', 'git'],
  ['pytst', 'pytest'],
  ['pttset', undefined],
])('the program nearest to %s is %s', (typed, meant) => {
  expect(nearestProgram(typed, ['tset', 'git', 'pytest'])).toBe(meant)
  expect(nearestProgram('pytset', ['tset', 'git'])).toBeUndefined()
})
