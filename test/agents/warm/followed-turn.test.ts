import { describe, expect, it } from 'vitest'
import { AwaitedAnswers } from './followed-turn.ts'

describe('the answers a turn waits for', () => {
  it('are the answers to its own requests', () => {
    const answers = new AwaitedAnswers({ openings: [1, 'two'], prompt: 3 })
    expect(answers.take({ id: 'two', result: { a: 1 } })).toEqual({ to: 'opening', result: { a: 1 } })
    expect(answers.take({ id: 3, error: { code: 5 } })).toEqual({ to: 'prompt', error: { code: 5 } })
    expect(answers.take({ id: 4, result: {} })).toBeUndefined()
    expect(answers.take({ id: '3', result: {} })).toBeUndefined()
    expect(answers.take({ result: {} })).toBeUndefined()
  })

  it('are not the requests of the agent that have the same id', () => {
    const answers = new AwaitedAnswers({ openings: [0], prompt: 1 })
    expect(answers.take({ id: 0, method: 'session/request_permission', params: {} })).toBeUndefined()
    expect(answers.take({ id: 1, method: 'session/request_permission', params: {} })).toBeUndefined()
    expect(answers.isOpen).toBe(false)
  })

  it('leave the session open once all those before the prompt have come', () => {
    const answers = new AwaitedAnswers({ openings: [1, 2], prompt: 3 })
    answers.take({ id: 1, result: {} })
    answers.take({ id: 1, result: {} })
    expect(answers.isOpen).toBe(false)
    answers.take({ id: 2, result: null })
    expect(answers.isOpen).toBe(true)
    expect(new AwaitedAnswers({ openings: [], prompt: 3 }).isOpen).toBe(true)
  })
})
