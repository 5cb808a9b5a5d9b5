import { findPaths } from '../../../config/paths.ts'
import { Fault } from '../../../kit/fault.ts'
import { quoteWord } from '../../../kit/shell-words.ts'
import { inspectPostgres } from '../../../store/inspect-postgres.ts'
import { inspectStore, type StoreInspection } from '../../../store/inspect-store.ts'
import { toPlainAddress } from '../../../store/postgres-database.ts'
import type { CheckContext } from './doctor-check.ts'
import { defineFindings, type Finding, ok, problem, warning } from './finding.ts'

export const STORE = defineFindings('Sessions', 'session store', {
  sessions_healthy: ok(
    'The session database opens, has a known layout and, as a file, passes SQLite’s integrity check, or does not exist yet.',
  ),
  sessions_damaged: problem(
    'The session database opens, but parts of it are damaged.',
    'restore a backup, or move it away to start with an empty one',
  ),
  sessions_unusable: problem(
    'The session database is unusable: it is damaged, locked or not readable, or another program or a newer drover wrote it.',
    'follow the advice in the report: update drover, restore a backup, or move the file away',
  ),
  sessions_exposed: warning(
    'Other users of this machine can read prompts and sessions.',
    'remove their permissions with chmod 600',
  ),
  store_rights_missing: problem(
    'The role in `store.url` may connect to PostgreSQL, but may not use the tables of drover there.',
    'let the owner of the database grant what the report names',
  ),
  store_outdated: problem(
    'The PostgreSQL store has no tables yet, or those of an older drover, which this version cannot use.',
    'run drover store migrate as the owner of the tables: with DROVER_STORE_URL=postgres://OWNER@HOST/DATABASE',
  ),
  labels_missing: warning(
    'Prompts wait for a machine with a label that no worker has.',
    'start drover work with that label on a machine that has it, or cancel the prompts',
  ),
  session_owners_left: warning(
    'A process died while it used sessions, and these sessions are still marked as active.',
    'run drover sessions list: like every command that uses sessions, it closes them',
  ),
})

export async function checkSessions({
  configEnvironment,
  config,
}: Pick<CheckContext, 'configEnvironment' | 'config'>): Promise<Finding[]> {
  const settings = await config
  const store = settings.is === 'found' ? settings.value.config.store : undefined
  if (store !== undefined && store.url !== 'sqlite:') return await checkPostgres(store)
  const path = findPaths(configEnvironment).sessions
  try {
    return assessSessions(path, await inspectStore(path))
  } catch (error) {
    if (!(error instanceof Fault)) throw error
    return [STORE.sessions_unusable({ detail: error.message, todo: undefined })]
  }
}

async function checkPostgres(store: { url: string; schema: string }): Promise<Finding[]> {
  const address = toPlainAddress(store.url)
  try {
    const { version, known, workers, missing, waitsForLabels } = await inspectPostgres(store)
    if (missing.length > 0) {
      const todo = `let its owner run ${missing.map((right) => `GRANT ${right} TO ROLE`).join('; ')}`
      return [STORE.store_rights_missing({ detail: `the role of ${address} lacks ${missing.join(' and ')}`, todo })]
    }
    const tables = version === 0 ? 'has no tables yet' : `has schema ${version}, and this version needs ${known}`
    if (version < known) return [STORE.store_outdated({ detail: `${address} ${tables}` })]
    return [
      STORE.sessions_healthy({ detail: `${address}: workers: ${workers}` }),
      ...waitsForLabels.map(({ label, waiting }) =>
        STORE.labels_missing({
          detail: `prompts that wait for a machine with the label ${label}: ${waiting}`,
          todo: `start drover work --label ${label} on a machine that has it, or cancel them`,
        }),
      ),
    ]
  } catch (error) {
    if (!(error instanceof Fault)) throw error
    return [STORE.sessions_unusable({ detail: error.message, todo: undefined })]
  }
}

function assessSessions(path: string, { store, owners }: StoreInspection): Finding[] {
  const left = owners.dead === 1 ? 'a process' : `${owners.dead} processes`
  return [
    ...assessDatabase(path, store),
    ...(store?.isExposed
      ? [
          STORE.sessions_exposed({
            detail: `${path} is accessible to other users`,
            todo: `run chmod 600 ${quoteWord(path)}`,
          }),
        ]
      : []),
    ...(owners.dead > 0 ? [STORE.session_owners_left({ detail: `${left} died while using sessions` })] : []),
  ]
}

function assessDatabase(path: string, store: StoreInspection['store']): Finding[] {
  if (store === undefined) return [STORE.sessions_healthy({ detail: `${path} does not exist yet` })]
  const { bytes, sessions, form, known, damage } = store
  if (damage !== undefined && damage.length > 0) {
    return [STORE.sessions_damaged({ detail: `${path}: ${damage.join('; ')}` })]
  }
  const facts = [
    sessions === 1 ? '1 session' : `${sessions} sessions`,
    `${(bytes / 1024 / 1024).toFixed(1)} MiB`,
    ...(form < known ? ['in an older layout, which the next use upgrades'] : []),
    ...(damage === undefined ? ['too large to check'] : []),
  ]
  return [STORE.sessions_healthy({ detail: `${path}: ${facts.join(', ')}` })]
}
