import { expect, it } from 'vitest'
import { attemptEach, notice } from './actions.ts'

it('an agent that cannot be started is told about, and those that were started are not lost', async () => {
  const start = async (name: string) => {
    if (name === 'codex') throw new Error('too many requests')
    return `${name} started`
  }
  expect(await attemptEach(['claude', 'codex', 'gemini'], start)).toEqual(['claude started', 'gemini started'])
  expect(notice.value).toMatchObject({ text: 'codex: too many requests', isProblem: true })
  notice.value = undefined
  expect(await attemptEach(['claude'], start)).toEqual(['claude started'])
  expect(notice.value).toBeUndefined()
})
