import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { AgentEvent } from './agent.ts'
import { TextRepair } from './well-formed.ts'

const piece = (text: string): AgentEvent => ({
  type: 'message',
  content: { text, role: 'assistant', is_partial: true },
})
const thought = (text: string): AgentEvent => ({ type: 'thinking', content: { text, is_partial: true } })
const DONE: AgentEvent = { type: 'progress', content: { stage: 'x' } }

function repair(events: readonly AgentEvent[]) {
  const repairing = new TextRepair()
  const repaired = events.flatMap((event) => repairing.events([event], JSON.stringify(event)))
  return { events: [...repaired, ...repairing.end()], hasReplaced: repairing.hasReplaced }
}

describe('the texts of an agent', () => {
  it.each<[string, AgentEvent[], AgentEvent[]]>([
    ['NUL', [piece('a\0b')], [piece('a\ufffdb')]],
    ['a lone surrogate', [piece('a\udc00b')], [piece('a\ufffdb')]],
    ['half a pair at the end', [piece('a\ud83d')], [piece('a'), piece('\ufffd')]],
    ['half a pair before another event', [piece('\ud83d'), DONE], [piece('\ufffd'), DONE]],
    ['half a pair before a thought', [piece('\ud83d'), thought('\ude00')], [piece('\ufffd'), thought('\ufffd')]],
    [
      'every text and name of a tool call',
      [
        {
          type: 'tool_use',
          content: { tool_id: '\0', tool_name: 'x\ud800', input: { 'k\0': ['\0', { a: '\udc00' }, 1] } },
        },
      ],
      [{ type: 'tool_use', content: { tool_id: '\ufffd', tool_name: 'x\ufffd', input: { 'k\ufffd': ['\ufffd', { a: '\ufffd' }, 1] } } }], // biome-ignore format: one row
    ],
  ])('have no %s', (_name, events, expected) => {
    expect(repair(events)).toEqual({ events: expected, hasReplaced: true })
  })

  it('keep a character whose halves come in two pieces', () => {
    expect(repair([piece('a\ud83d'), piece('\ude00b')])).toEqual({
      events: [piece('a'), piece('\u{1f600}b')],
      hasReplaced: false,
    })
  })

  it('are well-formed, however they are cut, and complete if nothing was wrong', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), fc.array(fc.nat(20)), (text, cuts) => {
        const units = text.split('')
        const pieces = [...cuts.map((at) => units.splice(0, at).join('')), units.join('')].map(piece)
        const { events } = repair(pieces)
        const whole = events.map((event) => (event.type === 'message' ? event.content.text : '')).join('')
        expect(whole).toBe(text.replaceAll('\0', '\ufffd'))
        expect(whole.isWellFormed()).toBe(true)
      }),
    )
  })
})
