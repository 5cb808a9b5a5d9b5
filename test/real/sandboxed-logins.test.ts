/**
 * An expired login is refreshed inside of a sandbox and kept. A variable names the login service of codex. Those of claude and gemini are
 * fixed, so drover reaches them through a proxy of this test, which leads to a local server that the agent trusts by its certificate.
 */
import { spawnSync } from 'node:child_process'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { createServer, type RequestListener, type Server } from 'node:http'
import { createServer as createSecureServer } from 'node:https'
import { type AddressInfo, connect } from 'node:net'
import { dirname, join } from 'node:path'
import { text } from 'node:stream/consumers'
import { beforeEach, expect, it, onTestFinished } from 'vitest'
import { skipWithoutSandbox } from '../support/sandbox.ts'
import { useUpstream } from './real-agents.ts'
import { sandboxedAgents } from './sandboxed-setup.ts'

const upstream = useUpstream()
const codex = sandboxedAgents.filter(({ name }) => name === 'codex')
const NOW = Math.floor(Date.now() / 1000)
const DAY = 86_400

beforeEach(skipWithoutSandbox)

/** A made-up token, which nobody has signed. */
function tokenUntil(exp: number): string {
  const account = { chatgpt_account_id: 'account', chatgpt_plan_type: 'plus', chatgpt_user_id: 'ada' }
  const claims = { exp, email: 'ada@example.com', 'https://api.openai.com/auth': account }
  return ['{"alg":"none"}', JSON.stringify(claims), 'none']
    .map((part) => Buffer.from(part).toString('base64url'))
    .join('.')
}

async function listen(server: Pick<Server, 'listen' | 'address' | 'close' | 'closeAllConnections'>): Promise<number> {
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve))
  return (server.address() as AddressInfo).port
}

/** Answers each request with a new login, and keeps the requests. */
function answering(login: object, asked: string[]): RequestListener {
  return async (request, response) => {
    asked.push(`${request.headers.host}${request.url} ${await text(request)}`)
    response.setHeader('content-type', 'application/json')
    response.end(JSON.stringify(login))
  }
}

async function startLoginService() {
  const asked: string[] = []
  const token = tokenUntil(NOW + DAY)
  const login = { id_token: token, access_token: token, refresh_token: 'new' }
  return { asked, host: `model.test:${await listen(createServer(answering(login, asked)))}` }
}

/** A proxy behind which every host is a server that gives out this login, and the certificate by which it is trusted. */
async function startLoginHost(host: string, { home, login }: { home: string; login: object }) {
  const [key, certificate] = [join(home, 'key.pem'), join(home, 'certificate.pem')]
  const made = spawnSync('openssl', [
    ...['req', '-x509', '-newkey', 'rsa:2048', '-nodes', '-days', '1', '-keyout', key, '-out', certificate],
    ...['-subj', `/CN=${host}`, '-addext', `subjectAltName=DNS:${host},DNS:*.googleapis.com`],
  ])
  expect(made.status).toBe(0)
  const asked: string[] = []
  const files = { key: readFileSync(key), cert: readFileSync(certificate) }
  const port = await listen(createSecureServer(files, answering(login, asked)))
  const proxy = createServer().on('connect', (_request, inner) => {
    const outer = connect(port, '127.0.0.1', () => inner.write('HTTP/1.1 200 Connected\r\n\r\n'))
    for (const each of [inner, outer]) each.on('error', () => inner.destroy()).on('close', () => outer.destroy())
    inner.pipe(outer).pipe(inner)
  })
  const env = {
    HTTPS_PROXY: `http://127.0.0.1:${await listen(proxy)}`,
    NO_PROXY: 'model.test',
    NODE_EXTRA_CA_CERTS: certificate,
    DROVER_SANDBOX_READ: certificate,
  }
  return { asked, env }
}

