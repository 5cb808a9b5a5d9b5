import { describe, expect, it } from 'vitest'
import { matchRunIds, shortenRunId } from './resolve-run-id.ts'

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

describe('shortenRunId', () => {
  it.each([
    ['6f1c2c6e-1111', ['6f1c2c6e-1111', 'other'], '6f1c2c6e'],
    ['6f1c2c6e-1111', ['6f1c2c6e-1111', '6f1c2c6e-1222'], '6f1c2c6e-11'],
    ['abcd', ['abcd'], 'abcd'],
    ['6f1c2c6e-1', ['6f1c2c6e-1', '6f1c2c6e-11'], '6f1c2c6e-1'],
  ])('shortens %s among %j to %s', (id, ids, short) => {
    expect(shortenRunId(id, ids)).toBe(short)
  })
})
