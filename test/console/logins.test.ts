/** Who is logged in to the console, in a real browser: other servers, other tabs, and what remains after a log-out. */

import { writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import type { Page, Request } from 'playwright-core'
import { afterAll, beforeEach, describe, expect, it, onTestFinished } from 'vitest'
import { WrongKeys } from '../../src/http/context/wrong-keys.ts'
import { closeBrowser, skipWithoutBrowser, visit } from '../support/browser.ts'
import { IS_FULL } from '../support/full-counts.ts'
import { temporaryDirectory } from '../support/run-drover.ts'
import { startServer, type TestServer } from '../support/start-server.ts'
import { until } from '../support/until.ts'

beforeEach(skipWithoutBrowser)
afterAll(closeBrowser)

const SILENT = { debug() {}, info() {}, error() {}, warn() {}, with: () => SILENT }
const KEY = 'a-key-that-is-long-enough'
const OTHER = 'another-key-of-the-server'
const withKey = () => startServer({ agents: 'demo', env: { DROVER_API_KEYS: KEY } })
const home = (page: Page) => page.getByLabel('What should be done?').waitFor()
const linkTo = (server: TestServer) => `${server.url}/#/open/${server.context.logins.createLink()}`

/** A program of someone else on the same machine. It uses every cookie that it gets against the server of drover. */
async function startThief(server: TestServer) {
  const loot: { cookie: string; status: number; answer: string }[] = []
  const thief = createServer(async ({ headers: { cookie = '' } }, response) => {
    const { body } = await server.request('/api/v1/me', { headers: { cookie } })
    const values = Object.values((body ?? {}) as object).filter((value) => /^[0-9a-f]{64}$/.test(String(value)))
    const secret = String(values[0] ?? '')
    const headers = { cookie, 'x-drover-csrf': secret, 'x-drover-page-secret': secret }
    const prompt = { prompt: 'run a command', backend: 'claude', workdir: server.workdir }
    const { status, text } = await server.request('/api/v1/prompt', { method: 'POST', body: prompt, headers })
    loot.push({ cookie, status, answer: text })
    response.setHeader('content-type', 'text/html').end('<title>thief</title>')
  })
  await new Promise<void>((resolve) => thief.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => void thief.close())
  return { url: `http://127.0.0.1:${(thief.address() as AddressInfo).port}/`, loot }
}

async function logIn(page: Page, key: string): Promise<void> {
  await page.getByLabel('API key').fill(key)
  await page.getByRole('button', { name: 'Log in' }).click()
  await page.getByRole('button', { name: 'Log out' }).waitFor()
}

describe('a login', () => {
  it('refuses a wrong key, accepts the right one, lasts, and ends with a logout', async () => {
    const server = await withKey()
    const { page } = await visit(`${server.url}/#/usage`, { expects: /401/ })
    await page.getByLabel('API key').fill('wrong')
    await page.getByRole('button', { name: 'Log in' }).click()
    await page.getByText('this is not a valid API key').waitFor()
    await logIn(page, KEY)
    await page.getByRole('heading', { name: 'Usage' }).waitFor()
    await page.reload()
    await page.getByRole('heading', { name: 'Usage' }).waitFor()
    await page.getByRole('button', { name: 'Log out' }).click()
    await page.getByLabel('API key').waitFor()
    await page.reload()
    await page.getByLabel('API key').waitFor()
  })

  it.runIf(IS_FULL)('works with a one-time link, which leaves no trace in the address', async () => {
    const server = await withKey()
    const link = linkTo(server)
    const { page, complaints } = await visit(link)
    await home(page)
    expect(page.url()).toBe(`${server.url}/#/`)
    expect(complaints).toEqual([])
    const again = await visit(link, { expects: /401/ })
    await again.page.getByText('this link was used before, or is older than 5 minutes').waitFor()
  })

  it.runIf(IS_FULL)('waits after five wrong keys, and lets the right one in', async () => {
    const wrongKeys = new WrongKeys({ log: SILENT, delays: { firstMs: 600_000, longestMs: 600_000 } })
    const server = await startServer({ agents: 'demo', env: { DROVER_API_KEYS: KEY }, context: { wrongKeys } })
    const { page } = await visit(`${server.url}/`, { expects: /401/ })
    const button = page.getByRole('button', { name: 'Log in' })
    const guess = async (key: string, { isAnswered }: { isAnswered: boolean }) => {
      const answered = page.waitForResponse('**/api/v1/login', { timeout: isAnswered ? 30_000 : 1000 })
      await page.getByLabel('API key').fill(key)
      await button.click()
      return await answered.then(
        (answer) => answer.status(),
        () => 'none',
      )
    }
    for (let at = 0; at < 5; at += 1) expect(await guess(`guess ${at}`, { isAnswered: true })).toBe(401)
    expect(await guess('guess 5', { isAnswered: false })).toBe('none')
    expect(await button.isDisabled()).toBe(true)
    await page.reload()
    await logIn(page, KEY)
  })
})

describe('a key', () => {
  it('shows a client nothing of others, first prompts included', async () => {
    const server = await startServer({ agents: 'demo', env: { DROVER_API_KEYS: `${KEY},${OTHER}` } })
    const headers = { 'x-api-key': KEY }
    const ask = (path: string, body: object) => server.request(path, { method: 'POST', body, headers })
    const prompt = { backend: 'claude', prompt: 'the secret plan' }
    const { body } = await ask('/api/v1/prompt', prompt)
    const { execution_id: execution, session_id: session } = body as { execution_id: string; session_id: string }
    await ask('/api/v1/compare', { backends: ['claude', 'codex'], prompt: 'the secret comparison' })
    await server.context.drover.records.save()
    const { page } = await visit(`${server.url}/`, { expects: /40[134]/ })
    await logIn(page, OTHER)
    await page.goto(`${server.url}/#/`)
    await home(page)
    // What begins while the page is open is not in its stream either.
    await ask('/api/v1/prompt', prompt)
    const pages = ['', 'sessions', 'runs', 'board', 'compare', 'usage', 'queue', 'report']
    for (const path of [...pages, `executions/${execution}`, `sessions/${session}`]) {
      await page.goto(`${server.url}/#/${path}`)
      await page.locator('main', { hasNotText: 'Loading…' }).waitFor()
      expect([path, await page.locator('body').innerText()]).toEqual([path, expect.not.stringContaining('secret')])
    }
    await page.keyboard.press('Control+k')
    await page.getByRole('combobox', { name: /^Find a page/ }).fill('secret')
    await page.getByText('Nothing is found.').waitFor()
  })
})

describe('another server on the same host', () => {
  it('gets the cookie of the console, and can do nothing with it', async () => {
    const server = await withKey()
    const { page } = await visit(linkTo(server))
    await home(page)
    const thief = await startThief(server)
    await page.goto(thief.url)
    expect(thief.loot[0]?.cookie).toContain(`drover_login_${server.port}=`)
    expect(thief.loot.map(({ status }) => status)).toEqual(thief.loot.map(() => 401))
    expect(await page.evaluate('[localStorage.length, sessionStorage.length]')).toEqual([0, 0])
    expect((await server.context.drover.opened.executions.list({}, { limit: 1 })).executions).toEqual([])
    await page.goto(`${server.url}/`)
    await home(page)
  })
})

describe('a log-out', () => {
  it('leaves nothing on the page for who logs in next, and ends its streams and its other tabs', async () => {
    const server = await startServer({ agents: 'demo', env: { DROVER_API_KEYS: `${KEY},${OTHER}` } })
    const { page } = await visit(`${server.url}/#/new`, { expects: /401/ })
    const open = new Set<string>()
    page.on('request', (request) => request.url().endsWith('/events') && open.add(request.url()))
    page.on('requestfailed', (request) => open.delete(request.url()))
    // The server ends the streams of a login too; here it never hears of the log-out.
    await page.route('**/api/v1/logout', (route) => route.fulfill({ json: { logged_out: true } }))
    await logIn(page, KEY)
    await page.getByLabel('Prompt', { exact: true }).fill('my secret plan')
    const tab = await page.context().newPage()
    await tab.goto(`${server.url}/#/`)
    await home(tab)
    await until(() => open.size === 1)
    await page.getByRole('button', { name: 'Log out' }).click()
    for (const each of [page, tab]) {
      await each.getByLabel('API key').waitFor()
      expect([await each.title(), each.url()]).toEqual(['Log in – drover', `${server.url}/#/`])
      expect(await each.getByRole('heading').allInnerTexts()).toEqual(['drover'])
    }
    await until(() => open.size === 0)
    await page.unroute('**/api/v1/logout')
    await logIn(page, OTHER)
    await page.keyboard.press('n')
    await page.getByLabel('Prompt', { exact: true }).waitFor()
    expect(await page.getByLabel('Prompt', { exact: true }).inputValue()).toBe('')
    await home(tab)
  })

  it.runIf(IS_FULL).each(['end of the key', 'log-out'])('ends what an agent still says within 2 s: %s', async (how) => {
    const file = join(temporaryDirectory(), 'keys')
    writeFileSync(file, `${KEY}\n${OTHER}\n`)
    const script = { text: Array.from({ length: 6000 }, (_, at) => `word${at} `), chunkMs: 20 }
    const env = { DROVER_API_KEYS_FILE: file, FAKE_AGENT_SCRIPT: JSON.stringify(script) }
    const server = await startServer({ env })
    const body = { backend: 'claude', prompt: 'talk', workdir: server.workdir, detach: true }
    const { body: accepted } = await server.request('/api/v1/prompt', {
      ...{ method: 'POST', body, headers: { 'x-api-key': KEY } },
    })
    const { execution_id: id } = accepted as { execution_id: string }
    const { page } = await visit(`${server.url}/#/executions/${id}`, { expects: /401/ })
    const open = new Set<Request>()
    page.on('request', (request) => request.url().includes('/events') && open.add(request))
    page.on('requestfailed', (request) => open.delete(request))
    page.on('requestfinished', (request) => open.delete(request))
    await logIn(page, KEY)
    await page.locator('.markdown', { hasText: 'word9' }).waitFor()
    // The one of the server, and the one of the execution.
    expect(open.size).toBe(2)
    const since = performance.now()
    if (how === 'log-out') await page.getByRole('button', { name: 'Log out' }).click()
    else {
      writeFileSync(file, `${OTHER}\n`)
      await server.keys.reload(server.context.log)
    }
    await until(() => open.size === 0)
    expect(performance.now() - since).toBeLessThan(2000)
    await page.getByLabel('API key').waitFor()
    expect(await page.locator('body').innerText()).not.toContain('word9')
  })

  it.runIf(IS_FULL)('by the end of the key keeps what was typed for the same user only', async () => {
    const server = await startServer({ agents: 'demo', env: { DROVER_API_KEYS: `${KEY},${OTHER}` } })
    const { page } = await visit(`${server.url}/#/new`, { expects: /401/ })
    const prompt = page.getByLabel('Prompt', { exact: true })
    await logIn(page, KEY)
    await prompt.fill('my secret plan')
    for (const [key, kept] of [
      [KEY, 'my secret plan'],
      [OTHER, ''],
    ] as const) {
      await page.context().clearCookies()
      await page.keyboard.press('Escape')
      await page.getByRole('link', { name: 'Usage' }).click()
      await logIn(page, key)
      await page.getByRole('link', { name: 'New' }).click()
      await prompt.waitFor()
      expect(await prompt.inputValue()).toBe(kept)
    }
  })
})
