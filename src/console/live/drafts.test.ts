import { expect, it } from 'vitest'
import { draftOf } from './drafts.ts'

it('a text that was typed is there again under the same name only', () => {
  draftOf('prompt').value = 'half a prompt'
  expect(draftOf('prompt').value).toBe('half a prompt')
  expect(draftOf('goal').value).toBe('')
})
