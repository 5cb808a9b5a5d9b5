/** The list of sessions in a real browser. */
import { afterAll, beforeEach, expect, it } from 'vitest'
import { closeBrowser, isFull, skipWithoutBrowser, visit } from '../support/browser.ts'
import { IS_FULL } from '../support/full-counts.ts'
import { newSession } from '../support/session-store.ts'
import { startServer } from '../support/start-server.ts'

beforeEach(skipWithoutBrowser)
afterAll(closeBrowser)

const COUNT = isFull ? 500 : 51
const PAGE = 50

it.runIf(IS_FULL)('is read in pages, and the address has the page and the filters', async () => {
  const server = await startServer({ agents: 'demo' })
  const { sessions } = server.context.drover.opened
  for (let at = 0; at < COUNT; at += 1) {
    await sessions.create(newSession({ initial_prompt: `prompt ${at}.`, tags: at === 3 ? ['urgent'] : [] }))
  }
  const { page, complaints } = await visit(`${server.url}/#/sessions`)
  const asked: string[] = []
  page.on('request', (request) => request.url().includes('/sessions?') && asked.push(request.url()))
  const rows = page.locator('[data-row]')
  const older = page.getByRole('button', { name: 'Older' })
  const states = page.getByLabel('State').locator('option')
  await expect.poll(() => states.allInnerTexts()).toEqual(['State: all', 'working', 'needs you', 'done', 'failed'])
  for (let from = 0; from + PAGE < COUNT; from += PAGE) {
    await page.getByText(`${from + 1} to ${from + PAGE} of ${COUNT}`).waitFor()
    expect(await rows.count()).toBe(PAGE)
    await older.click()
  }
  await page.getByText(`to ${COUNT} of ${COUNT}`).waitFor()
  expect(await rows.last().innerText()).toContain('prompt 0.')
  expect(await older.isDisabled()).toBe(true)
  expect(asked.every((url) => url.includes(`limit=${PAGE}`))).toBe(true)

  const same = await visit(page.url())
  await same.page.getByText(`to ${COUNT} of ${COUNT}`).waitFor()
  // Another filter begins with its first page.
  await page.getByLabel('Tag').fill('urgent')
  await page.getByText('1 to 1 of 1').waitFor()
  expect(page.url()).toMatch(/#\/sessions\?tag=urgent$/)
  await rows.first().click()
  await page.getByRole('heading', { name: 'prompt 3.' }).waitFor()
  await page.goBack()
  await page.getByText('1 to 1 of 1').waitFor()
  expect(await page.getByLabel('Tag').inputValue()).toBe('urgent')
  await page.getByLabel('Tag').fill('')
  await page.getByLabel(/^Search/).fill('prompt 7.')
  await page.getByText('1 to 1 of 1').waitFor()
  const shared = await visit(page.url())
  await shared.page.locator('[data-row]', { hasText: 'prompt 7.' }).waitFor()
  expect(await shared.page.locator('[data-row]').count()).toBe(1)
  expect(complaints).toEqual([])
})
