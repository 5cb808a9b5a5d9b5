/** Ends the turns that dead processes left when its standard input ends, and prints the result as JSON: `<path>`. */
import { once } from 'node:events'
import { systemClock } from '../../src/kit/clock.ts'
import { randomIds } from '../../src/kit/ids.ts'
import { openSessionStore } from '../../src/sessions/sqlite-session-store.ts'

const [path = ''] = process.argv.slice(2)
const store = await openSessionStore({ path, clock: systemClock, ids: randomIds })
process.stdout.write('ready\n')
await once(process.stdin.resume(), 'end')
process.stdout.write(`${JSON.stringify(await store.endAbandonedTurns())}\n`)
await store.close()
