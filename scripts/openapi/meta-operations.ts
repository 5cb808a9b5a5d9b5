import { type TSchema, Type } from 'typebox'
import { NativeError } from '../../src/http/errors/native-error.shape.ts'
import { Health } from '../../src/http/meta/health.shape.ts'
import { literals } from '../../src/kit/shape.ts'
import { HEALTH } from './examples.ts'
import type { Answer, Operation } from './operation.ts'
import { ALWAYS } from './refusals.ts'

/** None of them needs a key, but for the metrics. */
const OPEN = ALWAYS.filter((name) => name !== 'Unauthorized')

/** What is the same as at the last time is not sent again. */
function cached(description: string, type: string, shape: TSchema): Readonly<Record<number, Answer>> {
  return {
    200: { description, content: { [type]: { shape, examples: {} } }, headers: ['ETag'] },
    304: { description: 'The client has it already, as `If-None-Match` says.', headers: ['ETag'] },
  }
}

const METRICS = `# HELP drover_running_agents Agents that are running.
# TYPE drover_running_agents gauge
drover_running_agents 2
`

export const META_OPERATIONS: readonly Operation[] = [
  {
    method: 'get',
    path: '/health',
    id: 'healthCheck',
    tag: 'health',
    summary: 'Tell whether the server can work',
    answers: {
      200: {
        description: 'It can, perhaps without some backends.',
        content: { 'application/json': { shape: Health, examples: { ok: HEALTH.ok } } },
      },
      503: {
        description: 'The session store does not answer, or the server is stopping.',
        content: {
          'application/json': { shape: Type.Union([Health, NativeError]), examples: { unhealthy: HEALTH.unhealthy } },
        },
        headers: ['Retry-After'],
      },
    },
    refusals: OPEN.filter((name) => name !== 'Unavailable'),
    isOpen: true,
  },
  {
    method: 'get',
    path: '/openapi.json',
    id: 'getOpenApi',
    tag: 'health',
    summary: 'Read this document',
    answers: cached('OpenAPI 3.0.', 'application/json', Type.Unsafe<object>({ type: 'object' })),
    refusals: OPEN,
    isOpen: true,
  },
  {
    method: 'get',
    path: '/docs',
    id: 'getDocs',
    tag: 'health',
    summary: 'Read this document as a page on which it can be tried',
    answers: cached('The page. All that it loads comes from this server.', 'text/html', Type.String()),
    refusals: OPEN,
    isOpen: true,
  },
  {
    method: 'get',
    path: '/docs/{asset}',
    id: 'getDocsAsset',
    tag: 'health',
    summary: 'Read a part of that page',
    parameters: [
      {
        name: 'asset',
        in: 'path',
        shape: literals(['start.js', 'swagger-ui-bundle.js', 'swagger-ui.css', 'favicon-32x32.png'], {
          description: 'A script, a style sheet or a picture.',
        }),
        isRequired: true,
      },
    ],
    answers: cached('The part, of whichever media type it is.', '*/*', Type.String({ format: 'binary' })),
    refusals: ['NotFound', ...OPEN],
    isOpen: true,
  },
  {
    method: 'get',
    path: '/metrics',
    id: 'getMetrics',
    tag: 'health',
    summary: 'Read what the server has counted',
    description:
      'Only where `server.metrics_enabled` is true. Needs a key where keys are set, unless `server.metrics_public` is true.',
    answers: {
      200: {
        description: 'Metrics in the text format of Prometheus.',
        content: { 'text/plain': { shape: Type.String(), examples: { example: METRICS } } },
      },
    },
    refusals: ['NotFound', ...ALWAYS],
  },
]
