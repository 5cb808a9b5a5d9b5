import { Type } from 'typebox'
import { Abilities } from '../../agents/adapter/agent.shape.ts'
import { type Message, meaning, named } from '../../kit/shape.ts'

export const BackendRecord = named(
  'BackendRecord',
  Type.Object({
    name: Type.String(),
    available: Type.Boolean({ description: 'Whether prompts can be sent to it.' }),
    enabled: Type.Boolean({ description: 'Whether the operator allows it.' }),
    default: Type.Boolean({
      description:
        'Whether it is the one that the command line uses for prompts that name none. Requests always name theirs.',
    }),
    demo: Type.Boolean({ description: 'The built-in demo agent stands in for it.' }),
    version: Type.Union([Type.String(), Type.Null()], {
      description: 'Null where the agent is not installed or did not say.',
    }),
    capabilities: meaning('What the agent can really do.', Abilities),
  }),
)
export type BackendRecord = Message<typeof BackendRecord>

export const BackendList = named(
  'BackendList',
  Type.Object({ backends: Type.Array(BackendRecord, { description: 'All, in canonical order.' }) }),
)
