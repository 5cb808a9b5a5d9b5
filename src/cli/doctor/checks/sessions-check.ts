import { findPaths } from '../../../config/paths.ts'
import { Fault } from '../../../kit/fault.ts'
import { quoteWord } from '../../../kit/shell-words.ts'
import { inspectPostgres } from '../../../store/inspect-postgres.ts'
import { inspectStore, type StoreInspection } from '../../../store/inspect-store.ts'
import { toPlainAddress } from '../../../store/postgres-database.ts'
import type { CheckContext } from './doctor-check.ts'
import { defineFinding, type Finding } from './finding.ts'

const STORE = { group: 'Sessions', name: 'session store' } as const

export const sessionsHealthy = defineFinding({
  ...STORE,
  code: 'sessions_healthy',
  status: 'ok',
  means:
    'The session database opens, has a known layout and, as a file, passes SQLite’s integrity check, or does not exist yet.',
})

export const sessionsDamaged = defineFinding({
  ...STORE,
  code: 'sessions_damaged',
  status: 'error',
  means: 'The session database opens, but parts of it are damaged.',
  todo: 'restore a backup, or move it away to start with an empty one',
})

export const sessionsUnusable = defineFinding({
  ...STORE,
  code: 'sessions_unusable',
  status: 'error',
  means:
    'The session database is unusable: it is damaged, locked or not readable, or another program or a newer drover wrote it.',
  todo: 'follow the advice in the report: update drover, restore a backup, or move the file away',
})

export const sessionsExposed = defineFinding({
  ...STORE,
  code: 'sessions_exposed',
  status: 'warning',
  means: 'Other users of this machine can read prompts and sessions.',
  todo: 'remove their permissions with chmod 600',
})

export const storeRightsMissing = defineFinding({
  ...STORE,
  code: 'store_rights_missing',
  status: 'error',
  means: 'The role in `store.url` may connect to PostgreSQL, but may not use or create the tables of drover there.',
  todo: 'let the owner of the database grant what the report names',
})

export const sessionOwnersLeft = defineFinding({
  ...STORE,
  code: 'session_owners_left',
  status: 'warning',
  means: 'A process died while it used sessions, and these sessions are still marked as active.',
  todo: 'run drover sessions list: like every command that uses sessions, it closes them',
})

export async function checkSessions({
  configEnvironment,
  config,
}: Pick<CheckContext, 'configEnvironment' | 'config'>): Promise<Finding[]> {
  const settings = await config
  const url = settings.is === 'found' ? settings.value.config.store.url : 'sqlite:'
  if (url !== 'sqlite:') return await checkPostgres(url)
  const path = findPaths(configEnvironment).sessions
  try {
    return assessSessions(path, await inspectStore(path))
  } catch (error) {
    if (!(error instanceof Fault)) throw error
    return [sessionsUnusable({ detail: error.message, todo: undefined })]
  }
}

async function checkPostgres(url: string): Promise<Finding[]> {
  const address = toPlainAddress(url)
  try {
    const { version, known, workers, missing } = await inspectPostgres(url)
    if (missing.length > 0) {
      const todo = `let its owner run ${missing.map((right) => `GRANT ${right} TO ROLE`).join('; ')}`
      return [storeRightsMissing({ detail: `the role of ${address} lacks ${missing.join(' and ')}`, todo })]
    }
    const layout = version < known ? ', in an older layout, which the next use upgrades' : ''
    const detail = version === 0 ? `${address} has no tables yet` : `${address}: workers: ${workers}${layout}`
    return [sessionsHealthy({ detail })]
  } catch (error) {
    if (!(error instanceof Fault)) throw error
    return [sessionsUnusable({ detail: error.message, todo: undefined })]
  }
}

function assessSessions(path: string, { store, owners }: StoreInspection): Finding[] {
  const left = owners.dead === 1 ? 'a process' : `${owners.dead} processes`
  return [
    ...assessDatabase(path, store),
    ...(store?.isExposed
      ? [sessionsExposed({ detail: `${path} is accessible to other users`, todo: `run chmod 600 ${quoteWord(path)}` })]
      : []),
    ...(owners.dead > 0 ? [sessionOwnersLeft({ detail: `${left} died while using sessions` })] : []),
  ]
}

function assessDatabase(path: string, store: StoreInspection['store']): Finding[] {
  if (store === undefined) return [sessionsHealthy({ detail: `${path} does not exist yet` })]
  const { bytes, sessions, form, known, damage } = store
  if (damage !== undefined && damage.length > 0) {
    return [sessionsDamaged({ detail: `${path}: ${damage.join('; ')}` })]
  }
  const facts = [
    sessions === 1 ? '1 session' : `${sessions} sessions`,
    `${(bytes / 1024 / 1024).toFixed(1)} MiB`,
    ...(form < known ? ['in an older layout, which the next use upgrades'] : []),
    ...(damage === undefined ? ['too large to check'] : []),
  ]
  return [sessionsHealthy({ detail: `${path}: ${facts.join(', ')}` })]
}
