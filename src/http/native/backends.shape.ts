import { Type } from 'typebox'
import { BackendRecord } from '../../agents/adapter/agent.shape.ts'
import { namedObject } from '../../kit/shape.ts'
import { COMMON_ERRORS } from '../api-description/error-responses.shape.ts'
import { jsonResponse, type Operation, operation } from '../api-description/operation.shape.ts'

const BackendList = namedObject('BackendList', {
  backends: Type.Array(BackendRecord, { description: 'All backends in canonical order.' }),
})

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
    images: true,
    documents: true,
    os_sandbox: false,
    usage: { cached: true, reasoning: false },
  },
  warm: { idle: 1, busy: 0 },
}

export const OPERATIONS: readonly Operation[] = [
  operation('get /api/v1/backends', 'listBackends', {
    summary: 'List the agents',
    responses: { 200: jsonResponse('All backends in canonical order.', BackendList, { backends: [claude] }) },
    errors: COMMON_ERRORS,
  }),
]
