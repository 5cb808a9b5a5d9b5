import { describe, expect, it } from 'vitest'
import { matchRunIds } from './resolve-run-id.ts'

const IDS = ['6f1c2c6e-1', '6f1c9d00-2', 'ab', 'abcd', 'abcde']

describe('matchRunIds', () => {
  it.each<[given: string, found: readonly string[]]>([
    ['6f1c2', ['6f1c2c6e-1']],
    ['6f1c2c6e-1', ['6f1c2c6e-1']],
    ['6f1c', ['6f1c2c6e-1', '6f1c9d00-2']],
    ['6f1', []],
    ['ab', ['ab']],
    ['abcd', ['abcd']],
    ['abcde', ['abcde']],
    ['abcdef', []],
    ['6F1C2', []],
  ])('finds for %s the ids %j', (given, found) => {
    expect(matchRunIds(given, IDS)).toEqual(found)
  })
})
