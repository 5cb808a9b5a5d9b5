import { expect, it } from 'vitest'
import { PromptBody } from '../../prompts/prompt-request.shape.ts'
import { NATIVE_FIELDS, namesOfIgnored } from './ignored-fields.ts'

it('a field with the value that changes nothing is not named', () => {
  expect(namesOfIgnored({ n: 1, seed: null, stop: [], logprobs: true }, { n: 1, seed: null, stop: null })).toEqual([])
  expect(namesOfIgnored({ n: 2, stop: ['END'] }, { n: 1, stop: null })).toEqual(['n', 'stop'])
})

it('fields of the native API are named, and other unknown ones are not', () => {
  const asked = { approval_mode: 'none', workdir: '/tmp', max_turns: null, user: 'me' }
  expect(namesOfIgnored(asked, {})).toEqual(['approval_mode', 'workdir'])
})

it('the fields of the native API are those of a prompt', () => {
  const known = Object.keys(PromptBody.properties)
  expect(NATIVE_FIELDS.filter((name) => !known.includes(name))).toEqual([])
})
