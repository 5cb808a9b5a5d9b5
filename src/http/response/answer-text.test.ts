import { describe, expect, it } from 'vitest'
import type { PromptEvent } from '../../prompts/prompt-event.ts'
import { createAnswerText } from './answer-text.ts'

const event = (type: string, content: object = {}) => ({ type, content }) as PromptEvent
const piece = (text: string) => event('message', { text, role: 'assistant', is_partial: true })
const whole = (text: string) => event('message', { text, role: 'assistant' })
const tool = [event('tool_use'), event('tool_result')]

const piecesOf = (events: readonly PromptEvent[]) => events.map(createAnswerText())

describe('createAnswerText', () => {
  it('gives pieces as they are', () => {
    expect(piecesOf([piece('Hel'), piece('lo'), piece('\n\n'), piece(' there')])).toEqual([
      'Hel',
      'lo',
      '\n\n',
      ' there',
    ])
  })

  it('puts a gap between whole messages', () => {
    expect(piecesOf([whole('one'), whole('two')])).toEqual(['one', '\n\ntwo'])
  })

  it('puts a gap where a tool was at work', () => {
    expect(piecesOf([piece('I '), piece('will'), ...tool, piece('Do'), piece('ne')]).join('|')).toBe(
      'I |will|||\n\nDo|ne',
    )
  })

  it('puts one gap for any number of tools', () => {
    expect(piecesOf([piece('a'), ...tool, ...tool, piece('b')]).join('')).toBe('a\n\nb')
  })

  it('begins without a gap, also after a tool', () => {
    expect(piecesOf([...tool, piece('a')]).join('')).toBe('a')
  })

  it('does not count an empty text as one', () => {
    expect(piecesOf([whole(''), piece('a'), ...tool, piece(''), piece('b')]).join('')).toBe('a\n\nb')
  })

  it.each(['init', 'thinking', 'progress', 'token_usage', 'error', 'done'])('gives nothing for %s', (type) => {
    expect(piecesOf([piece('a'), event(type, { text: 'x', message: 'x' }), piece('b')])).toEqual(['a', '', 'b'])
  })
})
