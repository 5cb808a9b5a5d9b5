import { WatcherList } from '../../watch/record/watch-record.shape.ts'
import { COMMON_ERRORS } from '../api-description/error-responses.shape.ts'
import { jsonResponse, type Operation, operation } from '../api-description/operation.shape.ts'

const example: WatcherList = {
  watchers: [
    {
      id: '5c1f0a9b7d3e2468',
      kind: 'issues',
      repository: '/srv/projects/weather',
      repo: 'ada/weather',
      label: 'drover',
      pid: 4711,
      looked_at: '2026-01-31T09:30:00.000Z',
      next_at: '2026-01-31T09:31:00.000Z',
      last_run_id: '6f1c2c6e-8c1d-4e57-9c39-5f2b8d6f0a11',
      is_running: true,
    },
  ],
}

export const OPERATIONS: readonly Operation[] = [
  operation('get /api/v1/watchers', 'listWatchers', {
    summary: 'List what is watched on this machine: labels of issues, and schedules',
    description:
      'Those of the server (`drive.watch`) and of `drover watch`. They belong to the user of the server: a key with the role `client` sees none.',
    parameters: [],
    responses: { 200: jsonResponse('The watchers.', WatcherList, example) },
    errors: COMMON_ERRORS,
  }),
]
