import { expect, it } from 'vitest'
import { findDraft, toRequirement, withComment } from './drafts.ts'

it('a text that was typed is there again under the same name only', () => {
  findDraft('prompt').value = 'half a prompt'
  expect(findDraft('prompt').value).toBe('half a prompt')
  expect(findDraft('goal').value).toBe('')
})

const comment = (line: number, text: string, side: 'left' | 'right' = 'right') => ({ path: 'a.ts', side, line, text })

it('a line of a side has one comment, and an empty one removes it', () => {
  const one = withComment([], comment(3, 'why?'))
  const two = withComment(one, comment(3, 'who?', 'left'))
  expect(withComment(two, comment(3, 'how?'))).toEqual([comment(3, 'who?', 'left'), comment(3, 'how?')])
  expect(withComment(two, comment(3, ' '))).toEqual([comment(3, 'who?', 'left')])
})

it('a requirement names the place', () => {
  expect(toRequirement(comment(3, ' round it\n'))).toBe('a.ts:3: round it')
  expect(toRequirement(comment(3, 'keep it', 'left'))).toBe('a.ts:3 (removed line): keep it')
})
