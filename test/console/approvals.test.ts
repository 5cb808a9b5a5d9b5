/** What agents ask for, in a real browser: who sees it, and which keys and buttons decide. */

import type { Page } from 'playwright-core'
import { afterAll, beforeEach, describe, expect, it } from 'vitest'
import { USER } from '../../src/prompts/caller.ts'
import { closeBrowser, isFull, skipWithoutBrowser, visit } from '../support/browser.ts'
import { IS_FULL } from '../support/full-counts.ts'
import { startServer, type TestServer } from '../support/start-server.ts'
import { until } from '../support/until.ts'

beforeEach(skipWithoutBrowser)
afterAll(closeBrowser)

const KEY = 'a-key-that-is-long-enough'
const home = (page: Page) => page.getByLabel('What should be done?').waitFor()

const warmServer = (env: Record<string, string> = {}) =>
  startServer({ agents: 'warm', env, config: { warm: { enabled: true, spare_after: 1 } } })

/** Starts a prompt whose agent asks whether it may use a tool. */
async function askForApproval(
  server: TestServer,
  headers: Record<string, string> = {},
  { tool = 'Bash', ...input }: { tool?: string; [field: string]: unknown } = {},
): Promise<string> {
  const body = {
    prompt: JSON.stringify({ ask: tool, input, say: 'it went on' }),
    backend: 'claude',
    workdir: server.workdir,
    approval_mode: 'always',
    detach: true,
  }
  const answer = await server.request('/api/v1/prompt', { method: 'POST', body, headers })
  return (answer.body as { execution_id: string }).execution_id
}

describe('a new prompt', () => {
  it.runIf(IS_FULL)('can ask for everything, in a sandbox', async () => {
    const server = await warmServer()
    const { page } = await visit(`${server.url}/#/new`)
    await page.getByLabel('Prompt', { exact: true }).fill('say hello')
    await page.getByLabel('Approval').selectOption('sandboxed')
    const sent = page.waitForRequest('**/api/v1/prompt')
    await page.route('**/api/v1/prompt', (route) => route.abort())
    await page.getByRole('button', { name: 'Start' }).click()
    expect((await sent).postDataJSON()).toMatchObject({ approval_mode: 'sandboxed' })
  })
})

describe('a question', () => {
  it.runIf(IS_FULL)('is answered by an option or a text, or left without an answer', async () => {
    const server = await warmServer()
    const { page } = await visit(`${server.url}/`)
    await home(page)
    const options = [{ label: 'SQLite', description: 'one file' }, { label: 'PostgreSQL' }]
    const input = {
      questions: [
        { question: 'Which store?', options },
        { question: 'Which systems?', options: [{ label: 'Linux' }, { label: 'macOS' }], multiSelect: true },
      ],
    }
    const outputOf = (id: string) =>
      until(async () => {
        const { body } = await server.request(`/api/v1/executions/${id}`)
        return (body as { result?: { output: string } }).result?.output
      })
    const id = await askForApproval(server, {}, { tool: 'AskUserQuestion', ...input })
    await page.getByRole('radio', { name: /SQLite/ }).click()
    const send = page.getByRole('button', { name: 'Answer', exact: true })
    expect(await send.isDisabled()).toBe(true)
    await page.getByRole('checkbox', { name: 'Linux' }).check()
    await page.getByRole('checkbox', { name: 'macOS' }).check()
    // A text replaces the option where one answer is wanted.
    await page.getByLabel('Your answer: Which store?').fill('DuckDB')
    await send.click()
    await page.getByText('The agent has your answer.').waitFor()
    expect(await outputOf(id)).toContain('"Which store?":"DuckDB","Which systems?":"Linux, macOS"')

    const other = await askForApproval(server, {}, { tool: 'AskUserQuestion', ...input })
    await page.getByRole('button', { name: 'No answer' }).click()
    await page.getByText('The agent continues without an answer.').waitFor()
    expect(await outputOf(other)).toContain('No answer is available')
  })
})

