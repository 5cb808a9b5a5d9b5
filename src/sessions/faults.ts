import { defineFault } from '../kit/fault.ts'

const offerFork = (id: string) =>
  `to start a new session with its settings, run drover resume ${id.slice(0, 8)} --fork "TEXT"`

export const sessionNotFound = defineFault('session_not_found', 'not_found', {
  when: 'No session that the caller may see has this id or an id with this prefix.',
  message: (d: { id: string }) => `no session ${d.id}`,
})

export const sessionAmbiguous = defineFault('session_ambiguous', 'conflict', {
  when: 'Several session ids have this prefix; the details give the number.',
  message: (d: { id: string; count: number }) => `${d.count} session ids begin with ${d.id}; give more characters`,
})

export const sessionIdMalformed = defineFault('session_id_malformed', 'invalid', {
  when: 'The text is not a session id or a prefix of one.',
  message: (d: { id: string; rule: string }) => `${JSON.stringify(d.id)} is not a session id: ${d.rule}`,
})

export const sessionFieldInvalid = defineFault('session_field_invalid', 'invalid', {
  when: 'A title, a tag, metadata or a filter of a session list breaks a rule; the details name the field and the rule.',
  message: (d: { field: string; rule: string }) => `${d.field} ${d.rule}`,
})

export const sessionActive = defineFault('session_active', 'conflict', {
  when: 'A turn is running in the session, in this process or another, so the session cannot be resumed or deleted.',
  message: (d: { id: string }) => `a turn is running in session ${d.id}; wait until it ends, or cancel it`,
})

export const sessionOfAnotherKey = defineFault('session_of_another_key', 'invalid', {
  when: 'A request tried to change or delete a session that another API key shared. Other keys may only read, resume and fork it.',
  message: (d: { id: string }) =>
    `session ${d.id} belongs to another key, which shares it; you may resume or fork it, but not change or delete it`,
})

export const sessionNotResumable = defineFault('session_not_resumable', 'conflict', {
  when: 'The agent has no session to continue: it never reported an id, or it no longer knows the session.',
  message: (d: { id: string; backend: string }) =>
    `session ${d.id} cannot be resumed, because ${d.backend} has no session to continue; ${offerFork(d.id)}`,
})

export const sessionExpired = defineFault('session_expired', 'conflict', {
  when: 'The agent no longer has the session that drover resumes. A session that only an argument for the agent names is `agent_session_missing`.',
  message: (d: { id: string; backend: string }) => `${d.backend} no longer has session ${d.id}; ${offerFork(d.id)}`,
})

export const sessionOfOtherAgent = defineFault('session_of_other_agent', 'conflict', {
  when: "A request tried to continue a session of the demo agent with the real agent, or the reverse. Neither knows the other's conversation.",
  message: (d: { id: string; of: string; continuedBy: string; isDemo: boolean; isInstalled: boolean }) =>
    d.isDemo
      ? `session ${d.id} belongs to the demo agent, and ${d.continuedBy} is ${d.isInstalled ? 'installed now; start a new session' : 'not installed; start drover with --demo to continue it'}`
      : `session ${d.id} belongs to ${d.of}, and only the demo agent is available; install ${d.continuedBy}, or start a new session`,
})

export const sessionMachineGone = defineFault('session_machine_gone', 'unavailable', {
  when: "A session can be continued only on the machine that has its agent's files, and no worker is running there. Only claude's files are also kept in the store.",
  message: (d: { id: string; machine: string }) =>
    `session ${d.id} can only be continued on ${d.machine}, where no worker is running; start drover work there, or fork the session`,
})
