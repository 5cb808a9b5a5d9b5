import { defineFault } from '../kit/fault.ts'

export const sessionStoreInvalid = defineFault('session_store_invalid', 'unavailable', {
  when: 'The session file is damaged or is not a session file; drover does not change it.',
  message: (d: { path: string; problem: string }) =>
    `${d.path} is not a usable session file: ${d.problem}; restore a backup, or move it away to start with an empty one`,
})

export const sessionStoreNewer = defineFault('session_store_newer', 'unavailable', {
  when: 'The session file was written by a newer version of drover, whose schema this version does not know.',
  message: (d: { path: string; version: number; known: number }) =>
    `${d.path} was written by a newer version of drover (schema ${d.version}; this version supports ${d.known}); update drover`,
})

export const storeNotMigrated = defineFault('store_not_migrated', 'unavailable', {
  when: 'A PostgreSQL store has no tables yet, or those of an older version of drover.',
  message: (d: { store: string; version: number; known: number }) =>
    `${d.store} has ${d.version === 0 ? 'no tables of drover' : `the tables of an older drover (schema ${d.version})`}, and this version needs schema ${d.known}; run "drover store migrate" as the owner of the tables: with DROVER_STORE_URL=postgres://OWNER@HOST/DATABASE`,
})

export const postgresUnavailable = defineFault('postgres_unavailable', 'unavailable', {
  when: 'PostgreSQL does not run, does not answer, or refuses what drover asks of it.',
  message: (d: { store: string; reason: string }) => `${d.store} cannot be used: ${d.reason}; fix that and try again`,
})

export const sessionStoreBusy = defineFault('session_store_busy', 'unavailable', {
  when: 'Another process locked the session file for longer than drover waits.',
  message: (d: { path: string; waitMs: number }) =>
    `${d.path} is locked by another process, and drover waited ${d.waitMs} ms for it; try again later`,
})

export const sessionStoreUnavailable = defineFault('session_store_unavailable', 'unavailable', {
  when: 'The system refuses to read or write the session file, for example because the disk is full or permission is missing.',
  message: (d: { path: string; reason: string }) => `${d.path} cannot be used: ${d.reason}; fix that and try again`,
})

export const storeInUse = defineFault('store_in_use', 'conflict', {
  when: 'A copy of the store was requested while its prompts were running.',
  message: (d: { path: string }) => `prompts in ${d.path} are still running; wait until they end, or cancel them`,
})

export const storeNotEmpty = defineFault('store_not_empty', 'conflict', {
  when: 'A store can be copied only into a PostgreSQL database that has no sessions or executions yet.',
  message: (d: { store: string }) => `${d.store} already has sessions or executions; give an empty database`,
})

export const backupInvalid = defineFault('backup_invalid', 'invalid', {
  when: 'A file is not a drover backup, or is damaged; nothing was changed.',
  message: (d: { path: string; problem: string }) =>
    `${d.path} is not a usable backup: ${d.problem}; give a file that "drover backup" wrote`,
})

export const backupNewer = defineFault('backup_newer', 'conflict', {
  when: 'A backup was written by a newer version of drover, whose schema this version does not know.',
  message: (d: { path: string; version: number; known: number }) =>
    `${d.path} was written by a newer version of drover (schema ${d.version}; this version supports ${d.known}); update drover first`,
})

export const backupExists = defineFault('backup_exists', 'conflict', {
  when: 'The backup file already exists and `--force` was not given.',
  message: (d: { path: string }) => `${d.path} exists; give another name, or --force to replace it`,
})

export const backupOverStore = defineFault('backup_over_store', 'usage', {
  when: 'The backup file is the session file itself, so a backup would overwrite it, or a restore would read from it.',
  message: (d: { path: string }) => `${d.path} is the file that drover is using; give another file`,
})

export const nothingToBackUp = defineFault('nothing_to_back_up', 'not_found', {
  when: 'There is no session file yet.',
  message: (d: { path: string }) =>
    `${d.path} does not exist, so there is nothing to back up; the first prompt creates it`,
})

export const backupByPostgres = defineFault('backup_by_postgres', 'conflict', {
  when: 'The store is a PostgreSQL database, which has its own backup programs.',
  message: (d: { command: string }) =>
    `sessions and executions are in PostgreSQL; use its own program, as the role that owns the tables: ${d.command}`,
})

export const homeInUse = defineFault('home_in_use', 'conflict', {
  when: 'A restore was requested while a server or another drover process was using the files that it replaces.',
  message: (d: { path: string; by?: string; remedy?: string }) =>
    `${d.by ?? 'another drover process'} is using ${d.path}; ${d.remedy ?? 'stop all your drover processes'}, then try again`,
})
