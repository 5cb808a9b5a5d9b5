/** A diff of 10,000 lines in a real browser. */
import { afterAll, beforeEach, expect, it } from 'vitest'
import { closeBrowser, skipWithoutBrowser, visit } from '../../support/browser.ts'
import { serveRuns } from '../../support/served-runs.ts'

beforeEach(skipWithoutBrowser)
afterAll(closeBrowser)

const FILES = 5
const LINES = 2000
const STEPS = 60
const STEP_MS = 100

/** Scrolls by one window after the other, and tells how long each took until it was drawn. */
const SCROLL = `(async () => {
  const drawn = () => new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve)))
  const times = []
  for (let step = 0; step < ${STEPS}; step += 1) {
    const start = performance.now()
    scrollBy(0, innerHeight)
    await drawn()
    times.push(performance.now() - start)
  }
  return times
})()`

it('10,000 changed lines are scrolled in steps below 100 ms, and only those near the window have elements', async () => {
  const code = (file: number) =>
    Array.from({ length: LINES }, (_, at) => `export const value${at} = 'file ${file}' + ${at} // a comment`).join('\n')
  const edits = Object.fromEntries(Array.from({ length: FILES }, (_, at) => [`src/part${at}.ts`, `${code(at)}\n`]))
  const { server, start, reaches } = await serveRuns({ implement: [{ edits: { 'wind.txt': '23 knots\n', ...edits } }] })
  const { id } = await start()
  await reaches(id, 'ended')
  const { page, complaints } = await visit(`${server.url}/#/runs/${id}?tab=files`)
  await page.locator('.line-added').first().waitFor()
  const times = await page.evaluate<number[]>(SCROLL)
  const sorted = times.toSorted((a, b) => a - b)
  process.stdout.write(`half of the steps within ${sorted[STEPS / 2]?.toFixed(0)} ms\n`)
  expect(sorted[Math.floor(STEPS * 0.95)]).toBeLessThan(STEP_MS)
  expect(await page.locator('.line').count()).toBeLessThan(1000)
  expect(await page.evaluate<number>('document.documentElement.scrollHeight')).toBeGreaterThan(FILES * LINES * 18)
  expect(complaints).toEqual([])
})
