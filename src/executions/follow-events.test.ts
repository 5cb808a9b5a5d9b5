import { expect, it, onTestFinished } from 'vitest'
import { until } from '../../test/support/until.ts'
import { followStored } from './follow-events.ts'
import type { ExecutionEvent } from './store/execution.shape.ts'
import type { ExecutionStore, StoreNotice } from './store/execution-store.ts'

const FOLLOWERS = 100

/** A store that counts what is read, with an execution that runs until it is told to end. */
function countingStore({ isTold }: { isTold: boolean }) {
  const listeners = new Set<(notice: StoreNotice) => void>()
  const events: ExecutionEvent[] = []
  const counts = { find: 0, events: 0 }
  let state = 'running'
  const store = {
    pollMs: 20,
    isTold: () => isTold,
    watch: (listener: (notice: StoreNotice) => void) => {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    find: async () => {
      counts.find += 1
      return { id: 'exec_1', state }
    },
    events: async (_: string, { after }: { after: number }) => {
      counts.events += 1
      return events.filter(({ seq }) => seq > after)
    },
  } as unknown as ExecutionStore
  const add = (next: string) => {
    state = next
    events.push({ seq: events.length + 1, at: '', type: 'state', content: { state: next } })
  }
  const tell = () => {
    for (const listener of listeners) listener({ type: 'changed', ids: ['exec_1'] })
  }
  return { store, counts, listeners, add, tell }
}

function follow(store: ExecutionStore): { seen: number[]; ended: Promise<void> } {
  const seen: number[] = []
  const stop = new AbortController()
  onTestFinished(() => stop.abort())
  const read = async () => {
    for await (const batch of followStored('exec_1', async () => store, { after: 0, signal: stop.signal })) {
      seen.push(...batch.map(({ seq }) => seq))
    }
  }
  return { seen, ended: read() }
}

it('is read once for all that follow an execution, after each change', async () => {
  const { store, counts, listeners, add, tell } = countingStore({ isTold: true })
  add('running')
  const followers = Array.from({ length: FOLLOWERS }, () => follow(store))
  await until(() => followers.every(({ seen }) => seen.length === 1))
  expect(listeners.size).toBe(1)
  const before = { ...counts }
  add('running')
  tell()
  await until(() => followers.every(({ seen }) => seen.length === 2))
  add('completed')
  tell()
  await Promise.all(followers.map(({ ended }) => ended))
  expect(followers.map(({ seen }) => seen)).toEqual(followers.map(() => [1, 2, 3]))
  // Two changes: a state for each, what is new, and that nothing else is.
  expect([counts.find - before.find, counts.events - before.events]).toEqual([2, 4])
  expect(listeners.size).toBe(0)
})

it('is looked at again and again only while nothing tells of changes', async () => {
  const [told, untold] = [countingStore({ isTold: true }), countingStore({ isTold: false })]
  for (const { store } of [told, untold]) follow(store)
  await until(() => untold.counts.find > 5)
  expect(told.counts.find).toBe(1)
  untold.add('completed')
  await until(() => untold.listeners.size === 0)
})
