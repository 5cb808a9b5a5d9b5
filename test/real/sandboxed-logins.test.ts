/** An expired login is refreshed inside of a sandbox and kept. Only codex was tried: a variable names the address of its login service. */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
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

/** Answers each request with a new login. Returns the requests. */
async function startLoginService() {
  const asked: string[] = []
  const server = createServer(async (request, response) => {
    asked.push(await text(request))
    const token = tokenUntil(NOW + DAY)
    response.setHeader('content-type', 'application/json')
    response.end(JSON.stringify({ id_token: token, access_token: token, refresh_token: 'new' }))
  })
  onTestFinished(() => void server.close())
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return { asked, host: `model.test:${(server.address() as AddressInfo).port}` }
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
