/** The console in a real browser, against a real server. */
import type { Page } from 'playwright-core'
import { afterAll, beforeEach, describe, expect, it } from 'vitest'
import { closeBrowser, isFull, skipWithoutBrowser, visit } from '../support/browser.ts'
import { recordExecution } from '../support/recorded-execution.ts'
import { startServer, type TestServer } from '../support/start-server.ts'
import { until } from '../support/until.ts'

beforeEach(skipWithoutBrowser)
afterAll(closeBrowser)

const KEY = 'a-key-that-is-long-enough'
const home = (page: Page) => page.getByRole('heading', { name: /Needs you/ }).waitFor()

async function startPrompt(page: Page, prompt: string, agents: readonly string[] = []): Promise<void> {
  await page.keyboard.press('n')
  await page.getByLabel('Prompt', { exact: true }).fill(prompt)
  for (const agent of agents) await page.getByLabel(agent, { exact: true }).check()
  await page.getByRole('button', { name: /^(Start|Compare)/ }).click()
}

const ended = (page: Page, state = 'completed', count = 1) =>
  page
    .locator(`[data-state=${state}]`)
    .nth(count - 1)
    .waitFor()

describe('the console', () => {
  it('runs a prompt, shows its answer as it comes, and gives it an address of its own', async () => {
    const server = await startServer({ agents: 'demo', env: { DEMO_AGENT_WORD_MS: '20' } })
    const { page, complaints, strangers } = await visit(`${server.url}/`)
    await home(page)
    await startPrompt(page, 'Please think and run a command')
    await page.locator('[data-state=running] .markdown').first().waitFor()
    await ended(page)
    const tool = page.locator('.tool')
    expect(await tool.locator('summary').innerText()).toContain('echo "hello from drover"')
    await tool.locator('summary').click()
    expect(await tool.innerText()).toContain('hello from drover')
    expect(await page.locator('.thinking').count()).toBe(1)
    const shared = await visit(page.url())
    await ended(shared.page)
    expect(await shared.page.title()).toBe('Please think and run a command – drover')
    expect(await shared.page.locator('.transcript .markdown').allInnerTexts()).toEqual(
      await page.locator('.transcript .markdown').allInnerTexts(),
    )
    await page.keyboard.press('h')
    await page.getByText('Please think and run a command').waitFor()
    expect({ complaints, strangers }).toEqual({ complaints: [], strangers: [] })
  })

  it.runIf(isFull)('compares agents side by side, and goes on with the answer of one', async () => {
    const server = await startServer({ agents: 'demo' })
    const { page, complaints } = await visit(`${server.url}/#/`)
    await home(page)
    await startPrompt(page, 'tabs or spaces?', ['codex', 'gemini'])
    await ended(page, 'completed', 3)
    expect(await page.locator('.column').count()).toBe(3)
    await page.getByText('Difference of two answers').click()
    expect(await page.locator('.diff-left').innerText()).toContain('standing in for claude')
    expect(await page.locator('.diff-right').innerText()).toContain('standing in for codex')
    const second = page.locator('.column').nth(1)
    await second.getByRole('button', { name: 'Go on with this answer' }).click()
    await second.getByLabel('Go on with').fill('shorter')
    await second.getByRole('button', { name: 'Send' }).click()
    await page.getByRole('heading', { name: /Execution/ }).waitFor()
    await ended(page)
    expect(await page.locator('.transcript').innerText()).toContain('standing in for codex')
    expect(complaints).toEqual([])
  })

  it.runIf(isFull)('resumes a session, forks it to another agent, renames it, and deletes it', async () => {
    const server = await startServer({ agents: 'demo' })
    const { page, complaints } = await visit(`${server.url}/#/`)
    await home(page)
    await startPrompt(page, 'the first prompt')
    await ended(page)
    await page.getByRole('link', { name: 'Session', exact: true }).click()
    await page.getByLabel('Go on with').fill('the second prompt')
    await page.getByRole('button', { name: 'Send' }).click()
    await until(async () => (await page.locator('.turn .markdown').count()) === 2)
    await page.getByText('Rename, tag, export, delete').click()
    await page.getByLabel('Title').fill('A title')
    await page.getByLabel('Tags').fill('one two')
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByRole('heading', { name: 'A title' }).waitFor()
    const address = page.url()
    await page.getByLabel('Go on with').fill('and you?')
    await page.locator('.resume').getByLabel('Agent').selectOption('codex')
    await page.getByRole('button', { name: 'Send' }).click()
    await page.getByRole('heading', { name: /Execution/ }).waitFor()
    await ended(page)
    await page.keyboard.press('/')
    await page.getByPlaceholder(/Search/).fill('A title')
    await until(async () => (await page.locator('[data-row]').count()) === 1)
    expect(await page.locator('.row').innerText()).toContain('two')
    await page.goto(address)
    await page.getByText('Rename, tag, export, delete').click()
    await page.getByRole('button', { name: 'Delete…' }).click()
    await page.getByRole('button', { name: 'Delete for ever' }).click()
    await page.getByText('The session was deleted.').waitFor()
    expect(complaints).toEqual([])
  })

  it('shows what runs with its last line, and cancels it', async () => {
    const script = { text: ['first line\n', 'the last line'], hangAfter: 'text' }
    const server = await startServer({ env: { FAKE_AGENT_SCRIPT: JSON.stringify(script) } })
    const { page } = await visit(`${server.url}/#/`)
    await home(page)
    await startPrompt(page, 'hang, please')
    await page.getByText('the last line').waitFor()
    await page.keyboard.press('h')
    await page.locator('.activity', { hasText: 'the last line' }).waitFor()
    await page.getByRole('button', { name: 'Cancel' }).click()
    await page.locator('.state-cancelled').waitFor()
    expect(await page.getByText('Nothing runs.').count()).toBe(1)
  })
})

