/** Locks the session file against writers, prints `locked`, and unlocks it when stdin ends: `<path>`. */
import { once } from 'node:events'
import { DatabaseSync } from 'node:sqlite'

const [path = ''] = process.argv.slice(2)
const database = new DatabaseSync(path)
database.exec('BEGIN IMMEDIATE')
process.stdout.write('locked\n')
await once(process.stdin.resume(), 'end')
database.close()
