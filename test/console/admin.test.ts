/** The pages for those who manage a server, in a real browser. */
import type { Page } from 'playwright-core'
import { afterAll, beforeEach, expect, it } from 'vitest'
import { digest } from '../../src/kit/digest.ts'
import { closeBrowser, skipWithoutBrowser, visit } from '../support/browser.ts'
import { IS_FULL } from '../support/full-counts.ts'
import { startServer } from '../support/start-server.ts'

beforeEach(skipWithoutBrowser)
afterAll(closeBrowser)

const SECRETS = { root: 'root-key-0123456789', ci: 'ci-key-0123456789' }
const KEYS = [
  { name: 'root', sha256: digest(SECRETS.root).replace('sha256:', ''), role: 'admin' },
  { name: 'ci', sha256: digest(SECRETS.ci).replace('sha256:', '') },
]

async function logIn(page: Page, key: string): Promise<void> {
  await page.getByLabel('API key').fill(key)
  await page.getByRole('button', { name: 'Log in' }).click()
  await page.getByRole('button', { name: 'Log out' }).waitFor()
}

it('an admin creates a key that is shown once, sees where a setting comes from, and revokes the key', async () => {
  const server = await startServer({
    ...{ agents: 'demo', server: { keys: KEYS, cors_max_age: 60 } },
    config: { budgets: [{ limit: '9requests/week', key: '*' }] },
  })
  const { page, complaints } = await visit(`${server.url}/#/keys`, { expects: /401/ })
  await logIn(page, SECRETS.root)
  await page.getByRole('button', { name: 'New key' }).click()
  await page.getByLabel('Name').fill('ada')
  await page.getByLabel('Budgets').fill('20usd/day')
  await page.getByLabel('codex', { exact: true }).check()
  await page.getByRole('button', { name: 'Create' }).click()
  const secret = await page.locator('.secret-text').innerText()
  expect(secret).toMatch(/^drover_key_[0-9a-f]{48}$/)
  await page.getByRole('button', { name: 'I have it' }).click()
  await server.keys.reload(server.context.log)
  await page.reload()
  const row = page.getByRole('row', { name: /^ada/ })
  await row.waitFor()
  await row.getByText(/\$20\.00 per day, 9 requests per week|9 requests per week, \$20\.00 per day/).waitFor()
  await row.getByText('use only codex').waitFor()
  expect(await page.locator('body').innerText()).not.toContain(secret)
  await page.setViewportSize({ width: 360, height: 780 })
  const table = "document.querySelector('.wide')"
  expect(await page.evaluate(`${table}.scrollWidth - ${table}.clientWidth`)).toBe(0)
  await row.getByRole('button', { name: 'Revoke' }).click()
  await row.getByRole('button', { name: 'Revoke' }).click()
  await row.waitFor({ state: 'detached' })
  await page.locator('.menu-in-bar > button').click()
  await page.getByRole('link', { name: 'Settings' }).click()
  const setting = page.locator('.setting', { hasText: 'server.cors_max_age' })
  await setting.waitFor()
  expect(await setting.innerText()).toMatch(/60\s+file, line 1/)
  await page.getByLabel('From').selectOption('file')
  await page.locator('.setting', { hasText: 'server.port' }).waitFor({ state: 'detached' })
  expect(page.url()).toContain('from=file')
  expect(complaints).toEqual([])
})

it('a client is not shown these pages, and gets nothing by their addresses', async () => {
  const server = await startServer({ agents: 'demo', server: { keys: KEYS } })
  const { page } = await visit(`${server.url}/#/`, { expects: /40[13]/ })
  await logIn(page, SECRETS.ci)
  await page.locator('.menu-in-bar > button').click()
  await page.getByRole('link', { name: 'Queue' }).waitFor()
  for (const name of ['Keys', 'Settings', 'Repositories'])
    expect(await page.getByRole('link', { name, exact: true }).count()).toBe(0)
  for (const path of ['keys', 'settings', 'repositories']) {
    await page.goto(`${server.url}/#/${path}`)
    await page.getByText('You are ci (client).').waitFor()
    expect(await page.getByRole('button', { name: 'New key' }).count()).toBe(0)
    expect(await page.getByText('Loading').count()).toBe(0)
    expect(await page.locator('main').innerText()).not.toContain('root')
  }
})

it.runIf(IS_FULL)('an admin sees whose prompt it is, and which was refused', async () => {
  const keys = KEYS.map((key) => (key.name === 'ci' ? { ...key, budgets: ['1requests/once'] } : key))
  const server = await startServer({ agents: 'demo', server: { keys } })
  const ask = async (key: string, prompt: string) => {
    const body = { prompt, backend: 'claude' }
    return (await server.request('/api/v1/prompt', { method: 'POST', body, headers: { 'x-api-key': key } })).status
  }
  const answers = [await ask(SECRETS.ci, 'first'), await ask(SECRETS.ci, 'second'), await ask(SECRETS.root, 'own')]
  expect(answers).toEqual([200, 402, 200])
  const { page } = await visit(`${server.url}/#/`, { expects: /401/ })
  await logIn(page, SECRETS.root)
  const row = (text: string) => page.locator('.row', { hasText: text })
  await row('second').waitFor()
  expect(await row('second').innerText()).toMatch(/^refused\s[\s\S]*of ci/)
  expect(await row('first').innerText()).toMatch(/^done\s[\s\S]*of ci/)
  expect(await row('own').innerText()).not.toContain('of root')
  await row('second').getByRole('link').click()
  const facts = page.locator('.facts')
  await facts.waitFor()
  expect(await facts.innerText()).toMatch(/^refused\s[\s\S]*of ci/)
})
