import { defineFault } from '../kit/fault.ts'

const offerNew = (id: string) =>
  `fork it for a new one with its settings: drover resume ${id.slice(0, 8)} --fork "TEXT"`

export const sessionNotFound = defineFault({
  code: 'session_not_found',
  kind: 'not_found',
  when: 'No session has this id or an id that begins like this.',
  say: (d: { id: string }) => `there is no session ${d.id}; list the sessions to see their ids`,
})

export const sessionAmbiguous = defineFault({
  code: 'session_ambiguous',
  kind: 'conflict',
  when: 'The ids of several sessions begin like this; the details say how many.',
  say: (d: { id: string; count: number }) => `${d.count} sessions have an id that begins with ${d.id}; give more of it`,
})

export const sessionIdMalformed = defineFault({
  code: 'session_id_malformed',
  kind: 'invalid',
  when: 'What was given cannot be the id of a session or the beginning of one.',
  say: (d: { id: string; rule: string }) => `${JSON.stringify(d.id)} is not the id of a session: ${d.rule}`,
})

export const sessionFieldInvalid = defineFault({
  code: 'session_field_invalid',
  kind: 'invalid',
  when: 'A title, a tag or what sessions are to be listed by breaks a rule; the details name the field and the rule.',
  say: (d: { field: string; rule: string }) => `${d.field} ${d.rule}`,
})

export const sessionActive = defineFault({
  code: 'session_active',
  kind: 'conflict',
  when: 'A turn is running in the session, in this process or another, so that it can be neither resumed nor deleted.',
  say: (d: { id: string }) => `session ${d.id} is being worked on; wait until that turn has ended, or cancel it`,
})

export const sessionNotResumable = defineFault({
  code: 'session_not_resumable',
  kind: 'conflict',
  when: 'The agent has no session of its own to go on with: it never named one, or has forgotten it.',
  say: (d: { id: string; backend: string }) =>
    `session ${d.id} cannot be resumed, because ${d.backend} has nothing to go on with; ${offerNew(d.id)}`,
})

export const sessionExpired = defineFault({
  code: 'session_expired',
  kind: 'conflict',
  when: 'The agent no longer has the session that is to be resumed.',
  say: (d: { id: string; backend: string }) => `${d.backend} no longer has session ${d.id}; ${offerNew(d.id)}`,
})

export const sessionStoreInvalid = defineFault({
  code: 'session_store_invalid',
  kind: 'unavailable',
  when: 'The file of the sessions is damaged or is not a file of sessions; it is left as it is.',
  say: (d: { path: string; problem: string }) =>
    `${d.path} holds no usable sessions: ${d.problem}; put a copy of it in its place, or move it away to begin anew`,
})

export const sessionStoreNewer = defineFault({
  code: 'session_store_newer',
  kind: 'unavailable',
  when: 'The file of the sessions was written by a newer drover, whose form this one does not know.',
  say: (d: { path: string; version: number; known: number }) =>
    `${d.path} was written by a newer drover (form ${d.version}; this one knows ${d.known}); update drover`,
})

export const sessionStoreBusy = defineFault({
  code: 'session_store_busy',
  kind: 'unavailable',
  when: 'Another process kept the file of the sessions locked for longer than was to be waited.',
  say: (d: { path: string; waitMs: number }) =>
    `${d.path} is locked by another process and stayed so for ${d.waitMs} ms; try again when that is done`,
})

export const sessionStoreUnavailable = defineFault({
  code: 'session_store_unavailable',
  kind: 'unavailable',
  when: 'The system refuses to read or write the file of the sessions: the disk is full, or permission is missing.',
  say: (d: { path: string; reason: string }) => `${d.path} cannot be used: ${d.reason}; mend that and try again`,
})
