/**
 * Works on sessions: `<path> <count> [tag]`. Prints its owner, then each id once it is stored. Every second session is
 * completed at once; the others stay active until the store is closed. With the count `forever` it never ends.
 */
import { NO_USAGE } from '../../src/agents/adapter/token-usage.ts'
import { openStores } from '../../src/executions/store/open-stores.ts'
import { systemClock } from '../../src/kit/clock.ts'
import { randomIds } from '../../src/kit/ids.ts'

const [path = '', count = '', tag = 'work'] = process.argv.slice(2)
const { sessions: store } = await openStores({ path, clock: systemClock, ids: randomIds, waitMs: 60_000 })
process.stdout.write(`${await store.owner()}\n`)

for (let at = 0; count === 'forever' || at < Number(count); at++) {
  const { id } = await store.create({
    backend: 'claude',
    working_dir: '/work',
    initial_prompt: `session ${at}`,
    tags: [tag],
    metadata: {},
    policy: { approval_mode: 'default', sandbox_mode: 'default', extra: [] },
  })
  await store.recordAgentSession(id, { backendSessionId: `agent-${at}` })
  if (at % 2 === 1) await store.finishTurn(id, { outcome: 'completed', usage: NO_USAGE })
  process.stdout.write(`${id}\n`)
}
await store.close()
