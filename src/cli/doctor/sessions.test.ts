import { describe, expect, it } from 'vitest'
import { newSession, openStore, sessionsPath } from '../../../test/support/session-store.ts'
import { checkSessions } from './sessions.ts'

describe('checkSessions', () => {
  it.each([
    [0, '0 sessions'],
    [1, '1 session'],
    [2, '2 sessions'],
  ])('counts %i as %s', async (count, said) => {
    const path = sessionsPath()
    const store = await openStore({ path })
    for (let made = 0; made < count; made++) await store.create(newSession())
    const [healthy] = await checkSessions(path)
    expect(healthy?.detail).toContain(`${path}: ${said}, `)
  })
})
