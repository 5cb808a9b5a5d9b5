import { describe, expect, it } from 'vitest'
import { escapeControls } from './read-reported-outcome.ts'

describe('escapeControls', () => {
  it.each([
    ['an escaped control character', '{"a":"x\\u001b[31m"}', 'x\\u001b[31m'],
    ['one in capitals', '{"a":"\\u009F"}', '\\u009F'],
    ['a short escape', '{"a":"\\b\\f"}', '\\b\\f'],
    ['a raw one', '{"a":"x\u001b[31m\u007f"}', 'x\\u001b[31m\\u007f'],
    ['one after an escaped backslash', '{"a":"\\\\\\u0007"}', '\\\\u0007'],
  ])('shows %s', (_name, json, text) => {
    expect(JSON.parse(escapeControls(json))).toEqual({ a: text })
  })

  it.each(['{"a":"x\\n\\t\\r\\"\\\\u001b é\\u00e9"}', '{\n\t"a": "x"\r\n}'])('leaves %j as it is', (json) => {
    expect(escapeControls(json)).toBe(json)
  })
})