const warmServer = (env: Record<string, string> = {}) =>
  startServer({ agents: 'warm', env, config: { warm: { enabled: true, spare_after: 1 } } })

/** Starts a prompt whose agent asks whether it may use a tool. */
async function askForApproval(
  server: TestServer,
  headers: Record<string, string> = {},
  input: object = {},
): Promise<string> {
  const body = {
    prompt: JSON.stringify({ ask: 'Bash', input, say: 'it went on' }),
    backend: 'claude',
    workdir: server.workdir,
    approval_mode: 'always',
    detach: true,
  }
  const answer = await server.request('/api/v1/prompt', { method: 'POST', body, headers })
  return (answer.body as { execution_id: string }).execution_id
}

describe('an approval', () => {
  it('appears under Needs you and is allowed with a key; a second browser is told that it was too late', async () => {
    const server = await warmServer()
    const [one, other] = [await visit(`${server.url}/`), await visit(`${server.url}/`, { expects: /404/ })]
    await Promise.all([home(one.page), home(other.page)])
    const id = await askForApproval(server)
    for (const { page } of [one, other]) {
      await page.getByText('echo asked').waitFor()
      expect(await page.title()).toBe('(1) drover')
    }
    // The second browser does not hear of the decision in time.
    await other.page.route('**/api/v1/executions/*/approvals/*', async (route) => {
      await one.page.keyboard.press('a')
      await one.page.getByText('Allowed.').waitFor()
      await route.continue()
    })
    await other.page.getByRole('button', { name: 'Deny' }).click()
    await other.page.getByText('Too late: someone else has decided this already').waitFor()
    await one.page.getByText('Nothing waits for you.').waitFor()
    await until(async () => (await server.request(`/api/v1/executions/${id}`)).text.includes('it went on'))
    expect(one.complaints).toEqual([])
  })

  it('shows what the input says besides the command', async () => {
    const server = await warmServer()
    await askForApproval(server, {}, { target: 'prod' })
    const { page } = await visit(`${server.url}/`)
    await page.getByText('echo asked').waitFor()
    const shown = await page.getByRole('article').innerText()
    expect([shown, shown.match(/echo asked/g)?.length]).toEqual([expect.stringContaining('"target": "prod"'), 1])
  })

  it.runIf(isFull)('is denied with a reason from the page of the execution', async () => {
    const server = await warmServer()
    const id = await askForApproval(server)
    const { page } = await visit(`${server.url}/#/executions/${id}`)
    await page.getByLabel('Reason for the agent if you deny').fill('not today')
    await page.getByRole('button', { name: 'Deny' }).click()
    await page.getByText('Denied.').waitFor()
    await ended(page)
    expect(await page.locator('.transcript').innerText()).toContain('Asked for permission: Bash')
  })

  it.runIf(isFull)('is told by a notification while the page is hidden, after the user was asked once', async () => {
    const server = await warmServer()
    const { page } = await visit(`${server.url}/`)
    await page.addInitScript(`window.shown = []
      window.Notification = class {
        static permission = 'default'
        static requestPermission = async () => 'granted'
        constructor(title, { body }) { shown.push([title, body]) }
      }`)
    await page.reload()
    await page.getByRole('button', { name: 'Notify me' }).click()
    await until(async () => (await page.getByRole('button', { name: 'Notify me' }).count()) === 0)
    await page.evaluate(`Object.defineProperty(document, 'hidden', { configurable: true, get: () => true })`)
    await askForApproval(server)
    await page.getByText('echo asked').waitFor()
    expect(await page.evaluate('shown')).toEqual([['drover: Bash needs you', 'echo asked']])
  })

  it('is listed by the API for those who may see it, and reported with its end', async () => {
    const other = 'another-key-of-the-server'
    const server = await warmServer({ DROVER_API_KEYS: `${KEY},${other}` })
    const id = await askForApproval(server, { 'x-api-key': KEY })
    const list = async (key: string) => {
      const { body } = await server.request('/api/v1/approvals', { headers: { 'x-api-key': key } })
      return (body as { approvals: { execution_id: string; tool_name: string; approval_id: string }[] }).approvals
    }
    const [approval] = await until(async () => ((await list(KEY)).length > 0 ? list(KEY) : undefined))
    expect(approval).toMatchObject({ execution_id: id, tool_name: 'Bash', command: 'echo asked' })
    expect(await list(other)).toEqual([])
    const path = `/api/v1/executions/${id}/approvals/${approval?.approval_id}`
    const decision = { method: 'POST', body: { decision: 'allow' }, headers: { 'x-api-key': KEY } }
    expect((await server.request(path, decision)).status).toBe(200)
    expect(await list(KEY)).toEqual([])
  })
})

