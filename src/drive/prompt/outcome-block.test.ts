import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { findOutcomeBlock } from './outcome-block.ts'

const block = (text: string, fence = '```') => `${fence}drover-outcome\n${text}\n${fence}`

describe('the outcome block', () => {
  it.each([
    ['alone', block('{}'), '{}'],
    ['after text', `Done.\n\n${block('{"a":1}')}\n`, '{"a":1}'],
    ['the last of several', `${block('1')}\nno, rather\n${block('2')}`, '2'],
    ['after other code', `\`\`\`sh\nls\n\`\`\`\n${block('3')}`, '3'],
    ['with tildes', block('4', '~~~'), '4'],
    ['with a longer fence', block('5', '`````'), '5'],
    ['with a space before its name', '``` drover-outcome\n6\n```', '6'],
    ['with Windows line ends', '```drover-outcome\r\n7\r\n```\r\n', '7'],
    ['without an end', '```drover-outcome\n8', '8'],
    ['indented by three spaces', '   ```drover-outcome\n9\n   ```', '9'],
    ['before text that follows', `${block('10')}\nThat is all.`, '10'],
  ])('is found %s', (_name, answer, text) => {
    expect(findOutcomeBlock(answer)).toEqual({ text })
  })

  it.each([
    ['an answer without one', 'Done.', 'has no code block named'],
    ['an empty answer', '', 'has no code block named'],
    ['a block of another name', '```json\n{}\n```', 'has no code block named'],
    ['a longer name', '```drover-outcome-2\n{}\n```', 'has no code block named'],
    ['a block that is quoted', `\`\`\`\`md\n${block('{}')}\n\`\`\`\``, 'is inside another code block'],
    ['a block after one that is open', `\`\`\`sh\nls\n${block('{}')}`, 'is inside another code block'],
  ])('is missing in %s', (_name, answer, problem) => {
    expect(findOutcomeBlock(answer)).toEqual({ problem: expect.stringContaining(problem) })
  })

  it('is found after any text that has no fences', () => {
    fc.assert(
      fc.property(fc.string(), fc.json(), (before, json) => {
        fc.pre(!/[`~]{3}/.test(before) && !/[\r\n]/.test(json))
        expect(findOutcomeBlock(`${before}\n${block(json)}`)).toEqual({ text: json })
      }),
    )
  })
})
