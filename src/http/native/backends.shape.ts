import { Type } from 'typebox'
import { Abilities } from '../../agents/adapter/agent.shape.ts'
import { type Message, meaning, named } from '../../kit/shape.ts'
import { COMMON_ERRORS } from '../api-description/error-responses.shape.ts'
import { jsonResponse, type Operation } from '../api-description/operation.shape.ts'

const BackendRecord = named(
  'BackendRecord',
  Type.Object({
    name: Type.String(),
    available: Type.Boolean({ description: 'Whether it can run prompts.' }),
    enabled: Type.Boolean({ description: 'Whether the operator has enabled it.' }),
    default: Type.Boolean({
      description: 'Whether the command line uses it by default. A request to the server always names its backend.',
    }),
    demo: Type.Boolean({ description: 'Whether the built-in demo agent replaces it.' }),
    version: Type.Union([Type.String(), Type.Null()], {
      description: 'Null if the agent is not installed, does not print its version, or has not printed it yet.',
    }),
    capabilities: meaning('What the agent supports.', Abilities),
    warm: Type.Object(
      {
        idle: Type.Integer({ minimum: 0, description: 'Those that wait for a prompt, or are starting.' }),
        busy: Type.Integer({ minimum: 0, description: 'Those that answer one.' }),
      },
      { description: 'The processes of the agent that the server keeps running.' },
    ),
    machines: Type.Optional(
      Type.Array(Type.String(), {
        description: 'The machines whose workers have the agent; only of a server that runs no prompts itself.',
      }),
    ),
  }),
)
export type BackendRecord = Message<typeof BackendRecord>

const BackendList = named(
  'BackendList',
  Type.Object({ backends: Type.Array(BackendRecord, { description: 'All backends in canonical order.' }) }),
)

const claude: BackendRecord = {
  name: 'claude',
  available: true,
  enabled: true,
  default: true,
  demo: false,
  version: '2.1.0',
  capabilities: {
    deltas: true,
    resume: true,
    system_prompt: 'flag',
    max_turns: true,
    output_schema: true,
    os_sandbox: false,
    usage: { cached: true, reasoning: false },
  },
  warm: { idle: 1, busy: 0 },
}

export const OPERATIONS: readonly Operation[] = [
  {
    method: 'get',
    path: '/api/v1/backends',
    id: 'listBackends',
    tag: 'native',
    summary: 'List the agents',
    responses: { 200: jsonResponse('All backends in canonical order.', BackendList, { backends: [claude] }) },
    errors: COMMON_ERRORS,
  },
]
