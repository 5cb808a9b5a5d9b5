import { Type } from 'typebox'
import { UtcTimestamp } from '../../contract/identifiers.shape.ts'
import { type Message, meaning, named, strict } from '../../kit/shape.ts'

/** Stored in the directory of the user when an agent reaches a limit, so that the next run waits without a request. */
export const AgentLimit = named(
  'agentLimit',
  strict(
    {
      version: Type.Literal(1),
      backend: Type.String({ description: 'The agent.' }),
      code: Type.String({ description: 'How it failed.' }),
      until: meaning('When it may be tried again.', UtcTimestamp),
    },
    { title: 'Agent limit', description: 'A limit of the provider of an agent.' },
  ),
)
export type AgentLimit = Message<typeof AgentLimit>
