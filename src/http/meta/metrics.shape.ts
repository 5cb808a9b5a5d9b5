import { Type } from 'typebox'
import { COMMON_ERRORS } from '../api-description/error-responses.shape.ts'
import { type Operation, operation } from '../api-description/operation.shape.ts'

const example = `# HELP drover_running_agents Agents that are running.
# TYPE drover_running_agents gauge
drover_running_agents 2
`

export const OPERATIONS: readonly Operation[] = [
  operation('get /metrics', 'getMetrics', {
    tag: 'health',
    summary: 'Get the metrics of the server',
    description:
      'Only exists if `server.metrics_enabled` is true. Needs an API key if the server has keys, unless ' +
      '`server.metrics_public` is true.',
    responses: {
      200: {
        description: 'Metrics in the Prometheus text format.',
        content: { 'text/plain': { shape: Type.String(), examples: { example } } },
      },
    },
    errors: ['NotFound', ...COMMON_ERRORS],
  }),
]