it.each(codex)('the real $name refreshes its login in a sandbox, and it is kept', async ({ words: named, create }) => {
  const { asked, host } = await startLoginService()
  const setup = create(upstream.port())
  onTestFinished(setup.remove)
  const env = setup.env('plain')
  const [login, config] = ['auth.json', 'config.toml'].map((name) => join(setup.home, '.codex', name)) as [
    string,
    string,
  ]
  mkdirSync(dirname(login), { recursive: true })
  const expired = tokenUntil(NOW - DAY)
  const tokens = { id_token: expired, access_token: expired, refresh_token: 'old', account_id: 'account' }
  writeFileSync(login, JSON.stringify({ auth_mode: 'chatgpt', tokens, last_refresh: '2026-01-01T00:00:00Z' }))
  writeFileSync(config, readFileSync(config, 'utf8').replace('env_key = "FAKE_KEY"', 'requires_openai_auth = true'))
  const words = ['prompt', 'say hello', ...named, '--sandbox', '--approval', 'sandboxed']
  const ran = await setup.drover('plain', words, {
    DROVER_SANDBOX_HOSTS: `${env['DROVER_SANDBOX_HOSTS']},${host}`,
    CODEX_REFRESH_TOKEN_URL_OVERRIDE: `http://${host}/oauth/token`,
  })
  expect(ran).toMatchObject({ code: 0, stdout: 'Hello from the fake model.\n' })
  expect(asked).toEqual([expect.stringContaining('"refresh_token":"old"')])
  expect(JSON.parse(readFileSync(login, 'utf8'))).toMatchObject({ tokens: { refresh_token: 'new' } })
})

const FIXED = {
  claude: {
    host: 'platform.claude.com',
    file: '.claude/.credentials.json',
    expired: {
      claudeAiOauth: {
        ...{ accessToken: 'old-access', refreshToken: 'old', expiresAt: (NOW - DAY) * 1000 },
        ...{ scopes: ['user:inference', 'user:profile'], subscriptionType: 'max' },
      },
    },
    login: { access_token: 'new-access', refresh_token: 'new', expires_in: DAY, scope: 'user:inference user:profile' },
    refreshed: { claudeAiOauth: { accessToken: 'new-access', refreshToken: 'new' } },
    env: { ANTHROPIC_API_KEY: '' },
  },
  gemini: {
    host: 'oauth2.googleapis.com',
    file: '.gemini/oauth_creds.json',
    expired: {
      access_token: 'old-access',
      refresh_token: 'old',
      expiry_date: (NOW - DAY) * 1000,
      token_type: 'Bearer',
    },
    login: { access_token: 'new-access', expires_in: DAY, token_type: 'Bearer' },
    refreshed: { access_token: 'new-access' },
    env: { GEMINI_API_KEY: '' },
  },
} as const

const fixed = sandboxedAgents.flatMap((agent) =>
  agent.name === 'claude' || agent.name === 'gemini' ? [{ ...agent, ...FIXED[agent.name] }] : [],
)

it.each(fixed)('the real $name refreshes its login at $host in a sandbox, and it is kept', async (agent) => {
  const setup = agent.create(upstream.port())
  onTestFinished(setup.remove)
  const { asked, env } = await startLoginHost(agent.host, { home: setup.home, login: agent.login })
  const login = join(setup.home, agent.file)
  mkdirSync(dirname(login), { recursive: true })
  writeFileSync(login, JSON.stringify(agent.expired), { mode: 0o600 })
  const settings = join(setup.home, '.gemini', 'settings.json')
  if (agent.name === 'gemini')
    writeFileSync(settings, readFileSync(settings, 'utf8').replace('gemini-api-key', 'oauth-personal'))
  const words = ['prompt', 'say hello', ...agent.words, '--sandbox', '--approval', 'sandboxed', '-o', 'json']
  const ran = await setup.drover('plain', [...words, '--timeout', '90'], { ...env, ...agent.env })
  // gemini asks about its new token, too, and has no model here.
  expect(asked[0]).toMatch(new RegExp(`^${agent.host}/.*token .*refresh_token\\W+old\\W`))
  expect(JSON.parse(readFileSync(login, 'utf8'))).toMatchObject(agent.refreshed)
  expect(JSON.parse(ran.stdout).boundary.reached).toContainEqual(expect.objectContaining({ host: `${agent.host}:443` }))
})
