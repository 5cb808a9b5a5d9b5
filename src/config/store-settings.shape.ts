/** Where sessions and executions are stored. */
import { Type } from 'typebox'
import { strict } from '../kit/shape.ts'

export const StoreSection = strict({
  url: Type.String({
    default: 'sqlite:',
    minLength: 1,
    description:
      'Where sessions and executions are stored. `sqlite:` is a file of this user. With PostgreSQL, servers and workers on many machines share them.',
    'x-rule': '`sqlite:` or `postgres://USER:PASSWORD@HOST:PORT/DATABASE`; several hosts are separated by commas',
    'x-secret': true,
  }),
  schema: Type.String({
    default: 'drover',
    maxLength: 63,
    description: 'The schema of a PostgreSQL database that has the tables.',
    'x-rule': 'small letters, digits and `_`',
  }),
  migrate: Type.Boolean({
    default: false,
    description:
      'Whether `drover serve` migrates a PostgreSQL store when it starts. Otherwise only `drover store migrate` does. The SQLite file is always migrated.',
  }),
  machine: Type.String({
    default: '',
    maxLength: 100,
    description: 'The name of this machine in a PostgreSQL store. Empty: its host name.',
  }),
  dead_after_secs: Type.Integer({
    default: 20,
    minimum: 2,
    maximum: 3600,
    description:
      'Seconds without a sign of life until others take over from a process that uses PostgreSQL. Use the same value on all machines. A process that gets no answer from PostgreSQL for this long stops its agents.',
  }),
  statement_timeout_secs: Type.Integer({
    default: 15,
    minimum: 1,
    maximum: 600,
    description:
      'Seconds that PostgreSQL may take for one statement. A request that needs longer gets 503, and a connection that is silent for longer is closed.',
  }),
})
