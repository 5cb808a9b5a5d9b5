import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { describe, expect, it } from 'vitest'
import { newSession, openStore, sessionsPath } from '../../../../test/support/session-store.ts'
import { checkSessions } from './sessions.ts'

const at = (path: string) => ({
  configEnvironment: { env: { DROVER_HOME: dirname(path) }, homeDirectory: '/', cwd: '/' },
})

describe('checkSessions', () => {
  it.each([
    [0, '0 sessions'],
    [1, '1 session'],
    [2, '2 sessions'],
  ])('counts %i as %s', async (count, text) => {
    const path = sessionsPath()
    const store = await openStore({ path })
    for (let made = 0; made < count; made++) await store.create(newSession())
    const [healthy] = await checkSessions(at(path))
    expect(healthy?.detail).toMatch(new RegExp(`^${path}: ${text}, 0\\.\\d MiB$`))
  })

  it('mentions an older layout', async () => {
    const path = sessionsPath()
    mkdirSync(dirname(path), { recursive: true })
    writeFileSync(path, '', { mode: 0o600 })
    const [healthy] = await checkSessions(at(path))
    expect(healthy?.detail).toBe(`${path}: 0 sessions, 0.0 MiB, in an older layout, which the next use upgrades`)
  })
})
