/** Keys, settings and repositories over HTTP: only for those who manage the server. */
import { chmodSync, chownSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { saveProject } from '../../src/config/projects/projects.ts'
import { digest } from '../../src/kit/digest.ts'
import type { ApiKeyList, CreatedKey, SettingList } from '../../src/service/administration.shape.ts'
import { portOf, serveDrover } from '../support/serve-drover.ts'
import { GOAL, RUNS, serveRuns } from '../support/served-runs.ts'
import { startServer, type TestServer } from '../support/start-server.ts'
import { CAN_DROP_PRIVILEGES, NOBODY_UID, SHARED_DIRECTORY } from '../support/unprivileged.ts'

const SECRETS = { root: 'root-key-0123456789', ops: 'ops-key-0123456789', ci: 'ci-key-0123456789' }
const ROLES = { root: 'admin', ops: 'operator', ci: 'client' }
type Name = keyof typeof SECRETS

const KEYS = Object.entries(SECRETS).map(([name, key]) => ({
  ...{ name, sha256: digest(key).replace('sha256:', ''), role: ROLES[name as Name] },
}))

const as = (key: string) => ({ authorization: `Bearer ${key}` })

async function start() {
  const server = await startServer({ server: { keys: KEYS } })
  const send = (path: string, { method = 'GET', body, key = SECRETS.root }: Sent = {}) =>
    server.request(`/api/v1/${path}`, { method, headers: as(key), ...(body && { body }) })
  return { server, send, file: () => readFileSync(join(server.home, 'config.yaml'), 'utf8') }
}

type Sent = { method?: string; body?: object; key?: string }

const worksWith = async (server: TestServer, key: string) =>
  (await server.request('/api/v1/me', { headers: as(key) })).status === 200

const REQUESTS: readonly (readonly [path: string, sent: Sent])[] = [
  ['keys', {}],
  ['keys', { method: 'POST', body: { name: 'new', role: 'admin' } }],
  ['keys/ci/rotate', { method: 'POST' }],
  ['keys/ci', { method: 'DELETE' }],
  ['settings', {}],
  ['repositories', {}],
  ['machines', {}],
  ['machines/one/drain', { method: 'POST' }],
  ['machines/one', { method: 'DELETE' }],
]

describe('keys, settings and repositories', () => {
  it.each(['ci', 'ops'] as const)('are refused to %s, and nothing changes', async (name) => {
    const { send, file } = await start()
    const before = file()
    for (const [path, sent] of REQUESTS) {
      const { status, body } = await send(path, { ...sent, key: SECRETS[name] })
      expect([path, status, body]).toMatchObject([path, 403, { error: 'admin_required' }])
    }
    expect(file()).toBe(before)
    expect((await send('me', { key: SECRETS[name] })).body).toMatchObject({ role: ROLES[name] })
  })

  it('are refused to clients of a server without keys that others can reach', async () => {
    const server = await startServer({ host: '0.0.0.0' })
    for (const path of ['keys', 'settings', 'repositories'])
      expect((await server.request(`/api/v1/${path}`)).status).toBe(403)
  })

  it('belong to the user of a machine without keys', async () => {
    const server = await startServer()
    expect((await server.request('/api/v1/keys')).body).toMatchObject({ is_required: false, keys: [], others: [] })
    expect((await server.request('/api/v1/me')).body).toMatchObject({ role: 'admin' })
  })
})

describe('a key', () => {
  it('is created, works, gets another secret, and is revoked', async () => {
    const { server, send, file } = await start()
    const body = {
      name: 'ada',
      max_sandbox_mode: 'read-only',
      budgets: ['20usd/day'],
      directories: ['/srv/a'],
      backends: ['claude'],
      expires_at: '2999-01-01T00:00:00Z',
    }
    const { status, body: created } = await send('keys', { method: 'POST', body })
    const { key, id } = created as CreatedKey
    expect([status, created]).toMatchObject([201, { ...body, role: 'client', is_required: true }])
    expect(file()).not.toContain(key)
    expect(file()).toContain(digest(key).replace('sha256:', ''))
    await server.keys.reload(server.context.log)
    expect(await worksWith(server, key)).toBe(true)
    const { keys } = (await send('keys')).body as ApiKeyList
    expect(keys.at(-1)).toEqual({ ...body, id, role: 'client' })
    const { key: next } = (await send('keys/ada/rotate', { method: 'POST' })).body as CreatedKey
    await server.keys.reload(server.context.log)
    expect([await worksWith(server, key), await worksWith(server, next)]).toEqual([false, true])
    expect((await send('keys/ada', { method: 'DELETE' })).body).toEqual({ name: 'ada', keys_left: 3 })
    await server.keys.reload(server.context.log)
    expect(await worksWith(server, next)).toBe(false)
    expect(server.logged.map(({ message }) => message)).toContain('a key was revoked')
    expect(JSON.stringify(server.logged)).not.toContain(key)
  })

  it('has a name of at most 64 characters, that no other key has, and ends later than now', async () => {
    const { send, file } = await start()
    const create = (body: object) => send('keys', { method: 'POST', body })
    expect((await create({ name: 'n'.repeat(64) })).status).toBe(201)
    const before = file()
    for (const [body, status, error] of [
      [{ name: 'n'.repeat(65) }, 400, 'invalid_request'],
      [{ name: '' }, 400, 'invalid_request'],
      [{ name: '../etc' }, 400, 'invalid_request'],
      [{ name: 'x', role: 'root' }, 400, 'invalid_request'],
      [{ name: 'x', budgets: ['plenty'] }, 400, 'invalid_request'],
      [{ name: 'x', directories: ['srv/a'] }, 400, 'invalid_request'],
      [{ name: 'x', backends: [] }, 400, 'invalid_request'],
      [{ name: 'x', backends: ['codx'] }, 400, 'config_value_invalid'],
      [{ name: 'x', sha256: '0'.repeat(64) }, 400, 'invalid_request'],
      [{ name: 'x', expires_at: '2020-01-01T00:00:00Z' }, 400, 'api_key_expired'],
      [{ name: 'ci' }, 409, 'api_key_exists'],
    ] as const)
      expect([body, (await create(body)).status, (await create(body)).body]).toMatchObject([body, status, { error }])
    for (const [path, method] of [
      ['keys/unknown/rotate', 'POST'],
      ['keys/unknown', 'DELETE'],
    ] as const)
      expect((await send(path, { method })).body).toMatchObject({ error: 'api_key_not_found' })
    expect(file()).toBe(before)
  })
})

it.skipIf(!CAN_DROP_PRIVILEGES || SHARED_DIRECTORY === undefined)(
  'keys of a config file that the server may not change are refused with the reason, and stay',
  async () => {
    const uid = process.getuid?.() === 0 ? NOBODY_UID : undefined
    const directory = mkdtempSync(join(SHARED_DIRECTORY ?? '', 'drover-etc-'))
    const [HOME, etc] = [join(directory, 'home'), join(directory, 'etc')]
    for (const each of [HOME, etc]) mkdirSync(each)
    const path = join(etc, 'config.yaml')
    writeFileSync(path, JSON.stringify({ server: { keys: KEYS } }))
    chmodSync(directory, 0o755)
    if (uid !== undefined) chownSync(HOME, uid, uid)
    chmodSync(etc, 0o555)
    onTestFinished(() => {
      chmodSync(etc, 0o755)
      rmSync(directory, { recursive: true })
    })
    const serving = serveDrover(['--demo', '--port', '0', '--config', path], { HOME, TMPDIR: HOME }, { uid })
    const url = `http://127.0.0.1:${await portOf(serving)}/api/v1`
    const headers = { ...as(SECRETS.root), 'content-type': 'application/json' }
    const refusals = [
      await fetch(`${url}/keys`, { method: 'POST', body: '{"name":"ada"}', headers }),
      await fetch(`${url}/keys/ci/rotate`, { method: 'POST', headers: as(SECRETS.root) }),
      await fetch(`${url}/keys/ci`, { method: 'DELETE', headers: as(SECRETS.root) }),
    ]
    for (const refusal of refusals) {
      expect([refusal.status, refusal.headers.get('retry-after')]).toEqual([409, null])
      expect(await refusal.json()).toMatchObject({
        error: 'config_file_read_only',
        message: expect.stringContaining(`${path}; on its machine, run "drover keys"`),
      })
    }
    const list = (await (await fetch(`${url}/keys`, { headers: as(SECRETS.root) })).json()) as ApiKeyList
    expect(list.keys.map(({ name }) => name)).toEqual(Object.keys(SECRETS))
  },
)

it('settings are listed with their origin, without secrets', async () => {
  const server = await startServer({
    server: { keys: KEYS, cors_max_age: 60 },
    env: { DROVER_DRIVE_PARALLEL: '3' },
  })
  const { body } = await server.request('/api/v1/settings', { headers: as(SECRETS.root) })
  const { settings } = body as SettingList
  const find = (key: string) => settings.find((each) => each.key === key)
  expect(find('server.cors_max_age')).toMatchObject({ value: 60, from: 'file', applies: 'restart' })
  expect(find('drive.parallel')).toMatchObject({ value: 3, from: 'environment', origin: 'DROVER_DRIVE_PARALLEL' })
  expect(find('server.port')).toMatchObject({ from: 'default' })
  expect(find('server.keys')).toMatchObject({ from: 'file', applies: 'at_once' })
  expect(JSON.stringify(body)).not.toContain(KEYS[0]?.sha256)
})

it('a .drover.yml that is not trusted is named, and clients choose from the checks that are saved for the repository', async () => {
  const { server, driving, repository, start, post } = await serveRuns()
  const list = async () => (await server.request('/api/v1/repositories')).body
  driving.repository.write('.drover.yml', 'checks: ["sh other.sh"]\n')
  expect(await list()).toMatchObject({ repositories: [{ is_untrusted: true, checks: ['sh check.sh'] }] })
  const chosen = { goal: GOAL, checks: ['true'] }
  expect(await post(RUNS, chosen)).toMatchObject({ status: 400, body: { error: 'drive_check_not_allowed' } })
  const saved = { repository: join(repository, '.git'), from: 'user' as const, checks: ['true', 'sh check.sh'] }
  saveProject(join(server.home, 'projects'), saved)
  expect(await list()).toMatchObject({ repositories: [{ prepared_by: 'user', checks: saved.checks }] })
  expect(JSON.stringify(await list())).not.toContain('is_untrusted')
  const run = await start({ ...chosen, queue: true })
  expect(run.state).toBe('queued')
})

it('repositories are listed with their branch, their checks and their runs', async () => {
  const { server, repository, start: drive } = await serveRuns({}, { config: {}, drive: { checks: ['sh check.sh'] } })
  const run = await drive({ deliver: 'branch' })
  const { body } = await server.request('/api/v1/repositories')
  expect(body).toMatchObject({
    repositories: [{ path: repository, is_open: true, branch: 'main', checks: ['sh check.sh'], runs: 1 }],
  })
  await server.request(`/api/v1/runs/${run.id}/stop`, { method: 'POST' })
})
