/** The board and the queue in a real browser. */
import type { Page } from 'playwright-core'
import { afterAll, beforeEach, expect, it } from 'vitest'
import { closeBrowser, isFull, skipWithoutBrowser, visit } from '../support/browser.ts'
import { IS_FULL } from '../support/full-counts.ts'
import { serveRuns } from '../support/served-runs.ts'

beforeEach(skipWithoutBrowser)
afterAll(closeBrowser)

const titles = (page: Page) => page.locator('.column-queued .board-title').allInnerTexts()

const shown = (read: () => Promise<string[]>) => expect.poll(read, { timeout: 10_000 })

/** One run that works, and three that wait. */
async function fillQueue() {
  const served = await serveRuns({ orient: [{ hangs: true }] })
  await served.server.context.drover.begin()
  const working = await served.start({ goal: 'Show the wind', queue: true })
  await served.reaches(working.id, 'running')
  const [rain, sun, fog] = [
    await served.start({ goal: 'Show the rain', queue: true }),
    await served.start({ goal: 'Show the sun', queue: true, backend: 'codex' }),
    await served.start({ goal: 'Show the fog', queue: true }),
  ]
  const end = async () => {
    for (const { id } of [fog, sun, rain, working]) await served.change(id, 'stop')
  }
  return { ...served, end }
}

it.runIf(IS_FULL)(
  'shows runs in columns, and changes the order of the queue by keys, by dragging, and with a filter in the address',
  async () => {
    const { server, end } = await fillQueue()
    const { page, complaints } = await visit(`${server.url}/#/board`)
    await shown(() => titles(page)).toEqual(['Show the rain', 'Show the sun', 'Show the fog'])
    expect(await page.locator('.column-working .board-title').allInnerTexts()).toEqual(['Show the wind'])
    await page.locator('.column-queued .board-card', { hasText: 'fog' }).focus()
    await page.keyboard.press('Alt+ArrowUp')
    await shown(() => titles(page)).toEqual(['Show the rain', 'Show the fog', 'Show the sun'])
    const card = (text: string) => page.locator('.column-queued .queue-item', { hasText: text })
    await card('sun').dragTo(card('rain'), { targetPosition: { x: 40, y: 8 } })
    await shown(() => titles(page)).toEqual(['Show the sun', 'Show the rain', 'Show the fog'])
    await page.getByLabel('Agent').selectOption('codex')
    await shown(() => titles(page)).toEqual(['Show the sun'])
    const again = await visit(page.url())
    await shown(() => titles(again.page)).toEqual(['Show the sun'])
    expect(complaints).toEqual([])
    await end()
  },
)

it.runIf(IS_FULL)('starts a change from the empty queue, when it is its turn', async () => {
  const { server } = await serveRuns({ orient: [{ hangs: true }] })
  const { page, complaints } = await visit(`${server.url}/#/queue`)
  await page.getByRole('link', { name: 'new change' }).click()
  await page.getByLabel('Goal').fill('Show the wind')
  await page.getByLabel('Begin').selectOption('queue')
  await page.getByRole('button', { name: 'Start', exact: true }).click()
  await page.locator('[data-run-state="queued"]').waitFor()
  expect(complaints).toEqual([])
})

it.runIf(isFull)('of the queue shows numbers, moves with buttons, and removes a run', async () => {
  const { server, end } = await fillQueue()
  const { page, complaints } = await visit(`${server.url}/#/queue`)
  const rows = () => page.locator('.queue-list .row-text').allInnerTexts()
  await shown(rows).toEqual(['Show the rain', 'Show the sun', 'Show the fog'])
  await page.getByRole('button', { name: 'Move down: Show the rain' }).click()
  await shown(rows).toEqual(['Show the sun', 'Show the rain', 'Show the fog'])
  await page.locator('.queue-item', { hasText: 'sun' }).getByRole('button', { name: 'Remove' }).click()
  await shown(rows).toEqual(['Show the rain', 'Show the fog'])
  expect(await page.locator('.queue-number').allInnerTexts()).toEqual(['1', '2'])
  expect(complaints).toEqual([])
  await end()
})
