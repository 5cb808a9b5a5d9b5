import { describe, expect, it } from 'vitest'
import { AgentText } from './drive-printer.ts'

const OUTCOME = '```drover-outcome\n{"summary": "Done."}\n```'

describe('AgentText', () => {
  it.each([
    ['a message', ['I look.\n\nThen I write.'], ['I look.', 'Then I write.']],
    ['a message with an outcome', [`Done.\n\n${OUTCOME}\nBye.`], ['Done.', 'Bye.']],
    ['an outcome without an end', ['Done.\n```drover-outcome\n{"a'], ['Done.']],
    ['an outcome with other fences', ['~~~~drover-outcome\n~~~\n```\n~~~~\nBye.'], ['Bye.']],
    ['two messages', ['One.', 'Two.'], ['One.', 'Two.']],
    ['other code', ['```js\n1\n```'], ['```js', '1', '```']],
    ['control characters', ['a\u001b[2Jb\u0007\r\nc\u202ed'], ['a[2Jb', 'cd']],
  ])('shows the lines of %s', (_name, messages, shown) => {
    const text = new AgentText()
    expect(messages.flatMap((message) => text.add(message, { isPartial: false }))).toEqual(shown)
  })

  it('shows the same lines if the text comes in pieces, of any size', () => {
    const whole = `Look at 漢字.\nDone.\n${OUTCOME}\nBye.\n`
    for (const size of [1, 2, 7, 100]) {
      const text = new AgentText()
      const pieces = whole.match(new RegExp(`[^]{1,${size}}`, 'g')) ?? []
      const lines = pieces.flatMap((piece) => {
        const shown = text.add(piece, { isPartial: true })
        expect(text.current()).not.toMatch(/outcome|summary|`/)
        return shown
      })
      expect([...lines, ...text.end()]).toEqual(['Look at 漢字.', 'Done.', 'Bye.'])
    }
  })

  it('has the line that is being written, and begins a new one after the end', () => {
    const text = new AgentText()
    expect(text.add('I lo', { isPartial: true })).toEqual([])
    expect(text.current()).toBe('I lo')
    expect(text.end()).toEqual(['I lo'])
    expect(text.current()).toBe('')
    expect(text.add('Whole.', { isPartial: false })).toEqual(['Whole.'])
  })
})
