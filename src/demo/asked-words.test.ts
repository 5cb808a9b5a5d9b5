import { expect, it } from 'vitest'
import { readAsked, requiredCall } from './demo-answer.ts'

it.each([
  ['say hello', { waitMs: 0, asksPermission: false }],
  ['Please wait 1 second, then please fail', { waitMs: 1000, failure: { status: 500 } }],
  ['please wait for 999999 hours', { waitMs: 999_999 * 3_600_000 }],
  ['please wait 1000000 hours', { waitMs: 0 }],
  ['please reach your limit', { failure: { status: 429, resetSecs: 3600 } }],
  ['please reach your limit for 2 days', { failure: { resetSecs: 172_800 } }],
  ['please answer in 1000 pieces', { pieces: 1000 }],
  ['please answer in 1001 pieces', { pieces: 1000 }],
  ['please call add.', { call: { name: 'add', input: {} } }],
  ['please call add with {"x": 1}', { call: { name: 'add', input: { x: 1 } } }],
  ['please call add with {oops}', { call: { name: 'add', input: {} } }],
  ['please answer: please fail\nand more', { text: 'please fail' }],
])('of %j', (prompt, asked) => {
  expect(readAsked(prompt)).toMatchObject(asked)
})

it('of a text to answer with is nothing else', () => {
  expect(readAsked('please answer: please fail').failure).toBeUndefined()
})

it.each([
  ['How strong is the wind?', undefined],
  ['Call at least one tool of the MCP server "client" now. Answers …', {}],
  ['Call one of these tools (get_wind, get_rain) of the MCP server "client" now.', { only: ['get_wind', 'get_rain'] }],
  [
    'Call one of these tools (a) of the MCP server "client" now. Call at least one tool of the MCP server "client" now.',
    {},
  ],
])('what a prompt requires is read from it: %s', (prompt, required) => {
  expect(requiredCall(prompt)).toEqual(required)
})
