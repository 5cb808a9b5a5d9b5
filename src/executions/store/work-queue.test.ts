import { expect, it } from 'vitest'
import { isQueueFull, type KnownWorker } from './work-queue.ts'

const worker = (slots: number, lent?: number): KnownWorker => ({
  ...{ machine: 'one', backends: ['claude'], repositories: [], slots },
  ...(lent !== undefined && { lent }),
})

it.each([
  ['no worker has a free slot, and the queue is full', { waiting: 2, running: 3 }, [worker(1), worker(2)], true],
  ['the queue has a place', { waiting: 1, running: 3 }, [worker(1), worker(2)], false],
  ['a slot is free', { waiting: 2, running: 2 }, [worker(1), worker(2)], false],
  ['a turn that waits has lent its slot', { waiting: 2, running: 3 }, [worker(1), worker(2, 1)], false],
  ['the slot that a turn has lent is used too', { waiting: 2, running: 4 }, [worker(1), worker(2, 1)], true],
])('if %s, a queue for two that has %j is full: %#', (_, load, workers, expected) => {
  expect(isQueueFull(load, { workers, limit: 2 })).toBe(expected)
})
