import { describe, expect, it } from 'vitest'
import { jsonLocation, MAX_LOCATION_KEY } from './json-value.ts'

describe('jsonLocation', () => {
  it.each([
    [[], '$'],
    [['summary'], '$.summary'],
    [['_id9', 'Z'], '$._id9.Z'],
    [[0], '$[0]'],
    [['targets', 12, 'value'], '$.targets[12].value'],
    [['7'], '$.7'],
    [[''], '$[""]'],
    [['odd key'], '$["odd key"]'],
    [['a-b'], '$["a-b"]'],
    [['a.b'], '$["a.b"]'],
    [['ключ'], '$["ключ"]'],
    [['say "hi"\n'], '$["say \\"hi\\"\\n"]'],
    [['a\n'], '$["a\\n"]'],
    [['\ud800'], '$["\\ud800"]'],
  ])('%j is %s', (path, location) => {
    expect(jsonLocation(path)).toBe(location)
  })

  it('cuts keys that are longer than the limit', () => {
    const longest = 'k'.repeat(MAX_LOCATION_KEY)
    expect(jsonLocation([longest])).toBe(`$.${longest}`)
    expect(jsonLocation([`${longest}k`])).toBe(`$["${longest}…"]`)
  })
})
