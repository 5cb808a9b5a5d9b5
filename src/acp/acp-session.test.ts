import { expect, it } from 'vitest'
import type { AgentQuestion } from '../agents/adapter/agent.ts'
import { readForm, toForm } from './acp-session.ts'

const OPTIONS = [{ label: 'SQLite', description: 'one file' }, { label: 'PostgreSQL' }]
const QUESTIONS: AgentQuestion[] = [
  { text: 'Which store?', options: OPTIONS },
  { text: 'Which systems?', options: OPTIONS, takes_several: true },
  { text: 'And else?', options: OPTIONS, takes_text: true },
  { text: 'Name?', options: [], is_optional: true },
  { text: 'Days?', options: [], takes: 'integer', is_optional: true },
]
const ASKED = { questions: QUESTIONS }

it('a form has a field for each question', () => {
  const titled = [
    { const: 'SQLite', title: 'SQLite (one file)' },
    { const: 'PostgreSQL', title: 'PostgreSQL' },
  ]
  expect(toForm({ questions: QUESTIONS, reason: 'It depends.' })).toEqual({
    mode: 'form',
    message: 'It depends.',
    requestedSchema: {
      type: 'object',
      required: ['answer_1', 'answer_2', 'answer_3'],
      properties: {
        answer_1: { type: 'string', title: 'Which store?', oneOf: titled },
        answer_2: { type: 'array', title: 'Which systems?', items: { anyOf: titled } },
        answer_3: { type: 'string', title: 'And else?', description: 'For example: SQLite (one file); PostgreSQL' },
        answer_4: { type: 'string', title: 'Name?' },
        answer_5: { type: 'integer', title: 'Days?' },
      },
    },
  })
  expect(toForm({ questions: QUESTIONS.slice(0, 2) })['message']).toBe('Which store?\nWhich systems?')
})

it('a form that was filled in has the answers, and another one has none', () => {
  const content = { answer_1: 'SQLite', answer_2: ['SQLite', 'PostgreSQL'], answer_3: 'x', answer_4: null, answer_5: 3 }
  const answers = [['SQLite'], ['SQLite', 'PostgreSQL'], ['x'], [], ['3']]
  expect(readForm(ASKED, { action: 'accept', content })).toEqual(answers)
  for (const action of ['decline', 'cancel']) expect(readForm(ASKED, { action, content })).toBeUndefined()
  expect(readForm(ASKED, { action: 'accept' })).toBeUndefined()
})
