/** `/hooks/github`, and the list of watchers. */
import { createHmac } from 'node:crypto'
import { readdirSync, realpathSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { digest } from '../../src/kit/digest.ts'
import { dataOf, HONEST } from '../support/driven-home.ts'
import { hasForge, startForge } from '../support/forge/fake-forge.ts'
import { createFollowedHome, walkSettings } from '../support/forge/followed-home.ts'
import { IS_FULL } from '../support/full-counts.ts'
import { temporaryDirectory } from '../support/run-drover.ts'
import { portOf, serveDrover } from '../support/serve-drover.ts'
import { ask, startServer } from '../support/start-server.ts'
import { createRepository } from '../support/temporary-repository.ts'
import { until } from '../support/until.ts'

const SECRET = 'a secret of sixteen'
const BODY = JSON.stringify({ action: 'labeled', repository: { full_name: 'Ada/weather' } })

const sign = (body: string, secret = SECRET) => `sha256=${createHmac('sha256', secret).update(body).digest('hex')}`

function secretFile(text = `${SECRET}\n`): string {
  const path = join(temporaryDirectory(), 'secret')
  writeFileSync(path, text)
  return path
}

type Server = Awaited<ReturnType<typeof startServer>>

const headersOf = (id: string, signature: string) => ({
  ...{ 'x-hub-signature-256': signature, 'x-github-delivery': id, 'content-type': 'application/json' },
})

function deliver(server: Server, { body = BODY, signature = sign(body), id = 'd-1' } = {}) {
  const headers = headersOf(id, signature)
  return server.request('/hooks/github', { method: 'POST', headers, body })
}

const KEYS = [
  { name: 'ada', sha256: digest('key-of-ada'), role: 'client' },
  { name: 'boss', sha256: digest('key-of-boss'), role: 'operator' },
]

describe('POST /hooks/github', () => {
  it('does not exist without a secret', async () => {
    expect(await deliver(await startServer())).toMatchObject({ status: 404 })
  })

  it('accepts only what is signed, needs no key, and heeds a delivery once', async () => {
    const server = await startServer({ server: { webhook_secret_file: secretFile(), keys: KEYS } })
    expect(await deliver(server)).toMatchObject({ status: 202, body: { is_new: true, is_watched: false } })
    expect(await deliver(server)).toMatchObject({ status: 202, body: { is_new: false, is_watched: false } })
    expect(await deliver(server, { body: 'null', id: 'd-2' })).toMatchObject({ status: 202 })
    for (const signature of ['', 'sha256=', sign(BODY, 'another secret of 16'), sign(`${BODY} `)]) {
      expect(await deliver(server, { signature, id: 'd-3' })).toMatchObject({
        status: 401,
        body: { error: 'hook_signature_invalid' },
      })
    }
    // The signature comes first: nothing of an unsigned body is read.
    expect(await deliver(server, { body: '{', signature: sign('x') })).toMatchObject({ status: 401 })
    expect(await deliver(server, { body: '{', id: 'd-4' })).toMatchObject({ status: 400 })
    const long = 'x'.repeat(1024 * 1024 + 1)
    expect(await deliver(server, { body: long, signature: 'sha256=' })).toMatchObject({ status: 413 })
  })

  it.each([
    ['missing', () => '/nowhere/secret'],
    ['too short', () => secretFile('short')],
    ['empty', () => secretFile('')],
  ])('accepts nothing while the secret is %s', async (_name, path) => {
    const server = await startServer({ server: { webhook_secret_file: path() } })
    const answer = await deliver(server, { signature: sign(BODY, '') })
    expect(answer).toMatchObject({ status: 503, body: { error: 'hook_secret_unusable' } })
    expect(answer.text).not.toContain('/secret')
    expect(server.logged[0]).toMatchObject({
      level: 'error',
      message: expect.stringContaining('secret of the webhook'),
    })
  })

  it.runIf(IS_FULL && hasForge)(
    'lets the watcher of the repository look soon, and its status is for operators',
    async () => {
      const fake = await startForge()
      const { root, git, write, commit } = createRepository()
      write('wind.txt', 'wind: 12\n')
      commit()
      git('remote', 'add', 'origin', fake.address)
      const repository = realpathSync(root)
      const server = await startServer({
        server: { webhook_secret_file: secretFile(), keys: KEYS },
        config: { drive: { watch: [{ repository }], watch_secs: 3600 } },
        env: fake.env,
      })
      onTestFinished(() => server.shutdown.abort())
      await server.context.drover.begin()
      const looks = () => fake.requests.filter(({ path }) => path.includes('labels=drover')).length
      await until(() => looks() === 1)
      expect(await deliver(server)).toMatchObject({ status: 202, body: { is_new: true, is_watched: true } })
      await until(() => looks() === 2)
      const list = async (key: string) =>
        (await server.request('/api/v1/watchers', { headers: { 'x-api-key': key } })).body
      expect(await list('key-of-ada')).toEqual({ watchers: [] })
      expect(await list('key-of-boss')).toMatchObject({
        watchers: [{ kind: 'issues', repo: 'ada/weather', label: 'drover', repository, is_running: true }],
      })
    },
  )

  it.runIf(IS_FULL && hasForge)(
    'starts nothing twice if a delivery is repeated, even by a server that was killed',
    {
      timeout: 180_000,
    },
    async () => {
      const home = await createFollowedHome(temporaryDirectory(), { implement: [HONEST] })
      const { forge, repository, env } = home
      const drive = { ...walkSettings(repository.root), checks: [], follow: false, watch_secs: 3600 }
      home.configure(JSON.stringify({ warm: { enabled: false }, server: { webhook_secret_file: secretFile() }, drive }))
      const { number } = forge.addIssue('Show the wind in knots')
      const looks = () => forge.requests.filter(({ path }) => path.includes('labels=drover')).length
      for (const ids of [
        ['d-1', 'd-2'],
        ['d-1', 'd-2', 'd-3'],
      ]) {
        const before = looks()
        const server = serveDrover(['--port', '0'], env)
        const port = await portOf(server)
        await until(() => looks() > before)
        if (before === 0) forge.label(number, 'drover', 'ada')
        for (const id of ids) {
          const [seen, request] = [looks(), { method: 'POST', headers: headersOf(id, sign(BODY)), body: BODY }]
          const answer = await ask({ host: '127.0.0.1', port, path: '/hooks/github', ...request })
          expect(answer).toMatchObject({ status: 202, body: { is_new: true, is_watched: true } })
          await until(() => looks() > seen)
        }
        await until(() => readdirSync(home.runs).some((id) => dataOf(home.records(id), 'delivered').length > 0))
        server.child.kill('SIGKILL')
      }
      expect(readdirSync(home.runs)).toHaveLength(1)
      expect([forge.comments.length, forge.items.size]).toEqual([1, 2])
    },
  )
})
