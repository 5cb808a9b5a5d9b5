import { defineFault } from '../../kit/fault.ts'

export const executionNotFound = defineFault('execution_not_found', 'not_found', {
  when: 'No execution has this id or an id with this prefix. It was never stored, it was removed, or it belongs to another key.',
  message: (d: { id: string }) => `no execution ${d.id} exists`,
})

export const executionAmbiguous = defineFault('execution_ambiguous', 'conflict', {
  when: 'Several execution ids have this prefix.',
  message: (d: { id: string }) => `several execution ids begin with ${d.id}; give more characters`,
})

export const executionIdMalformed = defineFault('execution_id_malformed', 'invalid', {
  when: 'The text is not an execution id or a prefix of one.',
  message: (d: { id: string }) =>
    `${JSON.stringify(d.id)} is not an execution id: an id is exec_ and 24 characters; give at least the first 4 of those`,
})

export const executionEventsGone = defineFault('execution_events_gone', 'not_found', {
  when: 'The events after this number are no longer available, because the execution was started without storing its events.',
  message: (d: { id: string; after: number; first: number }) =>
    `the events of ${d.id} after ${d.after} are no longer available, and the first available one is ${d.first}; set executions.keep to events to store all events of later prompts`,
})

export const executionEnded = defineFault('execution_ended', 'conflict', {
  when: 'The execution has ended, so it cannot be canceled, and its agent takes no messages.',
  message: (d: { id: string; state: string }) => `execution ${d.id} has already ended; its state is ${d.state}`,
})

export const executionNotStarted = defineFault('execution_not_started', 'conflict', {
  when: 'A message was sent to an execution that waits for its turn.',
  message: (d: { id: string }) =>
    `execution ${d.id} waits for its turn, and its agent takes messages when it works; wait until its state is running`,
})

export const executionWithoutAgent = defineFault('execution_without_agent', 'conflict', {
  when: 'A message was sent to a batch, which has no agent itself.',
  message: (d: { id: string; kind: string }) =>
    `execution ${d.id} is a batch (${d.kind}); send the message to one of its parts`,
})

export const messageImpossible = defineFault('message_impossible', 'conflict', {
  when: 'The agent takes no messages while it works, and its session cannot be resumed, so there is no next turn to give it the message.',
  message: (d: { id: string; backend: string }) =>
    `${d.backend} takes no messages while it works here, and the session of execution ${d.id} is not stored or cannot be resumed; wait for its end, or cancel it`,
})

export const messageQueueFull = defineFault('message_queue_full', 'conflict', {
  when: 'Messages that wait for the next turn of a session may have 100,000 characters together.',
  message: (d: { limit: number }) =>
    `at most ${d.limit} characters may wait for the next turn of a session; send the next prompt first, or say less`,
})

export const messageNotTaken = defineFault('message_not_taken', 'unavailable', {
  when: 'The process that runs the execution did not answer within 30 seconds.',
  message: (d: { id: string }) =>
    `the process that runs execution ${d.id} did not answer; read the events of the execution before you send the message again`,
})

export const idempotencyKeyReused = defineFault('idempotency_key_reused', 'invalid', {
  when: 'The Idempotency-Key was used for a request with another body.',
  message: (d: { key: string }) =>
    `the Idempotency-Key ${d.key} was used for another request in the last 24 hours; send a new key with a new request`,
})

export const usagePeriodInvalid = defineFault('usage_period_invalid', 'invalid', {
  when: 'The last day of the usage period is before its first day.',
  message: (d: { since: string; until: string }) =>
    `until (${d.until}) is before since (${d.since}); give a later until or an earlier since`,
})

export const usageTooLarge = defineFault('usage_too_large', 'invalid', {
  when: 'The usage report has too many rows for one response.',
  message: (d: { max: number }) =>
    `the usage has more than ${d.max} rows; ask for fewer days, or group by fewer of day, key, backend and model`,
})

export const executionLost = defineFault('execution_lost', 'conflict', {
  when: 'The execution ended without a result, because its process died or its caller stopped it. It is not run again automatically.',
  message: (d: { id: string; state: string }) =>
    `execution ${d.id} is ${d.state} and has no result; to run the prompt again, send it with a new Idempotency-Key`,
})

export const conversationNotKept = defineFault('conversation_not_kept', 'conflict', {
  when: 'A fork on another backend needs the conversation, but no prompts and answers of the session were kept.',
  message: (d: { id: string; backend: string }) =>
    `no prompts and answers of session ${d.id} were kept, so another agent cannot get its conversation; set executions.keep to results or events for later sessions, or fork it on ${d.backend}`,
})

export const executionStartNotSaved = defineFault('execution_start_not_saved', 'unavailable', {
  when: 'With PostgreSQL, drover stores that an agent is about to start, so that no other machine starts it too. Storing that failed, so the agent was not started.',
  message: (d: { id: string }) =>
    `the start of execution ${d.id} could not be stored, so its agent was not started; check the store and try again`,
})

export const workerMissing = defineFault('worker_missing', 'unavailable', {
  when: 'With PostgreSQL, no running worker has this backend.',
  message: (d: { backend: string }) =>
    `no worker with ${d.backend} is running; start drover work on a machine that has it`,
})

export const workdirNotOnWorker = defineFault('workdir_not_on_worker', 'invalid', {
  when: 'With PostgreSQL, no worker has this directory.',
  message: (d: { workdir: string; known: readonly string[] }) =>
    `no worker has ${d.workdir}; the workers have ${d.known.join(', ')}; add it to work.repositories on a machine that has it`,
})

export const machineNotFound = defineFault('machine_not_found', 'not_found', {
  when: 'No worker was ever seen on a machine with this name, or it was forgotten, or the store is not PostgreSQL.',
  message: (d: { machine: string }) => `no machine ${d.machine} is known; drover machines lists their names`,
})

export const machineInUse = defineFault('machine_in_use', 'conflict', {
  when: 'A machine with a running worker cannot be forgotten.',
  message: (d: { machine: string }) =>
    `a worker runs on ${d.machine}; stop it first, or run drover machines drain ${d.machine}`,
})

export const attachmentNotFound = defineFault('attachment_not_found', 'not_found', {
  when: 'The prompt came with no image or document that has this digest, or its content is no longer stored.',
  message: (d: { id: string; digest: string }) =>
    `the execution ${d.id} has no attachment ${d.digest}; its record lists those that it has`,
})
