import { describe, expect, it } from 'vitest'
import { toElicitationAnswer, toQuestionRequest } from './elicitation.ts'

const FORM = {
  mode: 'form',
  sessionId: 's1',
  toolCallId: 't1',
  message: 'How should it be stored?',
  requestedSchema: {
    type: 'object',
    required: ['store', 'systems'],
    properties: {
      store: { type: 'string', title: 'Store', oneOf: [{ const: 'sql', title: 'SQLite', description: 'one file' }] },
      systems: { type: 'array', items: { type: 'string', enum: ['linux', 'macos'] } },
      many: { type: 'array', items: { anyOf: [{ const: 'a', title: 'A' }] } },
      keep: { type: 'boolean', description: 'Keep the old one' },
      days: { type: 'integer' },
      share: { type: 'number' },
      name: { type: 'string' },
    },
  },
}

describe('a form of an agent', () => {
  it('becomes questions', () => {
    expect(toQuestionRequest(FORM)).toEqual({
      tool_name: 'question',
      tool_id: 't1',
      reason: 'How should it be stored?',
      input: FORM.requestedSchema,
      choices: ['allow', 'deny'],
      questions: [
        { text: 'Store', options: [{ label: 'SQLite', description: 'one file' }] },
        { text: 'systems', options: [{ label: 'linux' }, { label: 'macos' }], takes_several: true },
        { text: 'many', options: [{ label: 'A' }], takes_several: true, is_optional: true },
        { text: 'keep: Keep the old one', options: [{ label: 'yes' }, { label: 'no' }], is_optional: true },
        { text: 'days', options: [], takes: 'integer', is_optional: true },
        { text: 'share', options: [], takes: 'number', is_optional: true },
        { text: 'name', options: [], is_optional: true },
      ],
    })
  })

  it('is filled in with values, without what was left out', () => {
    const answers = [['SQLite'], ['linux', 'macos'], ['A'], ['no'], ['7'], ['0.5'], []]
    expect(toElicitationAnswer(FORM, { decision: 'allow', answers })).toEqual({
      action: 'accept',
      content: { store: 'sql', systems: ['linux', 'macos'], many: ['a'], keep: false, days: 7, share: 0.5 },
    })
    expect(toElicitationAnswer(FORM, { decision: 'deny' })).toEqual({ action: 'decline' })
  })

  it.each([
    ['an address', { mode: 'url', sessionId: 's1', url: 'https://example.com', message: 'Log in' }],
    ['a form without fields', { ...FORM, requestedSchema: { type: 'object' } }],
    ['a form of no session', { ...FORM, sessionId: undefined, requestId: 1 }],
    ['a form of another mode', { ...FORM, mode: '_later' }],
  ])('is not %s', (_name, params) => {
    expect(toQuestionRequest(params)).toBeUndefined()
  })
})
