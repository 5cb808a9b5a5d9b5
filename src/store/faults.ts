import { defineFault } from '../kit/fault.ts'

export const sessionStoreInvalid = defineFault({
  code: 'session_store_invalid',
  kind: 'unavailable',
  when: 'The session file is damaged or is not a session file; drover does not change it.',
  message: (d: { path: string; problem: string }) =>
    `${d.path} is not a usable session file: ${d.problem}; restore a backup, or move it away to start with an empty one`,
})

export const sessionStoreNewer = defineFault({
  code: 'session_store_newer',
  kind: 'unavailable',
  when: 'The session file was written by a newer drover, and this one does not know its schema.',
  message: (d: { path: string; version: number; known: number }) =>
    `${d.path} was written by a newer drover (schema ${d.version}; this one supports ${d.known}); update drover`,
})

export const sessionStoreBusy = defineFault({
  code: 'session_store_busy',
  kind: 'unavailable',
  when: 'Another process locked the session file for longer than drover waits.',
  message: (d: { path: string; waitMs: number }) =>
    `${d.path} is locked by another process, and drover waited ${d.waitMs} ms for it; try again later`,
})

export const sessionStoreUnavailable = defineFault({
  code: 'session_store_unavailable',
  kind: 'unavailable',
  when: 'The system refuses to read or write the session file, for example because the disk is full or permission is missing.',
  message: (d: { path: string; reason: string }) => `${d.path} cannot be used: ${d.reason}; fix that and try again`,
})

export const storeInUse = defineFault({
  code: 'store_in_use',
  kind: 'conflict',
  when: 'A store is copied while prompts run that it has.',
  message: (d: { path: string }) => `prompts are running that ${d.path} has; wait until they end, or cancel them`,
})

export const storeNotEmpty = defineFault({
  code: 'store_not_empty',
  kind: 'conflict',
  when: 'A store can only be copied into a PostgreSQL database that has no sessions and executions yet.',
  message: (d: { store: string }) => `${d.store} already has sessions or executions; give an empty database`,
})
