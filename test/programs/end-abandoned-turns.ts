/** Ends the turns that dead processes left when its standard input ends, and prints the result as JSON: `<path>`. */
import { once } from 'node:events'
import { openStores } from '../../src/executions/store/open-stores.ts'
import { systemClock } from '../../src/kit/clock.ts'
import { randomIds } from '../../src/kit/ids.ts'

const [path = ''] = process.argv.slice(2)
const { sessions: store } = await openStores({ path, clock: systemClock, ids: randomIds })
process.stdout.write('ready\n')
await once(process.stdin.resume(), 'end')
process.stdout.write(`${JSON.stringify(await store.endAbandonedTurns())}\n`)
await store.close()
