import { Type } from 'typebox'
import { ForgottenMachine, Machine, MachineList } from '../../executions/store/machines.shape.ts'
import { stated } from '../../kit/shape.ts'
import {
  ApiKeyList,
  CreatedKey,
  NewKeyBody,
  RepositoryList,
  RevokedKey,
  RotatedKey,
  SettingList,
} from '../../service/administration.shape.ts'
import { WatcherList } from '../../watch/record/watch-record.shape.ts'
import { BODY_ERRORS, COMMON_ERRORS, SESSION_ERRORS } from '../api-description/error-responses.shape.ts'
import { jsonResponse, type Operation, operation, pathParameter } from '../api-description/operation.shape.ts'

const ADMIN = 'Needs the role `admin`, else 403. The user of the machine has it.'

const KEY_NAME = pathParameter(
  'name',
  Type.String({ description: 'The name of the key.', ...stated({ pattern: '^[A-Za-z0-9._-]{1,64}$' }) }),
  'ci',
)

const MACHINE_NAME = pathParameter(
  'name',
  Type.String({ description: 'The name of the machine.', ...stated({ pattern: '^.{1,100}$' }) }),
  'gpu-1',
)

const gpu = {
  ...{ name: 'gpu-1', state: 'working' as const, seen_at: '2026-01-31T09:30:00.000Z', labels: ['gpu'] },
  ...{ backends: ['claude', 'codex'], slots: 4, running: 2, runs: 1, claims: 1204, lost: 0 },
}

const ci = {
  ...{ name: 'ci', id: `key_${'5d'.repeat(12)}`, role: 'client' as const, max_sandbox_mode: 'workspace' as const },
  ...{ budgets: ['20usd/day'], expires_at: '2026-12-31T00:00:00Z' },
}
const key = `drover_key_${'0f'.repeat(24)}`

const watchers: WatcherList = {
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
  operation('get /api/v1/keys', 'listKeys', {
    summary: 'List the API keys in the config file',
    description: ADMIN,
    parameters: [],
    responses: {
      200: jsonResponse('The keys, without their digests.', ApiKeyList, {
        ...{ file: '/home/ada/.drover/config.yaml', is_required: true, keys: [ci], others: [] },
      }),
    },
    errors: COMMON_ERRORS,
  }),
  operation('post /api/v1/keys', 'createKey', {
    summary: 'Create an API key',
    description: `The response has the key itself, once; the config file gets its digest. The server accepts the key within seconds. ${ADMIN}`,
    parameters: [],
    body: {
      shape: NewKeyBody,
      examples: { client: { name: 'ci', max_sandbox_mode: 'workspace', budgets: ['20usd/day'] } },
    },
    responses: { 201: jsonResponse('The key.', CreatedKey, { ...ci, key, is_required: true }) },
    errors: [...new Set([...BODY_ERRORS, ...SESSION_ERRORS])],
  }),
  operation('post /api/v1/keys/{name}/rotate', 'rotateKey', {
    summary: 'Give an API key a new secret',
    description: `What belongs to the key stays its own. The server refuses the old secret within seconds. ${ADMIN}`,
    parameters: [KEY_NAME],
    responses: { 200: jsonResponse('The new secret, once.', RotatedKey, { name: 'ci', key }) },
    errors: SESSION_ERRORS,
  }),
  operation('delete /api/v1/keys/{name}', 'revokeKey', {
    summary: 'Remove an API key',
    description: `The server refuses it within seconds, and closes its connections. ${ADMIN}`,
    parameters: [KEY_NAME],
    responses: { 200: jsonResponse('It is removed.', RevokedKey, { name: 'ci', keys_left: 2 }) },
    errors: SESSION_ERRORS,
  }),
  operation('get /api/v1/settings', 'listSettings', {
    summary: 'List the settings in force, and where each comes from',
    description: `The data of \`drover config show\`, as it was when the server was started. Secrets are masked. ${ADMIN}`,
    parameters: [],
    responses: {
      200: jsonResponse('The settings.', SettingList, {
        file: '/home/ada/.drover/config.yaml',
        exists: true,
        settings: [
          {
            ...{ key: 'server.port', value: 8080, from: 'file', origin: '/home/ada/.drover/config.yaml:3:9' },
            ...{ description: 'The port to listen on.', applies: 'restart' },
          },
        ],
      }),
    },
    errors: COMMON_ERRORS,
  }),
  operation('get /api/v1/repositories', 'listRepositories', {
    summary: 'List the repositories in which runs are driven, and how each is prepared',
    description: ADMIN,
    parameters: [],
    responses: {
      200: jsonResponse('The repositories.', RepositoryList, {
        repositories: [
          {
            ...{ path: '/srv/projects/weather', is_open: true, branch: 'main', prepared_by: 'user' },
            ...{ setup: ['npm ci'], checks: ['npm test'], runs: 12, last_run_at: '2026-01-31T09:30:00.000Z' },
          },
        ],
      }),
    },
    errors: COMMON_ERRORS,
  }),
  operation('get /api/v1/machines', 'listMachines', {
    summary: 'List the machines whose workers share a PostgreSQL store',
    description: ADMIN,
    parameters: [],
    responses: {
      200: jsonResponse('The machines.', MachineList, {
        machines: [gpu],
        waits_for_labels: [{ label: 'arm', waiting: 3 }],
      }),
    },
    errors: COMMON_ERRORS,
  }),
  operation('post /api/v1/machines/{name}/drain', 'drainMachine', {
    summary: 'Let the workers of a machine finish what they run, and end',
    description: `From now on it gets no prompts and no runs. A worker that is started there ends the draining. ${ADMIN}`,
    parameters: [MACHINE_NAME],
    responses: { 200: jsonResponse('The machine.', Machine, { ...gpu, state: 'draining' }) },
    errors: SESSION_ERRORS,
  }),
  operation('delete /api/v1/machines/{name}', 'forgetMachine', {
    summary: 'Remove a machine that does not come back',
    description: `Turns that wait for it fail, and copies of its driven runs are removed. With a running worker: 409. ${ADMIN}`,
    parameters: [MACHINE_NAME],
    responses: { 200: jsonResponse('It is removed.', ForgottenMachine, { name: 'gpu-1', runs_removed: 2 }) },
    errors: SESSION_ERRORS,
  }),
]

export const WATCHER_OPERATIONS: readonly Operation[] = [
  operation('get /api/v1/watchers', 'listWatchers', {
    summary: 'List what is watched on this machine: labels of issues, and schedules',
    description:
      'Those of the server (`drive.watch`) and of `drover watch`. They belong to the user of the server: a key with the role `client` sees none.',
    parameters: [],
    responses: { 200: jsonResponse('The watchers.', WatcherList, watchers) },
    errors: COMMON_ERRORS,
  }),
]
