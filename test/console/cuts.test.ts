/** The console when its connection fails: in the end the page is equal to one that was never cut. */

import type { Page } from 'playwright-core'
import { afterAll, beforeEach, describe, expect, it } from 'vitest'
import { closeBrowser, isFull, skipWithoutBrowser, visit } from '../support/browser.ts'
import { IS_FULL } from '../support/full-counts.ts'
import { temporaryDirectory } from '../support/run-drover.ts'
import { portOf, serveDrover } from '../support/serve-drover.ts'
import { ask, startServer } from '../support/start-server.ts'
import { startStreamCutter } from '../support/stream-cutter.ts'
import { until } from '../support/until.ts'

beforeEach(skipWithoutBrowser)
afterAll(closeBrowser)

/** `npm run test:console` makes 100. */
const CUTS = isFull ? 100 : 5

const transcriptOf = (page: Page) => page.locator('.transcript').innerHTML()
const ended = (page: Page) => page.locator('[data-state=completed]').waitFor()

/** Words, code and lists, so that the text changes its form while it grows. */
const PIECES = Array.from({ length: CUTS * 10 }, (_, at) =>
  at % 20 === 0 ? `\n\n- item **${at}**\n\n\`\`\`ts\nconst a = ${at}\n` : at % 20 === 5 ? '```\n\n' : `word${at} `,
)

describe('a page whose stream is cut', { timeout: 240_000 }, () => {
  it.runIf(IS_FULL)(`has the same content as a page without a cut, after ${CUTS} cuts at random points`, async () => {
    const script = { text: PIECES, chunkMs: 20, tool: 'echo tool' }
    const server = await startServer({ env: { FAKE_AGENT_SCRIPT: JSON.stringify(script) } })
    let left = CUTS
    const cutter = await startStreamCutter(server.port, () => {
      left -= 1
      // From within the headers to some events later.
      return left >= 0 ? Math.floor(Math.random() * 2500) : undefined
    })
    const body = { backend: 'claude', prompt: 'talk', workdir: server.workdir, detach: true }
    const { body: accepted } = await server.request('/api/v1/prompt', { method: 'POST', body })
    const { execution_id: id } = accepted as { execution_id: string }
    const cut = await visit(`${cutter.url}/#/executions/${id}`, { expects: /ERR_|Failed to load/ })
    await ended(cut.page)
    const whole = await visit(`${server.url}/#/executions/${id}`)
    await ended(whole.page)
    await whole.page.getByText(`word${PIECES.length - 1}`).waitFor()
    const expected = await transcriptOf(whole.page)
    await expect.poll(() => transcriptOf(cut.page), { timeout: 120_000 }).toBe(expected)
    expect(await cut.page.locator('.transcript').innerText()).toContain(`word${PIECES.length - 1}`)
    expect(cutter.cuts()).toBeGreaterThanOrEqual(CUTS * 0.8)
    expect({ cut: cut.complaints, whole: whole.complaints }).toEqual({ cut: [], whole: [] })
  })
})

describe('a page that is opened while the network swallows everything', () => {
  it.runIf(IS_FULL)('says that the connection is cut', async () => {
    const server = await startServer({ agents: 'demo' })
    const { page } = await visit(`${server.url}/`, { expects: /./ })
    await page.clock.install()
    await page.reload()
    await page.getByText('live', { exact: true }).waitFor()
    // No answer, and no error either.
    await page.route('**/*', () => undefined)
    await page.getByRole('link', { name: 'Usage' }).click()
    await page.getByText('Loading…').waitFor()
    // The stream that is open is silent from now on, as far as the clock of the page tells.
    await page.clock.fastForward(15_100)
    await page.getByText('The connection to the server is cut.').waitFor()
  })
})

describe('a server that restarts under an open page', () => {
  it.runIf(IS_FULL)('is connected again, with the same login and the new state', async () => {
    const key = 'a-key-that-is-long-enough'
    const env = { HOME: temporaryDirectory(), DROVER_API_KEYS: key }
    const first = serveDrover(['--demo', '-p', '0'], env)
    const port = await portOf(first)
    const { page } = await visit(`http://127.0.0.1:${port}/`, { expects: /./ })
    await page.getByLabel('API key').fill(key)
    await page.getByRole('button', { name: 'Log in' }).click()
    await page
      .getByText('● live')
      .or(page.getByText('live', { exact: true }))
      .waitFor()
    first.child.kill('SIGKILL')
    await first.ended
    await page.getByText('connecting again…').waitFor()
    const second = serveDrover(['--demo', '-p', String(port)], env)
    await portOf(second)
    await page.getByText('live', { exact: true }).waitFor()
    const body = { backend: 'claude', prompt: 'after the restart' }
    await ask({ port, path: '/api/v1/prompt', method: 'POST', body, headers: { 'x-api-key': key } })
    await page.getByText('after the restart').waitFor()
  })
})

describe('a page that is hidden', () => {
  it.runIf(IS_FULL)('gives up its connection after 30 seconds, and catches up when it is visible again', async () => {
    const server = await startServer({ agents: 'demo' })
    const { page } = await visit(`${server.url}/`)
    await page.clock.install()
    await page.reload()
    await page.getByText('live', { exact: true }).waitFor()
    const open = () => server.done.filter(({ route }) => route === '/api/v1/events').length
    const hide = (isHidden: boolean) =>
      page.evaluate(`Object.defineProperty(document, 'hidden', { configurable: true, get: () => ${isHidden} })
        document.dispatchEvent(new Event('visibilitychange'))`)
    const before = open()
    await hide(true)
    await page.clock.fastForward(31_000)
    await until(() => open() > before)
    const body = { backend: 'claude', prompt: 'meanwhile', workdir: server.workdir }
    await server.request('/api/v1/prompt', { method: 'POST', body })
    await hide(false)
    await page.clock.fastForward(1000)
    await page.getByText('meanwhile').waitFor()
    await page.getByText('live', { exact: true }).waitFor()
  })
})

describe('a connection that falls silent', () => {
  it.runIf(IS_FULL)('is noticed within 15 seconds, because heartbeats are missing', async () => {
    const server = await startServer({ agents: 'demo' })
    const { page } = await visit(`${server.url}/`)
    await page.clock.install()
    await page.reload()
    await page.getByText('live', { exact: true }).waitFor()
    // The browser keeps the connection; the clock of the page runs ahead of the heartbeat.
    await page.clock.fastForward(15_100)
    await page.getByText('connecting again…').waitFor()
    await page.clock.fastForward(1000)
    await page.getByText('live', { exact: true }).waitFor()
  })
})
