import { expect, it } from 'vitest'
import { requiredCall } from './call-functions.ts'

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
