import { join } from 'node:path'
import { onTestFinished } from 'vitest'
import { openStores } from '../../src/executions/store/open-stores.ts'
import type { StoresOptions } from '../../src/executions/store/stores.ts'
import { type Clock, systemClock } from '../../src/kit/clock.ts'
import { randomIds } from '../../src/kit/ids.ts'
import type { NewSession, SessionStore } from '../../src/sessions/session-store.ts'
import { temporaryDirectory } from './run-drover.ts'

export function newSession(over: Partial<NewSession> = {}): NewSession {
  return {
    backend: 'claude',
    working_dir: '/work/project',
    initial_prompt: 'say hello',
    tags: [],
    metadata: {},
    policy: { approval_mode: 'default', sandbox_mode: 'default', extra: [] },
    ...over,
  }
}

/** The path of a new session file, which is removed after the test. */
export function sessionsPath(): string {
  return join(temporaryDirectory(), 'home', 'sessions.db')
}

/** Opens a store that is closed after the test. */
export async function openStore(over: Partial<StoresOptions & { path: string }> = {}): Promise<SessionStore> {
  const { sessions: store } = await openStores({
    path: over.path ?? sessionsPath(),
    clock: systemClock,
    ids: randomIds,
    ...over,
  })
  onTestFinished(() => store.close())
  return store
}

/** A clock that advances by one second per call, from 2026-01-01 on. */
export function tickingClock(): Clock {
  let time = Date.UTC(2026, 0, 1)
  return {
    now: () => {
      time += 1_000
      return new Date(time)
    },
  }
}
