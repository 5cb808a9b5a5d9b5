/** Keeps the file of the sessions locked against writers until its standard input ends, and says when it is: `<path>`. */
import { once } from 'node:events'
import { DatabaseSync } from 'node:sqlite'

const [path = ''] = process.argv.slice(2)
const database = new DatabaseSync(path)
database.exec('BEGIN IMMEDIATE')
process.stdout.write('locked\n')
await once(process.stdin.resume(), 'end')
database.close()
