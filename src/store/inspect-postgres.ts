/** What doctor asks a PostgreSQL database: its version and what its user may do. */
import { connect, type PostgresOptions } from './postgres-database.ts'
import { POSTGRES_MIGRATIONS } from './postgres-migrations.ts'
import type { Row } from './sql.ts'

type PostgresInspection = {
  version: number
  known: number
  workers: number
  /** By label. Empty if the tables are not those of this version. */
  waitsForLabels: readonly { label: string; waiting: number }[]
  /** What the role may not do, as the rest of a GRANT. Nothing else is known if there is something. */
  missing: readonly string[]
}

/** Executions that wait for a machine with a label that no worker has. */
export const WAITS_FOR_LABELS = `SELECT e.label, count(*) AS waiting FROM executions e
  WHERE e.owner = '' AND e.ended_at IS NULL AND e.label IS NOT NULL AND NOT EXISTS (
    SELECT 1 FROM processes p LEFT JOIN machines m ON m.name = p.machine
    WHERE (p.worker::jsonb -> 'labels') @> to_jsonb(e.label) AND m.is_draining IS NOT TRUE)
  GROUP BY e.label ORDER BY e.label`

/** Looks at a database without changing it. Throws the same fault as opening it would. */
export async function inspectPostgres(options: PostgresOptions): Promise<PostgresInspection> {
  const database = await connect({ ...options, waitMs: 0 }, { max: 1 })
  const known = POSTGRES_MIGRATIONS.length
  try {
    const missing = missingRights(database.schema, (await database.get(RIGHTS, database.schema)) as RightsRow)
    const nothing = { known, workers: 0, waitsForLabels: [], missing }
    if (missing.length > 0) return { ...nothing, version: 0 }
    const version = await database.version()
    if (version === 0) return { ...nothing, version }
    await database.requireTables(Math.min(known, version))
    const sql = 'SELECT count(*) AS workers FROM processes WHERE worker IS NOT NULL'
    const waits = version < known ? [] : await database.run(WAITS_FOR_LABELS)
    return {
      ...{ version, known, missing },
      workers: Number((await database.get(sql))?.['workers']),
      waitsForLabels: waits.map(({ label, waiting }) => ({ label: String(label), waiting: Number(waiting) })),
    }
  } finally {
    await database.close()
  }
}

type RightsRow = Row & {
  /** Null without a schema. */
  may_use: boolean | null
  closed_tables: number
}

const TABLE_RIGHTS = ['SELECT', 'INSERT', 'UPDATE', 'DELETE']

/** The catalogue is readable for every role. */
const RIGHTS = `SELECT has_schema_privilege(schema.oid, 'USAGE') AS may_use,
  count(tables.oid) FILTER (WHERE NOT (${TABLE_RIGHTS.map((right) => `has_table_privilege(tables.oid, '${right}')`).join(' AND ')})) AS closed_tables
  FROM (SELECT 1) AS one
  LEFT JOIN pg_namespace AS schema ON schema.nspname = ?
  LEFT JOIN pg_class AS tables ON tables.relnamespace = schema.oid AND tables.relkind = 'r'
  GROUP BY schema.oid`

/** Only who migrates needs the right to create something. Pure. */
function missingRights(schema: string, { may_use: mayUse, closed_tables: closed }: RightsRow): string[] {
  return [
    ...(mayUse === false ? [`USAGE ON SCHEMA ${schema}`] : []),
    ...(closed > 0 ? [`${TABLE_RIGHTS.join(', ')} ON ALL TABLES IN SCHEMA ${schema}`] : []),
  ]
}
