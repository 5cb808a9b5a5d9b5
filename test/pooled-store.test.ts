/** A PostgreSQL store behind pgbouncer, which gives each transaction another connection. */
import { describe, expect, it, onTestFinished } from 'vitest'
import { followStored } from '../src/executions/follow-events.ts'
import type { Execution } from '../src/executions/store/execution.shape.ts'
import { openStores } from '../src/executions/store/open-stores.ts'
import type { Stores } from '../src/executions/store/stores.ts'
import { systemClock } from '../src/kit/clock.ts'
import { randomIds } from '../src/kit/ids.ts'
import { IS_FULL } from './support/full-counts.ts'
import { PGBOUNCER, startPgbouncer } from './support/pgbouncer.ts'
import { createPostgresDatabase, POSTGRES_PROGRAMS } from './support/postgres.ts'
import { until } from './support/until.ts'

async function open(url: string): Promise<Required<Stores>> {
  const postgres = { url, machine: 'here', deadAfterMs: 20_000 }
  const stores = await openStores({ clock: systemClock, ids: randomIds, postgres })
  onTestFinished(() => stores.sessions.close())
  return stores as Required<Stores>
}

describe.runIf(IS_FULL && POSTGRES_PROGRAMS !== undefined && PGBOUNCER !== undefined)(
  'a store behind pgbouncer',
  () => {
    it('has a queue, and its readers poll, because no notice arrives', async () => {
      const direct = await createPostgresDatabase()
      const { url, stop } = await startPgbouncer(direct)
      onTestFinished(stop)
      const [worker, server, beside] = [await open(url), await open(url), await open(direct)]
      const facts = { backends: ['claude'], repositories: [], slots: 1 }
      const execution: Execution = {
        ...{ id: 'exec_000000000000000000000001', state: 'queued', kind: 'prompt', backend: 'claude', owner: '' },
        ...{ created_at: '2026-01-01T00:00:00.000Z', last_seq: 0 },
      }
      const work = { keep: 'events', countsUsage: false, request: '{}', machine: undefined, waiter: undefined } as const
      await server.queue.add({ execution, ...work })
      const seen: number[] = []
      const read = async () => {
        const from = { after: 0, signal: AbortSignal.timeout(30_000) }
        for await (const batch of followStored(execution.id, async () => server.executions, from)) {
          seen.push(...batch.map(({ seq }) => seq))
        }
      }
      const ended = read()
      expect(await worker.queue.claim(facts, { perKey: 1, perBackend: 1 })).toMatchObject({ id: execution.id })
      beside.executions.watch(() => {})
      await until(() => beside.executions.isTold())
      const owner = await worker.sessions.owner()
      const end = { at: '2026-01-01T00:00:00.000Z', type: 'state', content: { state: 'completed' } }
      await worker.executions.save([
        {
          execution: { ...execution, owner, state: 'completed', ended_at: end.at, last_seq: 2 },
          ...{ keep: 'events', events: [{ seq: 2, ...end }], isNew: false },
        },
      ])
      await ended
      expect([seen, server.executions.isTold()]).toEqual([[1, 2], false])
    })
  },
)
