import { Fault } from '../../kit/fault.ts'
import { quoteWord } from '../../kit/shell-words.ts'
import { inspectStore, type StoreInspection } from '../../sessions/inspect-store.ts'
import { defineCheck, type Finding } from './check.ts'

const STORE = { group: 'Sessions', name: 'session store' } as const

export const sessionsHealthy = defineCheck({
  ...STORE,
  code: 'sessions_healthy',
  status: 'ok',
  means:
    'The file of the sessions opens, its form is known, and SQLite finds nothing wrong with it; or there is none yet.',
})

export const sessionsDamaged = defineCheck({
  ...STORE,
  code: 'sessions_damaged',
  status: 'error',
  means: 'The file of the sessions opens, but parts of it are broken.',
  todo: 'put a copy of it in its place, or move it away to begin anew',
})

export const sessionsUnusable = defineCheck({
  ...STORE,
  code: 'sessions_unusable',
  status: 'error',
  means:
    'The file of the sessions cannot be used: it is damaged, of another program, of a newer drover, locked, or may not be read.',
  todo: 'do what the sentence says: update drover, restore a copy, or move the file away to begin anew',
})

export const sessionsExposed = defineCheck({
  ...STORE,
  code: 'sessions_exposed',
  status: 'warning',
  means: 'Other users of the machine may read prompts and sessions.',
  todo: 'take their rights away by chmod 600',
})

export const sessionOwnersLeft = defineCheck({
  ...STORE,
  code: 'session_owners_left',
  status: 'warning',
  means: 'A process that worked on sessions died, so that its sessions still look as if they were running.',
  todo: 'run drover sessions list, which settles them, as does every command that uses sessions',
})

export async function checkSessions(path: string): Promise<Finding[]> {
  try {
    return judgeSessions(path, await inspectStore(path))
  } catch (error) {
    if (!(error instanceof Fault)) throw error
    return [sessionsUnusable({ detail: error.message, todo: undefined })]
  }
}

function judgeSessions(path: string, { store, owners }: StoreInspection): Finding[] {
  const left = owners.dead === 1 ? 'a process' : `${owners.dead} processes`
  return [
    ...judgeStore(path, store),
    ...(store?.isExposed
      ? [sessionsExposed({ detail: `${path} is open to others`, todo: `run chmod 600 ${quoteWord(path)}` })]
      : []),
    ...(owners.dead > 0 ? [sessionOwnersLeft({ detail: `${left} died while working on sessions` })] : []),
  ]
}

function judgeStore(path: string, store: StoreInspection['store']): Finding[] {
  if (store === undefined) return [sessionsHealthy({ detail: `${path} does not exist yet` })]
  const { bytes, sessions, form, known, damage } = store
  if (damage !== undefined && damage.length > 0) {
    return [sessionsDamaged({ detail: `${path}: ${damage.join('; ')}` })]
  }
  const facts = [
    sessions === 1 ? '1 session' : `${sessions} sessions`,
    `${(bytes / 1024 / 1024).toFixed(1)} MiB`,
    ...(form < known ? ['in an older layout, which the next use brings up to date'] : []),
    ...(damage === undefined ? ['too large to be read through'] : []),
  ]
  return [sessionsHealthy({ detail: `${path}: ${facts.join(', ')}` })]
}
