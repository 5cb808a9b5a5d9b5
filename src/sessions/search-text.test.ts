import { describe, expect, it } from 'vitest'
import { fold, searchTextOf } from './search-text.ts'

describe('fold', () => {
  it.each([
    ['Äpfel', 'äpfel'],
    ['A\u0308pfel', 'äpfel'],
    ['ΑΒΓ', 'αβγ'],
    ['漢字', '漢字'],
  ])('makes %s %s', (text, folded) => expect(fold(text)).toBe(folded))
})

describe('searchTextOf', () => {
  it('is the title and the first 4,000 characters of the prompt', () => {
    expect(searchTextOf({ title: 'A Title', initial_prompt: `${'x'.repeat(3_999)}Yz` })).toBe(
      `a title\n${'x'.repeat(3_999)}y`,
    )
    expect(searchTextOf({ initial_prompt: 'Hello' })).toBe('\nhello')
  })
})
