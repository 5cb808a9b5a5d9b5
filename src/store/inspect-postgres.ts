/** What doctor asks a PostgreSQL database: its version and what its user may do. */
import { sessionStoreNewer } from './faults.ts'
import { connect, SCHEMA } from './postgres-database.ts'
import { POSTGRES_MIGRATIONS } from './postgres-migrations.ts'
import type { Row } from './sql.ts'

type PostgresInspection = {
  version: number
  known: number
  workers: number
  /** What the role may not do, as the rest of a GRANT. Nothing else is known if there is something. */
  missing: readonly string[]
}

/** Looks at a database without changing it. Throws the same fault as opening it would. */
export async function inspectPostgres(url: string): Promise<PostgresInspection> {
  const database = await connect({ url, waitMs: 0 }, { max: 1 })
  const known = POSTGRES_MIGRATIONS.length
  try {
    const missing = missingRights((await database.get(RIGHTS)) as RightsRow)
    if (missing.length > 0) return { version: 0, known, workers: 0, missing }
    const version = await database.version()
    if (version === 0) return { version, known, workers: 0, missing }
    if (version > known) throw sessionStoreNewer({ path: database.address, version, known })
    const sql = 'SELECT count(*) AS workers FROM processes WHERE worker IS NOT NULL'
    return { version, known, workers: Number((await database.get(sql))?.['workers']), missing }
  } finally {
    await database.close()
  }
}

type RightsRow = Row & {
  database: string
  may_create_schema: boolean
  /** Null without a schema. */
  may_use: boolean | null
  may_create_tables: boolean | null
  tables: number
  closed_tables: number
}

const TABLE_RIGHTS = ['SELECT', 'INSERT', 'UPDATE', 'DELETE']

/** The catalogue is readable for every role. */
const RIGHTS = `SELECT current_database() AS database,
  has_database_privilege(current_database(), 'CREATE') AS may_create_schema,
  has_schema_privilege(schema.oid, 'USAGE') AS may_use,
  has_schema_privilege(schema.oid, 'CREATE') AS may_create_tables,
  count(tables.oid) AS tables,
  count(tables.oid) FILTER (WHERE NOT (${TABLE_RIGHTS.map((right) => `has_table_privilege(tables.oid, '${right}')`).join(' AND ')})) AS closed_tables
  FROM (SELECT 1) AS one
  LEFT JOIN pg_namespace AS schema ON schema.nspname = '${SCHEMA}'
  LEFT JOIN pg_class AS tables ON tables.relnamespace = schema.oid AND tables.relkind = 'r'
  GROUP BY schema.oid`

/** Pure. */
function missingRights(row: RightsRow): string[] {
  const { may_use: mayUse, may_create_tables: mayCreate } = row
  if (mayUse === null) return row.may_create_schema ? [] : [`CREATE ON DATABASE ${row.database}`]
  return [
    ...(mayUse ? [] : [`USAGE ON SCHEMA ${SCHEMA}`]),
    ...(row.tables > 0 || mayCreate ? [] : [`CREATE ON SCHEMA ${SCHEMA}`]),
    ...(row.closed_tables > 0 ? [`${TABLE_RIGHTS.join(', ')} ON ALL TABLES IN SCHEMA ${SCHEMA}`] : []),
  ]
}
