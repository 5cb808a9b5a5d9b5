import { describe, expect, it } from 'vitest'
import { omitEmpty } from './omit-empty.ts'

describe('omitEmpty', () => {
  it.each<[string, unknown, unknown]>([
    ['empty texts', { model: '', workdir: '', approval_mode: '', sandbox_mode: '', output_format: '' }, {}],
    ['zeros', { max_turns: 0, timeout_secs: 0, max_parallel: 0 }, {}],
    ['a negative number of tasks', { max_parallel: -1 }, {}],
    ['nulls', { extra: null, metadata: null, model: null, max_turns: null }, {}],
    ['the fields of tasks', { tasks: [{ model: '', prompt: 'x' }, 7] }, { tasks: [{ prompt: 'x' }, 7] }],
    ['the fields of steps', { steps: [{ name: '', extra: null }] }, { steps: [{}] }],
  ])('removes %s', (_name, given, left) => {
    expect(omitEmpty(given)).toEqual(left)
  })

  it.each<[string, unknown]>([
    ['a prompt, which is required', { backend: '', prompt: '' }],
    ['an empty system prompt, which overrides the config', { system_prompt: '' }],
    ['an empty list of arguments, which overrides those of a session', { extra: [] }],
    ['invalid values', { max_turns: -1, model: 0, workdir: 0, ephemeral: null, tasks: null }],
    ['what is not an object', [{ model: '' }]],
    ['null', null],
    ['nothing', undefined],
  ])('leaves %s', (_name, given) => {
    expect(omitEmpty(given)).toEqual(given)
  })
})
