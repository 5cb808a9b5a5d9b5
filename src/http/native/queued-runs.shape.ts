import { RunQueue } from '../../drive/service/driven-run.shape.ts'
import { MoveBody } from '../../service/run-requests.shape.ts'
import { COMMON_ERRORS } from '../api-description/error-responses.shape.ts'
import { jsonResponse, type Operation, operation } from '../api-description/operation.shape.ts'
import { ID, queued, running } from './run-examples.shape.ts'
import { change } from './runs-operations.shape.ts'

export const OPERATIONS: readonly Operation[] = [
  operation('get /api/v1/queue', 'getQueue', {
    summary: 'Show which runs are driven, and which are queued, in their order',
    description:
      'A key with the role `client` sees its own runs. With PostgreSQL, each worker has its own order: those of other machines are listed without a number.',
    parameters: [],
    responses: { 200: jsonResponse('The queue.', RunQueue, { parallel: 1, runs: [running, queued] }) },
    errors: COMMON_ERRORS,
  }),
  change({
    word: 'first',
    id: 'moveRunFirst',
    summary: 'Move a queued run to the front of the queue',
    description: 'For a key with the role `client`, to the front of its own runs.',
  }),
  change({
    word: 'move',
    id: 'moveRun',
    summary: 'Move a queued run',
    description:
      'Before another queued run, or behind all. The runs up to it then start in the order of the queue; those behind it take turns between keys and repositories as before. A key with the role `client` moves its runs among its own, and passes no others. The order survives a restart.',
    body: MoveBody,
    examples: { before: { before: ID }, last: {} },
  }),
]
