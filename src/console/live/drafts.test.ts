import { expect, it } from 'vitest'
import { findDraft } from './drafts.ts'

it('a text that was typed is there again under the same name only', () => {
  findDraft('prompt').value = 'half a prompt'
  expect(findDraft('prompt').value).toBe('half a prompt')
  expect(findDraft('goal').value).toBe('')
})