describe('an approval', () => {
  it('appears under Needs you and is allowed with the keyboard; a second browser is told that it was too late', async () => {
    const server = await warmServer()
    const [one, other] = [await visit(`${server.url}/`), await visit(`${server.url}/`, { expects: /404/ })]
    await Promise.all([home(one.page), home(other.page)])
    const id = await askForApproval(server)
    for (const { page } of [one, other]) {
      await page.getByText('echo asked').waitFor()
      await expect.poll(() => page.title()).toBe('(1) drover')
      await page.locator('link[rel=icon][href^="console/icon-needs"]').waitFor({ state: 'attached' })
    }
    // The second browser does not hear of the decision in time.
    await other.page.route('**/api/v1/executions/*/approvals/*', async (route) => {
      // Nothing has the focus yet.
      await one.page.keyboard.press('a')
      await one.page.getByText('No approval is selected.').waitFor()
      await one.page.keyboard.press('j')
      await one.page.keyboard.press('a')
      await one.page.getByText('Allowed.').waitFor()
      await route.continue()
    })
    await other.page.getByRole('button', { name: 'Deny' }).click()
    await other.page.getByText('Too late: someone else has decided this already').waitFor()
    await one.page.getByRole('heading', { name: /Needs you/ }).waitFor({ state: 'detached' })
    await one.page.locator('link[rel=icon]:not([href*="needs"])').waitFor({ state: 'attached' })
    await until(async () => (await server.request(`/api/v1/executions/${id}`)).text.includes('it went on'))
    expect(one.complaints).toEqual([])
  })

  it('shows all of a command, what is hidden in it, and what the input says besides it', async () => {
    const server = await warmServer()
    const command = `echo asked ${'x'.repeat(25_000)}\u001b[8m LAST`
    await askForApproval(server, {}, { command, target: 'prod' })
    const { page } = await visit(`${server.url}/`)
    await page.getByRole('article').waitFor()
    const shown = await page.getByRole('article').innerText()
    expect([shown, shown.match(/echo asked/g)?.length]).toEqual([expect.stringContaining('"target": "prod"'), 1])
    expect(shown).toContain('␛[8m LAST')
  })

  it.runIf(isFull)('is denied with a reason from the page of the execution', async () => {
    const server = await warmServer()
    const id = await askForApproval(server)
    const { page } = await visit(`${server.url}/#/executions/${id}`)
    await page.getByLabel('Reason for the agent if you deny').fill('not today')
    await page.getByRole('button', { name: 'Deny' }).click()
    await page.getByText('Denied.').waitFor()
    await page.locator('[data-state=completed]').waitFor()
    const shown = await page.locator('.transcript').innerText()
    expect(shown).toMatch(/Asked for permission:\s+Bash\s+denied by a client without a key: not today, \d/)
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
    await page.getByRole('button', { name: 'Notify this browser' }).click()
    await until(async () => (await page.getByRole('button', { name: 'Notify this browser' }).count()) === 0)
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

/** Two agents that ask, and the decisions that the page sends. */
async function twoApprovals() {
  const server = await warmServer()
  const ids: string[] = []
  for (const target of ['one', 'two']) {
    ids.push(await askForApproval(server, {}, { target }))
    // The oldest is shown first.
    await until(async () => (await server.context.drover.executions.approvals(USER)).length === ids.length)
  }
  const { page } = await visit(`${server.url}/`)
  const cards = page.getByRole('article')
  await page.locator('.needs-list [data-row]').nth(1).waitFor()
  const decided: string[] = []
  page.on('request', (request) => {
    const [, id] = /executions\/(\w+)\/approvals/.exec(request.url()) ?? []
    if (id !== undefined) decided.push(`${ids.indexOf(id)} ${request.postDataJSON().decision}`)
  })
  return { page, cards, decided }
}

describe('the keys a and d', () => {
  it.runIf(IS_FULL)('decide about the approval that has the focus, whatever else waits', async () => {
    const { page, cards, decided } = await twoApprovals()
    for (const key of ['a', 'd']) await page.keyboard.press(key)
    await page.getByText('No approval is selected.').waitFor()
    expect(decided).toEqual([])
    // The third row is an execution that runs.
    for (const key of ['j', 'j', 'j', 'a', 'd']) await page.keyboard.press(key)
    expect(decided).toEqual([])
    for (const key of ['k', 'a']) await page.keyboard.press(key)
    await page.getByText('Allowed.').waitFor()
    await page.locator('.needs-list').waitFor({ state: 'detached' })
    // The focus was in the row that is gone.
    await page.keyboard.press('d')
    expect(decided).toEqual(['1 allow'])
    await cards.first().click()
    await page.keyboard.press('d')
    await page.getByText('Denied.').waitFor()
    expect(decided).toEqual(['1 allow', '0 deny'])
  })

  it.runIf(IS_FULL)('do nothing while one types, with other keys held, or in a dialog', async () => {
    const { page, cards, decided } = await twoApprovals()
    const reason = cards.first().getByLabel('Reason for the agent if you deny')
    await reason.pressSequentially('add')
    expect(await reason.inputValue()).toBe('add')
    await cards.first().focus()
    for (const key of ['Control+a', 'Alt+a', 'Meta+d', 'Shift+a']) await page.keyboard.press(key)
    await page.keyboard.press('?')
    await page.getByRole('dialog').waitFor()
    for (const key of ['a', 'd', 'n']) await page.keyboard.press(key)
    expect(await page.getByRole('dialog').count()).toBe(1)
    await page.keyboard.press('Escape')
    expect([decided, page.url().endsWith('/new')]).toEqual([[], false])
    // The dialog gives the focus back.
    await page.keyboard.press('d')
    await page.getByText('Denied.').waitFor()
    expect(decided).toEqual(['0 deny'])
  })
})