describe('a login', () => {
  const withKey = () => startServer({ agents: 'demo', env: { DROVER_API_KEYS: KEY } })

  it('refuses a wrong key, accepts the right one, lasts, and ends with a logout', async () => {
    const server = await withKey()
    const { page } = await visit(`${server.url}/#/usage`, { expects: /401/ })
    await page.getByLabel('API key').fill('wrong')
    await page.getByRole('button', { name: 'Log in' }).click()
    await page.getByText('this is not a valid API key').waitFor()
    await page.getByLabel('API key').fill(KEY)
    await page.getByRole('button', { name: 'Log in' }).click()
    await page.getByRole('heading', { name: 'Usage' }).waitFor()
    await page.reload()
    await page.getByRole('heading', { name: 'Usage' }).waitFor()
    await startPrompt(page, 'hello')
    await ended(page)
    await page.getByRole('button', { name: 'Log out' }).click()
    await page.getByLabel('API key').waitFor()
    await page.reload()
    await page.getByLabel('API key').waitFor()
  })

  it('works with a one-time link, which leaves no trace in the address', async () => {
    const server = await withKey()
    const link = `${server.url}/#/open/${server.context.logins.createLink()}`
    const { page, complaints } = await visit(link)
    await home(page)
    expect(page.url()).toBe(`${server.url}/#/`)
    expect(complaints).toEqual([])
    const again = await visit(link, { expects: /401/ })
    await again.page.getByText('this link was used before, or is older than 5 minutes').waitFor()
  })
})

describe('the keyboard', () => {
  it.runIf(isFull)('moves through rows with j and k', async () => {
    const server = await startServer()
    for (const prompt of ['one', 'two']) await recordExecution(server, { prompt, events: [] })
    const { page } = await visit(`${server.url}/`)
    await page.locator('[data-row]').nth(1).waitFor()
    await page.keyboard.press('j')
    await page.keyboard.press('j')
    expect(await page.locator(':focus').innerText()).toContain('one')
    await page.keyboard.press('k')
    expect(await page.locator(':focus').innerText()).toContain('two')
    await page.keyboard.press('Enter')
    await page.getByRole('heading', { name: /Execution/ }).waitFor()
  })
})

describe('the way back', () => {
  it.runIf(isFull)('leads to the same place of a list, and a link to the beginning of a page', async () => {
    const server = await startServer()
    for (let at = 0; at < 40; at += 1) await recordExecution(server, { prompt: `prompt ${at}`, events: [] })
    const { page } = await visit(`${server.url}/`)
    const rows = page.locator('[data-row]')
    await rows.nth(35).scrollIntoViewIfNeeded()
    const place = await page.evaluate<number>('scrollY')
    expect(place).toBeGreaterThan(0)
    await rows.nth(35).click()
    await page.getByRole('heading', { name: /Execution/ }).waitFor()
    expect(await page.evaluate('scrollY')).toBe(0)
    await page.goBack()
    await until(async () => (await page.evaluate('scrollY')) === place)
  })
})
