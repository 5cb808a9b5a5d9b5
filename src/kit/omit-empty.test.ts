import { describe, expect, it } from 'vitest'
import { omitEmpty } from './omit-empty.ts'
import type { OptionalFields } from './schema.ts'

const TASK: OptionalFields = {
  names: ['model', 'workdir', 'approval_mode', 'name', 'max_turns', 'ephemeral', 'extra', 'metadata', 'system_prompt'],
  within: {},
}
const CALL: OptionalFields = {
  names: [...TASK.names, 'max_parallel', 'timeout_secs', 'max_tokens', 'options'],
  within: { tasks: TASK, options: TASK },
}

describe('omitEmpty', () => {
  it.each<[string, unknown, unknown]>([
    ['empty texts', { model: '', workdir: '', approval_mode: '' }, {}],
    ['zeros', { max_turns: 0, timeout_secs: 0, max_parallel: 0 }, {}],
    ['null in every optional field', Object.fromEntries(CALL.names.map((name) => [name, null])), {}],
    ['the fields of requests in a list', { tasks: [{ model: '', prompt: 'x' }, 7] }, { tasks: [{ prompt: 'x' }, 7] }],
    ['the fields of a request in a field', { options: { name: '', extra: null } }, { options: {} }],
  ])('removes %s', (_name, given, left) => {
    expect(omitEmpty(given, CALL)).toEqual(left)
  })

  it.each<[string, unknown]>([
    ['a field that is not optional', { backend: '', prompt: '', tasks: null }],
    ['a field that is not known', { constructor: null, unheard_of: null }],
    ['an empty system prompt, which overrides the config', { system_prompt: '' }],
    ['an empty list of arguments, which overrides those of a session', { extra: [] }],
    ['a limit of nothing', { max_tokens: 0 }],
    ['null inside a value', { metadata: { model: null }, extra: [null] }],
    ['invalid values', { max_turns: -1, max_parallel: -1, model: 0, workdir: 0, ephemeral: '' }],
    ['a list in a list', { tasks: [[{ model: '' }]] }],
    ['what is not an object', [{ model: '' }]],
    ['null', null],
    ['nothing', undefined],
  ])('leaves %s', (_name, given) => {
    expect(omitEmpty(given, CALL)).toEqual(given)
  })

  it('leaves what is no request', () => {
    expect(omitEmpty({ model: null }, undefined)).toEqual({ model: null })
  })
})
