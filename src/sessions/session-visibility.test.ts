/** What an API key sees and changes in the sessions of one file. */
import { describe, expect, it } from 'vitest'
import { newSession, openStore, tickingClock } from '../../test/support/session-store.ts'
import { sessionNotFound, sessionOfAnotherKey } from './faults.ts'

const ADA = 'key_ada'
const ALL = { limit: 10, offset: 0 }

/** Two of Ada, two of Bob, and two without a key. The second of each is shared. Later ones are newer. */
async function openShared() {
  const store = await openStore({ clock: tickingClock() })
  const ids: Record<string, string> = {}
  for (const keyId of [ADA, 'key_bob', undefined]) {
    for (const shared of [false, true]) {
      const { id } = await store.create({ ...newSession(), ...(keyId !== undefined && { keyId }) })
      if (shared) await store.edit(id, { shared })
      ids[`${keyId ?? 'nobody'}${shared ? ' shared' : ''}`] = id
    }
  }
  const nameOf = (id: string) => Object.keys(ids).find((name) => ids[name] === id)
  return { store, ids, nameOf, ada: store.seenBy(ADA) }
}

const SEEN = ['nobody shared', 'key_bob shared', 'key_ada shared', 'key_ada']
const NOT_SEEN = ['key_bob', 'nobody']
const OF_OTHERS = ['key_bob shared', 'nobody shared']

describe('an API key', () => {
  it('finds its own sessions and shared ones, and no others', async () => {
    const { ids, ada } = await openShared()
    for (const name of SEEN) expect(await ada.find(ids[name] ?? '')).toMatchObject({ id: ids[name] })
    for (const name of NOT_SEEN) {
      await expect(ada.find(ids[name] ?? '')).rejects.toMatchObject({ code: sessionNotFound.code })
    }
  })

  it('lists and counts them, newest first', async () => {
    const { nameOf, ada } = await openShared()
    const { sessions, total } = await ada.list({}, ALL)
    expect(sessions.map(({ id }) => nameOf(id))).toEqual(SEEN)
    expect(total).toBe(SEEN.length)
  })

  it.each([
    [1, 0],
    [1, 2],
    [2, 1],
    [3, 3],
    [2, 4],
  ])('gets pages of %i from number %i on that have the same order', async (limit, offset) => {
    const { nameOf, ada } = await openShared()
    const { sessions, total } = await ada.list({}, { limit, offset })
    expect(sessions.map(({ id }) => nameOf(id))).toEqual(SEEN.slice(offset, offset + limit))
    expect(total).toBe(SEEN.length)
  })

  it('sees only what also matches the filter', async () => {
    const { store, ids, nameOf, ada } = await openShared()
    for (const name of ['key_ada', 'key_bob', 'nobody shared']) await store.edit(ids[name] ?? '', { addTags: ['plan'] })
    const { sessions, total } = await ada.list({ tag: 'plan' }, ALL)
    expect(sessions.map(({ id }) => nameOf(id))).toEqual(['nobody shared', 'key_ada'])
    expect(total).toBe(2)
  })

  it('changes and deletes its own sessions only', async () => {
    const { ids, ada } = await openShared()
    for (const name of OF_OTHERS) {
      const id = ids[name] ?? ''
      await expect(ada.requireOwn(id)).rejects.toMatchObject({ code: sessionOfAnotherKey.code, details: { id } })
      await expect(ada.edit(id, { title: 'mine' })).rejects.toMatchObject({ code: sessionOfAnotherKey.code })
      await expect(ada.delete(id)).rejects.toMatchObject({ code: sessionOfAnotherKey.code })
    }
    for (const name of ['key_ada', 'key_ada shared']) {
      await ada.requireOwn(ids[name] ?? '')
      expect(await ada.edit(ids[name] ?? '', { title: 'mine' })).toMatchObject({ title: 'mine' })
    }
  })
})

it('the user of the machine finds and changes every session', async () => {
  const { store, ids } = await openShared()
  expect((await store.list({}, ALL)).total).toBe(6)
  for (const id of Object.values(ids)) {
    expect(await store.find(id)).toMatchObject({ id })
    expect(await store.edit(id, { title: 'seen' })).toMatchObject({ title: 'seen' })
  }
})

it('sessions of the same moment are sorted by id, descending', async () => {
  const store = await openStore({ clock: { now: () => new Date('2026-01-01T00:00:00Z') } })
  for (let count = 0; count < 6; count += 1) {
    const { id } = await store.create({ ...newSession(), keyId: count % 2 === 0 ? ADA : 'key_bob' })
    if (count % 2 === 1) await store.edit(id, { shared: true })
  }
  const { sessions } = await store.seenBy(ADA).list({}, ALL)
  const ids = sessions.map(({ id }) => id)
  expect(ids).toEqual(ids.toSorted().toReversed())
  expect((await store.seenBy(ADA).list({}, { limit: 2, offset: 1 })).sessions.map(({ id }) => id)).toEqual(
    ids.slice(1, 3),
  )
})
