import { describe, expect, it } from 'vitest'
import type { AgentQuestion } from './agent.ts'
import { checkAnswers, describeQuestions } from './answers.ts'

const OPTIONS = [{ label: 'SQLite', description: 'one file' }, { label: 'PostgreSQL' }]
const ONE: AgentQuestion = { text: 'Which store?', options: OPTIONS }

describe('checkAnswers', () => {
  const check = (questions: AgentQuestion[] | undefined, answers?: string[][]) =>
    checkAnswers(questions === undefined ? {} : { questions }, { decision: 'allow', answers })

  it.each<[string, AgentQuestion, string[]]>([
    ['an option', ONE, ['SQLite']],
    ['several options', { ...ONE, takes_several: true }, ['SQLite', 'PostgreSQL']],
    ['a text beside options', { ...ONE, takes_text: true }, ['DuckDB']],
    ['a text', { text: 'Name?', options: [] }, ['a']],
    ['a number', { text: 'How much?', options: [], takes: 'number' }, ['-1.5']],
    ['a whole number', { text: 'How many?', options: [], takes: 'integer' }, ['12']],
    ['nothing, where that is possible', { ...ONE, is_optional: true }, []],
  ])('takes %s', (_name, question, answer) => {
    expect(() => check([question], [answer])).not.toThrow()
  })

  it.each<[string, AgentQuestion[] | undefined, string[][] | undefined, string]>([
    ['none', [ONE], undefined, 'question 1 has no answer'],
    ['too few', [ONE, ONE], [['SQLite']], 'question 2 has no answer'],
    ['too many', [ONE], [['SQLite'], ['SQLite']], 'there are only 1 questions'],
    ['some, although nothing is asked', undefined, [['SQLite']], 'there are only 0 questions'],
    ['two for one', [ONE], [['SQLite', 'PostgreSQL']], 'question 1 takes one answer'],
    ['another text', [ONE], [['DuckDB']], 'question 1 does not take "DuckDB"'],
    ['white space', [{ text: 'Name?', options: [] }], [[' ']], 'question 1 does not take " "'],
    ['a word as a number', [{ text: 'n', options: [], takes: 'number' }], [['x']], 'does not take "x"'],
    ['no text as a number', [{ text: 'n', options: [], takes: 'number' }], [['']], 'does not take ""'],
    ['a fraction as a whole number', [{ text: 'n', options: [], takes: 'integer' }], [['1.5']], 'does not take "1.5"'],
  ])('refuses %s', (_name, questions, answers, problem) => {
    expect(() => check(questions, answers)).toThrow(problem)
  })

  it('needs no answers to say that there are none', () => {
    expect(() => checkAnswers({ questions: [ONE] }, { decision: 'deny' })).not.toThrow()
  })
})

it('describeQuestions numbers the questions and their options', () => {
  expect(describeQuestions([ONE, { text: 'Name?', options: [], takes_several: true }])).toBe(
    '1. Which store?\n   1) SQLite: one file\n   2) PostgreSQL\n2. Name? (several answers are possible)',
  )
})
