/** A diff of 10,000 lines in a real browser. */
import type { Page } from 'playwright-core'
import { afterAll, beforeEach, expect, it } from 'vitest'
import { closeBrowser, skipWithoutBrowser, visit } from '../../support/browser.ts'
import { serveRuns } from '../../support/served-runs.ts'

beforeEach(skipWithoutBrowser)
afterAll(closeBrowser)

const FILES = 5
const CHANGED = 10_000
const STEPS = 60
const STEP_MS = 100

/** Scrolls by one window, and tells how long it took until it was drawn. */
const SCROLL = `new Promise((resolve) => {
  const start = performance.now()
  scrollBy(0, innerHeight)
  requestAnimationFrame(() => requestAnimationFrame(() => resolve(performance.now() - start)))
})`

/** The milliseconds for which a processor has worked for the page. Other programs make them no longer. */
async function watchWork(page: Page) {
  const devtools = await page.context().newCDPSession(page)
  await devtools.send('Performance.enable', { timeDomain: 'threadTicks' })
  return async () => {
    const { metrics } = await devtools.send('Performance.getMetrics')
    return (metrics.find(({ name }) => name === 'TaskDuration')?.value ?? Number.NaN) * 1000
  }
}

const within = (times: readonly number[], share: number) =>
  times.toSorted((a, b) => a - b)[Math.floor(times.length * share)] ?? Number.NaN

const code = (lines: number, value: string) =>
  Array.from({ length: lines }, (_, at) => `export const value${at} = '${value}' + ${at} // a comment\n`).join('')

it.each([
  ['added', undefined],
  // Each is one line that is removed, and one that is added.
  ['changed', 'before'],
])(
  '10,000 %s lines are scrolled in steps below 100 ms, and only those near the window have elements',
  async (how, before) => {
    const lines = CHANGED / FILES / (before === undefined ? 1 : 2)
    const files = Array.from({ length: FILES }, (_, at) => `src/part${at}.ts`)
    const edits = Object.fromEntries(files.map((path) => [path, code(lines, 'after')]))
    const { server, start, reaches, driving } = await serveRuns({
      implement: [{ edits: { 'wind.txt': '23 knots\n', ...edits } }],
    })
    if (before !== undefined) {
      for (const path of files) driving.repository.write(path, code(lines, before))
      driving.repository.commit()
    }
    const { id } = await start()
    await reaches(id, 'ended')
    const { page, complaints } = await visit(`${server.url}/#/runs/${id}?tab=files`)
    await page.locator('.line-added').first().waitFor()
    const worked = await watchWork(page)
    const [times, work]: [number[], number[]] = [[], []]
    for (let step = 0; step < STEPS; step += 1) {
      const from = await worked()
      times.push(await page.evaluate<number>(SCROLL))
      work.push((await worked()) - from)
    }
    const ms = (all: readonly number[]) => [0.5, 0.95].map((share) => within(all, share).toFixed(0)).join(' and ')
    process.stdout.write(`${how}: half and 95 % of the steps within ${ms(times)} ms, ${ms(work)} ms of a processor\n`)
    expect(within(work, 0.95)).toBeLessThan(STEP_MS)
    expect(await page.locator('.line').count()).toBeLessThan(1000)
    expect(await page.evaluate<number>('document.documentElement.scrollHeight')).toBeGreaterThan(FILES * lines * 18)
    expect(complaints).toEqual([])
  },
)
