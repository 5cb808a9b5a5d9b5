/** Definition of `store copy`. */
import type { Command } from '../command.ts'
import { JSON_FLAG } from '../words/shared-flags.ts'

export const STORE_COMMANDS: readonly Command[] = [
  {
    words: ['store', 'copy'],
    group: 'Server',
    summary: 'Copy your sessions and executions into a PostgreSQL database',
    description: `Copies everything from the SQLite file into an empty PostgreSQL database, in one transaction; the file stays as it is.
Stop the server first. Then set store.url, or DROVER_STORE_URL, to the same address on every machine.
The sessions stay on this machine, because it has the files of their agents.`,
    positionals: [
      { name: 'from', description: 'sqlite: is your own file' },
      { name: 'to', description: 'postgres://USER@HOST:PORT/DATABASE' },
    ],
    flags: [JSON_FLAG],
    examples: [
      {
        line: 'drover store copy sqlite: postgres://drover@db.example.com/drover',
        description: 'the password comes from PGPASSWORD or ~/.pgpass',
      },
    ],
    load: () => import('./copy.ts'),
  },
]
