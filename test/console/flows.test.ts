/** What people do with a run in any browser: on a phone, with the keyboard alone, in two tabs, without a network. */
import axe from 'axe-core'
import { afterAll, beforeEach, describe, expect, it } from 'vitest'
import { closeBrowser, INSTALLED, isFull, LOOKS, skipWithoutBrowser, visit } from '../support/browser.ts'
import { serveRuns } from '../support/served-runs.ts'

beforeEach(skipWithoutBrowser)
afterAll(closeBrowser)

const TABS = ['activity', 'files', 'evidence', 'report']

describe.runIf(isFull).each(LOOKS)('a run in %s, %s', { timeout: 180_000 }, (browser, colorScheme) => {
  it('is accessible and fits in 320 pixels, in every tab', async () => {
    const long = Array.from({ length: 60 }, (_, at) => `line ${at} ${'wide '.repeat(30)}`).join('\n')
    const { server, start, reaches } = await serveRuns({
      implement: [{ runs: ['ls'], edits: { 'wind.txt': '23 knots\n', 'a/very/deep/directory/of/files.md': long } }],
    })
    const { id } = await start()
    await reaches(id, 'ended')
    const { page, complaints } = await visit(`${server.url}/#/runs/${id}`, {
      browser,
      colorScheme,
      width: 320,
      height: 640,
    })
    await page.evaluate(axe.source)
    for (const tab of TABS) {
      await page.goto(`${server.url}/#/runs/${id}?tab=${tab}`)
      await page.locator(`.tabs [aria-current]`, { hasText: new RegExp(tab, 'i') }).waitFor()
      await page.locator('main', { hasNotText: 'Loading…' }).waitFor()
      const found = await page.evaluate(
        `axe.run({ resultTypes: ['violations'] }).then(({ violations }) => violations.map(({ id, nodes }) => [id, nodes[0]?.html]))`,
      )
      expect([tab, found]).toEqual([tab, []])
      expect([
        tab,
        await page.evaluate('document.documentElement.scrollWidth - document.documentElement.clientWidth'),
      ]).toEqual([tab, 0])
    }
    expect(await page.evaluate("matchMedia('(prefers-color-scheme: dark)').matches")).toBe(colorScheme === 'dark')
    expect(complaints).toEqual([])
  })
})

describe.each(INSTALLED)('a run in %s', { timeout: 180_000 }, (browser) => {
  // Without `isFull` Chromium is tried by the tests of each page.
  it.runIf(isFull)('is merged with the keyboard alone, and another tab shows it', async () => {
    const { server, start, reaches, driving } = await serveRuns()
    const { id } = await start()
    await reaches(id, 'ended')
    const [one, other] = [
      await visit(`${server.url}/`, { browser }),
      await visit(`${server.url}/#/runs/${id}`, { browser }),
    ]
    await other.page.locator('[data-run-state=ended]').waitFor()
    await one.page.locator('.row').waitFor()
    await one.page.bringToFront()
    for (const key of ['j', 'Enter']) await one.page.keyboard.press(key)
    await one.page.locator('[data-run-state=ended]').waitFor()
    const hasFocus = () => one.page.evaluate('document.activeElement.textContent === "Merge into main"')
    for (let times = 0; times < 30 && !(await hasFocus()); times += 1) await one.page.keyboard.press('Tab')
    expect(await hasFocus()).toBe(true)
    await one.page.keyboard.press('Enter')
    await one.page.locator('[data-run-state=merged]').waitFor()
    expect(driving.repository.git('show', 'main:wind.txt')).toBe('wind: 23 knots\n')
    await other.page.locator('[data-run-state=merged]').waitFor()
  })

  it.runIf(isFull)('that is opened while the network swallows everything says that the connection is cut', async () => {
    const { server, start, reaches } = await serveRuns()
    const { id } = await start()
    await reaches(id, 'ended')
    const { page } = await visit(`${server.url}/`, { browser, expects: /./ })
    await page.clock.install()
    await page.reload()
    await page.getByText('live', { exact: true }).waitFor()
    // No answer, and no error either.
    await page.route('**/*', () => undefined)
    await page.keyboard.press('j')
    await page.keyboard.press('Enter')
    await page.getByText('Loading…').waitFor()
    // The stream that is open is silent from now on, as far as the clock of the page tells.
    await page.clock.fastForward(15_100)
    await page.getByText('The connection to the server is cut.').waitFor()
  })
})
