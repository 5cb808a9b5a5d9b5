/** The migration to ids of keys: what is stored under names, and what becomes of it. */
import { expect, it } from 'vitest'
import { createOldDatabase, createOldFile, OLD_TIME, oldExecutionId } from '../../test/support/old-store.ts'
import { describeStores, type Place, type StoreKind } from '../../test/support/stores.ts'
import { settleKeys } from './key-ids.ts'

async function oldPlace(kind: StoreKind): Promise<Place> {
  const place = await kind.newPlace()
  if ('postgres' in place.options) {
    return { ...place, options: { postgres: { ...place.options.postgres, url: await createOldDatabase() } } }
  }
  await createOldFile(place.options.path)
  return place
}

const CLOCK = { now: () => new Date(OLD_TIME) }
const ALL = { limit: 10, offset: 0 }

describeStores('what is stored under the names of keys', (kind) => {
  const open = async () => await kind.openBoth({ place: await oldPlace(kind), clock: CLOCK })
  const seenBy = async ({ executions, sessions }: Awaited<ReturnType<typeof open>>, keyId: string) => ({
    executions: (await executions.list({ keyId }, { limit: 10 })).executions.map(({ id }) => id),
    usage: (await executions.usage({ visibleTo: keyId })).totals.executions,
    sessions: (await sessions.seenBy(keyId).list({}, ALL)).total,
  })
  const NOTHING = { executions: [], usage: 0, sessions: 0 }

  it('belongs to no key before it is decided, and the user sees it', async () => {
    const stores = await open()
    for (const id of ['ada', 'key_ada', '']) expect(await seenBy(stores, id)).toEqual(NOTHING)
    const { executions } = await stores.executions.list({}, { limit: 10 })
    expect(executions.map(({ api_key: name, key_id: id }) => [name, id])).toEqual([
      [undefined, undefined],
      ['gone', undefined],
      ['ada', undefined],
      ['ada', undefined],
    ])
    expect((await stores.executions.usage({})).totals.executions).toBe(3)
    expect((await stores.sessions.list({}, ALL)).sessions).toMatchObject([{ initial_prompt: 'the plan' }])
  })

  it('belongs to the key that has the name when it is decided, except for sessions', async () => {
    const stores = await open()
    const settled = await stores.settleKeys(new Map([['ada', 'key_ada']]))
    expect(settled).toEqual({ adopted: 2, executions: 1, sessions: 1 })
    expect(await seenBy(stores, 'key_ada')).toEqual({
      executions: [oldExecutionId(1), oldExecutionId(0)],
      usage: 1,
      sessions: 0,
    })
    const claim = { key: 'k', digest: 'd', executionId: oldExecutionId(9) }
    expect(await stores.executions.claimKey({ ...claim, keyId: 'key_ada' })).toMatchObject({
      executionId: oldExecutionId(0),
    })
    expect(await stores.executions.claimKey({ ...claim, keyId: 'key_new' })).toBeUndefined()
  })

  it('is decided once: a later key of the same name gets nothing', async () => {
    const stores = await open()
    await stores.settleKeys(new Map())
    expect(await stores.settleKeys(new Map([['ada', 'key_later']]))).toEqual({ adopted: 0, executions: 0, sessions: 0 })
    expect(await seenBy(stores, 'key_later')).toEqual(NOTHING)
    const claim = { keyId: 'key_later', key: 'k', digest: 'd', executionId: oldExecutionId(9) }
    expect(await stores.executions.claimKey(claim)).toBeUndefined()
    expect((await stores.executions.usage({ groupBy: ['key'] })).rows.map(({ key }) => key)).toEqual([
      '',
      'ada',
      'gone',
    ])
  })
})

it.each([0, 499, 500, 501, 1000, 1200])('all of %i executions are decided, however many there are', async (count) => {
  let left = count
  const run = async (sql: string) => {
    if (!sql.startsWith('UPDATE executions')) return []
    const settled = Math.min(left, 500)
    left -= settled
    return Array.from({ length: settled }, (_, number) => ({ number }))
  }
  expect(await settleKeys({ run }, new Map([['ada', 'key_ada']]))).toEqual({
    adopted: count,
    executions: 0,
    sessions: 0,
  })
})
