import { Type } from 'typebox'
import { EXECUTION_STATES } from '../../executions/store/execution-states.ts'
import { literals, type Message, named } from '../../kit/shape.ts'
import { EXAMPLE, jsonResponse } from '../api-description/operation.shape.ts'

const ID = EXAMPLE.executionId

export const ExecutionAccepted = named(
  'ExecutionAccepted',
  Type.Object({
    execution_id: Type.String({ description: 'The execution.' }),
    session_id: Type.String({ description: 'The session; empty as long as the prompt waits for its turn.' }),
    state: literals(EXECUTION_STATES, { description: 'The state when the response was sent.' }),
    links: Type.Object(
      { self: Type.String(), events: Type.String(), cancel: Type.String() },
      { description: 'Paths on this server.' },
    ),
  }),
)
export type ExecutionAccepted = Message<typeof ExecutionAccepted>

/** The response to a prompt that is detached. */
export const ACCEPTED_RESPONSE = jsonResponse('The prompt keeps running without the client.', ExecutionAccepted, {
  execution_id: ID,
  session_id: EXAMPLE.sessionId,
  state: 'running',
  links: {
    self: `/api/v1/executions/${ID}`,
    events: `/api/v1/executions/${ID}/events`,
    cancel: `/api/v1/executions/${ID}/cancel`,
  },
} satisfies ExecutionAccepted)
