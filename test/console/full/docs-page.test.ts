/** The `/docs` page in a real browser. Skipped if there is none. */
import { type Browser, chromium, type Page } from 'playwright-core'
import { afterAll, beforeEach, describe, expect, it } from 'vitest'
import { CHROMIUM_ARGUMENTS, findChromium, NO_CHROMIUM } from '../../../scripts/chromium.ts'
import { listOperations } from '../../support/openapi-document.ts'
import { startServer, type TestServer } from '../../support/start-server.ts'

const executable = findChromium()

let browser: Browser | undefined
afterAll(() => browser?.close())

/** Opens the page and records its errors and the origins it calls. */
async function open(server: TestServer) {
  browser ??= await chromium.launch({ executablePath: executable ?? '', args: CHROMIUM_ARGUMENTS })
  const page = await browser.newPage()
  const [complaints, strangers]: [string[], string[]] = [[], []]
  page.on('console', (message) => {
    if (['error', 'warning'].includes(message.type())) complaints.push(message.text())
  })
  page.on('pageerror', (error) => complaints.push(error.message))
  page.on('request', (request) => {
    const isOwn = request.url().startsWith(`${server.url}/`) || request.url().startsWith('data:')
    if (!isOwn) strangers.push(request.url())
  })
  await page.goto(`${server.url}/docs`)
  await page.locator('.opblock').first().waitFor()
  return { page, complaints, strangers }
}

/** Runs an operation through the page and returns the status and body that the page shows. */
async function tryOut(page: Page, operation: string, body?: unknown) {
  const block = page.locator(`[id$="-${operation}"]`)
  await block.locator('.opblock-summary-control').click()
  await block.getByRole('button', { name: 'Try it out' }).click()
  if (body !== undefined) await block.locator('textarea.body-param__text').fill(JSON.stringify(body))
  await block.getByRole('button', { name: 'Execute' }).click()
  const answer = block.locator('.live-responses-table')
  const status = await answer.locator('.response .response-col_status').first().innerText()
  return { status: status.trim(), text: await answer.locator('.response-col_description').last().innerText() }
}

describe('/docs in a browser', { timeout: 60_000 }, () => {
  beforeEach(({ skip }) => skip(executable === undefined, NO_CHROMIUM))

  it('shows every operation, without errors and without calls to other origins', async () => {
    const server = await startServer()
    const { page, complaints, strangers } = await open(server)
    expect(await page.title()).toBe('drover API')
    expect(await page.locator('.opblock').count()).toBe(listOperations().length)
    expect({ complaints, strangers }).toEqual({ complaints: [], strangers: [] })
  })

  it('runs a prompt from the page', async () => {
    const server = await startServer()
    const { page, complaints } = await open(server)
    const { status, text } = await tryOut(page, 'executePrompt', { backend: 'claude', prompt: 'hello' })
    expect(status).toContain('200')
    expect(text).toContain('session_id')
    expect(complaints).toEqual([])
  })

  it.each(['ApiKey', 'Bearer'])('sends the entered key as %s', async (scheme) => {
    const server = await startServer({ env: { DROVER_API_KEYS: 'open-sesame' } })
    const { page } = await open(server)
    await page.locator('.auth-wrapper .authorize').first().click()
    const form = page.locator('.auth-container', { hasText: scheme })
    await form.locator('input').fill('open-sesame')
    await form.getByRole('button', { name: 'Apply' }).click()
    await form.getByRole('button', { name: 'Close' }).click()
    expect(await tryOut(page, 'listBackends')).toMatchObject({ status: expect.stringContaining('200') })
  })

  it('shows the error if no key was entered', async () => {
    const server = await startServer({ env: { DROVER_API_KEYS: 'open-sesame' } })
    const { page } = await open(server)
    const { status, text } = await tryOut(page, 'listBackends')
    expect(status).toContain('401')
    expect(text).toContain('missing API key')
  })
})
