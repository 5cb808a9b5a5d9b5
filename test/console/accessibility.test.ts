/** Every page of the console by the rules of axe, on a small phone. `npm run test:console` also tries Firefox and the dark colours. */

import axe from 'axe-core'
import type { Page } from 'playwright-core'
import { afterAll, beforeEach, describe, expect, it } from 'vitest'
import { closeBrowser, LOOKS, skipWithoutBrowser, visit } from '../support/browser.ts'
import { firstOf } from '../support/full-counts.ts'
import { recordExecution } from '../support/recorded-execution.ts'
import { startServer } from '../support/start-server.ts'

beforeEach(skipWithoutBrowser)
afterAll(closeBrowser)

const PAGES = [
  '',
  'new',
  'new/change',
  'runs',
  'board',
  'queue',
  'watchers',
  'keys',
  'settings',
  'repositories',
  'report',
  'sessions',
  'usage',
  'usage?by=repository',
  'executions/ID',
  'sessions/SESSION',
  'compare/ID,ID',
  'compare',
  'nowhere',
]

/** The rule and the first element of every violation. What can be tapped must be large enough, which is not a rule by default. */
async function violationsOn(page: Page): Promise<unknown> {
  return await page.evaluate(
    `axe.run({ resultTypes: ['violations'], rules: { 'target-size': { enabled: true } } }).then(({ violations }) =>
      violations.map(({ id, nodes }) => [id, nodes[0]?.html]))`,
  )
}

describe('every page', () => {
  it.each(LOOKS)('is accessible and not wider than a small phone (%s, %s)', async (browser, colorScheme) => {
    const server = await startServer({ agents: 'demo' })
    const body = { backend: 'claude', prompt: 'run a command, think', workdir: server.workdir }
    const { body: result } = await server.request('/api/v1/prompt', { method: 'POST', body })
    const { execution_id: id, session_id: session } = result as { execution_id: string; session_id: string }
    await recordExecution(server, { prompt: 'fails', events: [{ type: 'error', content: { message: 'no' } }] })
    const { page, complaints } = await visit(`${server.url}/`, { browser, colorScheme, width: 320, height: 640 })
    await page.evaluate(axe.source)
    for (const path of firstOf(PAGES, 4)) {
      await page.goto(`${server.url}/#/${path.replaceAll('ID', id).replace('SESSION', session)}`)
      await page.locator('main h1').waitFor({ state: 'attached' })
      await page.locator('main', { hasNotText: 'Loading…' }).waitFor()
      expect([path, await violationsOn(page)]).toEqual([path, []])
      const overflow = await page.evaluate(
        'document.documentElement.scrollWidth - document.documentElement.clientWidth',
      )
      expect([path, overflow]).toEqual([path, 0])
    }
    await page.goto(`${server.url}/#/`)
    await page.locator('[data-row]').first().focus()
    await page.keyboard.press('?')
    await page.getByRole('dialog').waitFor()
    expect(await page.locator('dialog :focus').count()).toBe(1)
    await page.keyboard.press('Escape')
    await page.getByRole('dialog').waitFor({ state: 'detached' })
    expect(await page.locator('[data-row]:focus').count()).toBe(1)
    await page.keyboard.press('Control+k')
    const find = page.getByRole('combobox', { name: 'Find a page, run, session or file' })
    await find.fill('run a command')
    await page.getByRole('option', { name: /run a command, think/ }).waitFor()
    expect(await violationsOn(page)).toEqual([])
    await find.fill('watch')
    await page.getByRole('option', { name: 'Watchers' }).waitFor()
    await page.keyboard.press('Enter')
    await page.getByRole('heading', { name: 'Watchers' }).waitFor()
    await page.goBack()
    await page.locator('[data-row]').first().focus()
    await page.keyboard.press('Enter')
    await page.getByRole('heading', { name: /Execution/ }).waitFor()
    expect(await page.locator('main:focus').count()).toBe(1)
    expect(complaints).toEqual([])
  })
})
