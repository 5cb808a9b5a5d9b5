/** The console in a real browser, against a real server. */

import type { Page } from 'playwright-core'
import { afterAll, beforeEach, describe, expect, it } from 'vitest'
import { digest } from '../../src/kit/digest.ts'
import { closeBrowser, isFull, skipWithoutBrowser, visit } from '../support/browser.ts'
import { IS_FULL } from '../support/full-counts.ts'
import { recordExecution } from '../support/recorded-execution.ts'
import { startServer } from '../support/start-server.ts'
import { until } from '../support/until.ts'

beforeEach(skipWithoutBrowser)
afterAll(closeBrowser)

const home = (page: Page) => page.getByLabel('What should be done?').waitFor()

async function startPrompt(page: Page, prompt: string, agents: readonly string[] = []): Promise<void> {
  await page.keyboard.press('n')
  await page.getByLabel('Prompt', { exact: true }).fill(prompt)
  for (const agent of agents) await page.getByRole('checkbox', { name: agent }).check()
  await page.getByRole('button', { name: /^(Start|Compare)/ }).click()
}

const ended = (page: Page, state = 'completed', count = 1) =>
  page
    .locator(`[data-state=${state}]`)
    .nth(count - 1)
    .waitFor()

describe('the console', () => {
  it.runIf(IS_FULL)('runs a prompt, shows its answer, and gives it an address', async () => {
    const server = await startServer({ agents: 'demo' })
    const { page, complaints, strangers } = await visit(`${server.url}/`)
    await home(page)
    await startPrompt(page, 'Please think and run a command')
    await ended(page)
    const tool = page.locator('.tool')
    expect(await tool.locator('summary').innerText()).toContain('echo "hello from drover"')
    await tool.locator('summary').click()
    expect(await tool.innerText()).toContain('hello from drover')
    expect(await page.locator('.thinking').count()).toBe(1)
    const shared = await visit(page.url())
    await ended(shared.page)
    await expect.poll(() => shared.page.title()).toBe('Please think and run a command – drover')
    expect(await shared.page.locator('.transcript .markdown').allInnerTexts()).toEqual(
      await page.locator('.transcript .markdown').allInnerTexts(),
    )
    await page.keyboard.press('h')
    await page.getByText('Please think and run a command').waitFor()
    expect({ complaints, strangers }).toEqual({ complaints: [], strangers: [] })
  })

  it.runIf(IS_FULL)('shows how much of each budget is used, and again when a prompt has ended', async () => {
    const budgets = [{ limit: '1requests/day' }, { limit: '9requests/week' }]
    const server = await startServer({ agents: 'demo', config: { budgets } })
    const { page, complaints } = await visit(`${server.url}/#/usage`)
    const bar = page.getByRole('meter', { name: 'all prompts requests per day' })
    await bar.waitFor()
    const bars = page.locator('.budgets > li')
    expect((await bars.allInnerTexts()).join('\n')).toMatch(
      /^all prompts requests per day\s+0 of 1\b.+^all prompts requests per week\s+0 of 9\b/ms,
    )
    const body = { backend: 'claude', prompt: 'hello', workdir: server.workdir }
    await server.request('/api/v1/prompt', { method: 'POST', body })
    await page.getByText('1 of 1', { exact: true }).waitFor()
    await page.getByText(/spent · resets on .* 00:00 UTC/).waitFor()
    expect(await bar.evaluate((meter) => (meter as unknown as { value: number }).value)).toBe(1)
    await page.getByLabel('Show').selectOption('tokens')
    expect(page.url()).toContain('measure=tokens')
    const chart = page.getByRole('slider', { name: /^Tokens by day and agent/ })
    await chart.focus()
    await page.keyboard.press('ArrowLeft')
    const today = new Date().toISOString().slice(0, 10)
    expect(await chart.getAttribute('aria-valuetext')).toMatch(new RegExp(`^${today}: claude \\d+`))
    expect(await page.locator('.tip').innerText()).toContain('claude')
    expect(complaints).toEqual([])
  })

  it.runIf(isFull)('compares agents side by side, and continues with the answer of one', async () => {
    const server = await startServer({ agents: 'demo' })
    const { page, complaints } = await visit(`${server.url}/#/`)
    await home(page)
    await startPrompt(page, 'tabs or spaces?', ['codex', 'gemini'])
    await ended(page, 'completed', 3)
    expect(await page.locator('.column').count()).toBe(3)
    await page.getByText('Compare two answers').click()
    expect(await page.locator('.diff-left').innerText()).toContain('standing in for claude')
    expect(await page.locator('.diff-right').innerText()).toContain('standing in for codex')
    const second = page.locator('.column').nth(1)
    await second.getByRole('button', { name: 'Continue with this answer' }).click()
    await second.getByLabel('Continue with').fill('shorter')
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
    await page.getByLabel('Continue with').fill('the second prompt')
    await page.getByRole('button', { name: 'Send' }).click()
    await until(async () => (await page.locator('.turn .markdown').count()) === 2)
    await page.getByText('Rename, tag, share, export, delete').click()
    await page.getByLabel('Title').fill('A title')
    await page.getByLabel('Tags').fill('one two')
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByRole('heading', { name: 'A title' }).waitFor()
    const address = page.url()
    await page.getByLabel('Continue with').fill('and you?')
    await page.locator('.resume').getByLabel('Agent').selectOption('codex')
    await page.getByRole('button', { name: 'Send' }).click()
    await page.getByRole('heading', { name: /Execution/ }).waitFor()
    await ended(page)
    await page.keyboard.press('/')
    await page.getByPlaceholder(/Search/).fill('A title')
    await until(async () => (await page.locator('[data-row]').count()) === 1)
    expect(await page.locator('.row').innerText()).toContain('two')
    await page.goto(address)
    await page.getByText('Rename, tag, share, export, delete').click()
    await page.getByRole('button', { name: 'Delete…' }).click()
    await page.getByRole('button', { name: 'Delete permanently' }).click()
    await page.getByText('The session was deleted.').waitFor()
    expect(complaints).toEqual([])
  })

  it.runIf(isFull)('shows a session to its own key, and to others when it is shared', async () => {
    const [ada, bob] = ['the-key-of-ada-012345', 'the-key-of-bob-012345']
    const keys = [
      { name: 'ada', sha256: digest(ada) },
      { name: 'bob', sha256: digest(bob) },
    ]
    const server = await startServer({ agents: 'demo', server: { keys } })
    const body = { backend: 'claude', prompt: 'the secret plan' }
    const headers = { 'x-api-key': ada }
    const { body: result } = await server.request('/api/v1/prompt', { method: 'POST', body, headers })
    const { session_id: id } = result as { session_id: string }
    const { page } = await visit(`${server.url}/#/sessions`, { expects: /40[14]/ })
    const logIn = async (key: string) => {
      await page.getByLabel('API key').fill(key)
      await page.getByRole('button', { name: 'Log in' }).click()
      await page.getByRole('button', { name: 'Log out' }).waitFor()
      await page.goto(`${server.url}/#/sessions/${id}`)
    }
    const logOut = () => page.getByRole('button', { name: 'Log out' }).click()
    await logIn(bob)
    await page.getByText('All sessions').click()
    await page.getByText('No sessions yet.').waitFor()
    expect(await page.locator('body').innerText()).not.toContain('secret')
    await logOut()
    await logIn(ada)
    await page.getByRole('heading', { name: 'the secret plan' }).waitFor()
    await page.getByText('Rename, tag, share, export, delete').click()
    await page.getByRole('button', { name: 'Share with all keys' }).click()
    await page.getByText('shared', { exact: true }).waitFor()
    await logOut()
    await logIn(bob)
    await page.getByRole('heading', { name: 'the secret plan' }).waitFor()
    await page.getByText('of ada').waitFor()
  })

  it.runIf(IS_FULL)(
    'shows an answer as it comes, what runs with its last line, and cancels it, or all of a comparison',
    async () => {
      const script = { text: ['first line\n', 'the last line'], hangAfter: 'text' }
      const server = await startServer({ env: { FAKE_AGENT_SCRIPT: JSON.stringify(script) } })
      const { page } = await visit(`${server.url}/#/`)
      await home(page)
      await startPrompt(page, 'hang, please')
      await page.locator('[data-state=running] .markdown', { hasText: 'the last line' }).waitFor()
      await page.keyboard.press('h')
      await page.locator('.activity', { hasText: 'the last line' }).waitFor()
      await page.getByRole('button', { name: 'Cancel' }).click()
      await page.locator('.chip', { hasText: 'stopped' }).waitFor()
      expect(await page.getByRole('heading', { name: /^Working/ }).count()).toBe(0)
      await startPrompt(page, 'hang, both', ['claude', 'codex'])
      await ended(page, 'running', 2)
      await page.getByRole('button', { name: 'Cancel all agents' }).click()
      await ended(page, 'cancelled', 2)
      await page.getByRole('button', { name: 'Cancel all agents' }).waitFor({ state: 'detached' })
    },
  )
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
