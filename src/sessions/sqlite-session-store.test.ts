import { readdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { describe, expect, it } from 'vitest'
import { newSession, openStore, sessionsPath, tickingClock } from '../../test/support/session-store.ts'
import { NO_USAGE } from '../agents/adapter/token-usage.ts'
import type { SessionStore, TurnEnd } from './session-store.ts'

const USAGE = { input_tokens: 10, output_tokens: 20, cached_tokens: 3, reasoning_tokens: 4 }
const ALL = { limit: 1_000, offset: 0 }
const ABANDONED = 'the process that ran this turn ended before the agent did'

const completed = (over: Partial<TurnEnd> = {}): TurnEnd => ({ outcome: 'completed', usage: NO_USAGE, ...over })
const fault = (code: string, kind: string) => expect.objectContaining({ code, kind })

describe('endAbandonedTurns', () => {
  it('names dead processes without a turn, and removes their lock files', async () => {
    const path = sessionsPath()
    const store = await openStore({ path })
    const own = await store.owner()
    const owners = join(dirname(path), 'owners')
    for (const name of ['a', 'b']) writeFileSync(join(owners, `${name.repeat(32)}.lock`), '')
    const { ended, deadOwners } = await store.endAbandonedTurns()
    expect({ ended, deadOwners: deadOwners.toSorted() }).toEqual({
      ended: 0,
      deadOwners: ['a'.repeat(32), 'b'.repeat(32)],
    })
    expect(readdirSync(owners)).toEqual([`${own}.lock`])
  })
})

describe('the end of a turn that cannot be saved', () => {
  /** A store whose file another process keeps locked until it is released. */
  async function locked() {
    const path = sessionsPath()
    const store = await openStore({ path, waitMs: 0, clock: tickingClock() })
    const { id } = await store.create(newSession())
    const holder = new DatabaseSync(path)
    holder.exec('BEGIN IMMEDIATE')
    await expect(store.finishTurn(id, completed({ usage: USAGE }))).rejects.toThrow(
      fault('session_store_busy', 'unavailable'),
    )
    return { path, store, id, release: () => holder.close() }
  }
  const ENDED = {
    status: 'completed',
    turn_count: 1,
    token_usage: USAGE,
    last_used: '2026-01-01T00:00:02.000Z',
  }

  it('does not prevent reads', async () => {
    const { store, id, release } = await locked()
    expect((await store.find(id)).status).toBe('active')
    release()
  })

  it.each<[string, (store: SessionStore, id: string) => Promise<unknown>]>([
    ['read', (store) => store.count()],
    ['listed', (store) => store.list({}, ALL)],
    ['written', (store) => store.create(newSession())],
  ])('is saved before sessions are next %s, with its own time', async (_, act) => {
    const { path, store, id, release } = await locked()
    release()
    await act(store, id)
    const other = await openStore({ path })
    expect(await other.find(id)).toMatchObject(ENDED)
    await store.count()
    expect(await other.find(id)).toMatchObject(ENDED)
  })

  it('is saved before the session is reopened', async () => {
    const { store, id, release } = await locked()
    release()
    await expect(store.reopen(id)).rejects.toThrow(fault('session_not_resumable', 'conflict'))
    expect(await store.find(id)).toMatchObject(ENDED)
  })

  it('is saved when the store is closed', async () => {
    const { path, store, id, release } = await locked()
    release()
    await store.close()
    expect(await (await openStore({ path })).find(id)).toMatchObject(ENDED)
  })

  it('is reported again if close cannot save it either; the next process ends the turn', async () => {
    const { path, store, id, release } = await locked()
    await expect(store.close()).rejects.toThrow(fault('session_store_busy', 'unavailable'))
    release()
    const next = await openStore({ path })
    expect(await next.endAbandonedTurns()).toMatchObject({ ended: 1 })
    expect(await next.find(id)).toMatchObject({ status: 'error', error_message: ABANDONED })
  })
})

describe('close', () => {
  it('ends running turns, and removes the lock of this process', async () => {
    const path = sessionsPath()
    const store = await openStore({ path })
    const { id } = await store.create(newSession())
    await store.close()
    await store.close()
    expect(readdirSync(join(dirname(path), 'owners'))).toEqual([])
    expect(await (await openStore({ path })).find(id)).toMatchObject({ status: 'error', error_message: ABANDONED })
  })
})
