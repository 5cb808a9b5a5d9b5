import { describe, expect, it } from 'vitest'
import type { PromptEvent } from '../../prompts/prompt-event.ts'
import { createAnswerText } from './reply.ts'

const event = (type: string, content: object = {}) => ({ type, content }) as PromptEvent
const piece = (text: string) => event('message', { text, role: 'assistant', is_partial: true })
const whole = (text: string) => event('message', { text, role: 'assistant' })
const tool = [event('tool_use'), event('tool_result')]

const piecesOf = (events: readonly PromptEvent[]) => events.map(createAnswerText())

describe('createAnswerText', () => {
  it('returns pieces unchanged', () => {
    expect(piecesOf([piece('Hel'), piece('lo'), piece('\n\n'), piece(' there')])).toEqual([
      'Hel',
      'lo',
      '\n\n',
      ' there',
    ])
  })

  it('puts an empty line between whole messages', () => {
    expect(piecesOf([whole('one'), whole('two')])).toEqual(['one', '\n\ntwo'])
  })

  it('puts an empty line where a tool was called', () => {
    expect(piecesOf([piece('I '), piece('will'), ...tool, piece('Do'), piece('ne')]).join('|')).toBe(
      'I |will|||\n\nDo|ne',
    )
  })

  it('puts one empty line for several tools', () => {
    expect(piecesOf([piece('a'), ...tool, ...tool, piece('b')]).join('')).toBe('a\n\nb')
  })

  it('starts without an empty line, also after a tool', () => {
    expect(piecesOf([...tool, piece('a')]).join('')).toBe('a')
  })

  it('ignores empty texts', () => {
    expect(piecesOf([whole(''), piece('a'), ...tool, piece(''), piece('b')]).join('')).toBe('a\n\nb')
  })

  it.each(['init', 'thinking', 'progress', 'token_usage', 'error', 'done'])('returns nothing for %s', (type) => {
    expect(piecesOf([piece('a'), event(type, { text: 'x', message: 'x' }), piece('b')])).toEqual(['a', '', 'b'])
  })
})
