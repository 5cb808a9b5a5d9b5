/** An execution with 10,000 events: the page has elements only for what is near the visible part. */
import { afterAll, beforeEach, describe, expect, it } from 'vitest'
import type { AgentEvent } from '../../../src/agents/adapter/agent.ts'
import { closeBrowser, skipWithoutBrowser, visit } from '../../support/browser.ts'
import { recordExecution } from '../../support/recorded-execution.ts'
import { startServer } from '../../support/start-server.ts'

beforeEach(skipWithoutBrowser)
afterAll(closeBrowser)

const COUNT = 10_000

const EVENTS = Array.from({ length: COUNT }, (_, at): AgentEvent => {
  const tool = { tool_id: String(at - (at % 4)), tool_name: 'Bash' }
  if (at % 4 === 0) return { type: 'tool_use', content: { ...tool, input: { command: `echo ${at}` } } }
  if (at % 4 === 1)
    return { type: 'tool_result', content: { ...tool, tool_id: String(at - 1), output: `line ${at}\n`.repeat(5) } }
  return { type: 'message', content: { text: `Step **${at}** is \`done\`.`, role: 'assistant' } }
})

/** The milliseconds until the text is painted after a change of the address, measured in the page. */
const paintedAfter = (hash: string, text: string) => `new Promise((resolve) => {
  const started = performance.now()
  const observer = new MutationObserver(() => {
    if (!document.querySelector('main').innerText.includes(${JSON.stringify(text)})) return
    observer.disconnect()
    requestAnimationFrame(() => setTimeout(() => resolve(performance.now() - started)))
  })
  observer.observe(document.body, { subtree: true, childList: true })
  location.hash = ${JSON.stringify(hash)}
})`

/** In the page: `firstEvent` becomes the milliseconds from the request of the page until events are painted. */
const REPORT_FIRST_EVENT = `window.firstEvent = new Promise((resolve) => {
  const observer = new MutationObserver(() => {
    if (!document.querySelector('main')?.innerText.includes('Step 2 is done')) return
    observer.disconnect()
    requestAnimationFrame(() => setTimeout(() => resolve(performance.now())))
  })
  observer.observe(document, { subtree: true, childList: true })
})`

describe('10,000 events', () => {
  it('are shown at once, with a bounded number of elements and a flat heap while scrolling', async () => {
    const server = await startServer()
    const id = await recordExecution(server, { events: EVENTS, prompt: 'much' })
    const { page } = await visit(`${server.url}/`)
    await page.getByRole('heading', { name: 'Recent' }).waitFor()
    const firstMs = await page.evaluate(paintedAfter(`#/executions/${id}`, 'Step 2 is done'))
    expect(firstMs).toBeLessThan(1000)
    await page.evaluate('scrollTo(0, document.documentElement.scrollHeight)')
    await page.getByText(`Step ${COUNT - 1} is done.`).waitFor()
    const devtools = await page.context().newCDPSession(page)
    const heap = async () => {
      await devtools.send('HeapProfiler.collectGarbage')
      return ((await devtools.send('Runtime.getHeapUsage')) as { usedSize: number }).usedSize
    }
    const elements = () => page.locator('main *').count()
    const scroll = async () => {
      for (let at = 0; at <= 10; at += 1) {
        await page.evaluate(`scrollTo(0, document.documentElement.scrollHeight * ${at / 10})`)
        await page.evaluate('new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))')
        expect(await elements()).toBeLessThan(6000)
      }
    }
    await scroll()
    const before = await heap()
    await scroll()
    await scroll()
    const grownMb = ((await heap()) - before) / 1024 / 1024
    expect(grownMb).toBeLessThan(4)
    process.stdout.write(`first paint after ${Math.round(Number(firstMs))} ms, heap grew by ${grownMb.toFixed(1)} MB\n`)
  })

  it('are shown soon by a browser that was never here', async () => {
    const server = await startServer()
    const id = await recordExecution(server, { events: EVENTS, prompt: 'much' })
    const { page } = await visit('about:blank')
    await page.addInitScript(REPORT_FIRST_EVENT)
    await page.goto(`${server.url}/#/executions/${id}`)
    const shownMs = Number(await page.evaluate('window.firstEvent'))
    const painted = `performance.getEntriesByName('first-contentful-paint')[0].startTime`
    const paintedMs = Number(await page.evaluate(painted))
    expect({ paintedMs: paintedMs < 1000, shownMs: shownMs < 2000 }).toEqual({ paintedMs: true, shownMs: true })
    const figures = [paintedMs, shownMs].map(Math.round)
    process.stdout.write(`cold: first paint after ${figures[0]} ms, first events after ${figures[1]} ms\n`)
  })

  it('are searched for the one that the address names', async () => {
    const server = await startServer()
    const id = await recordExecution(server, { events: EVENTS, prompt: 'much' })
    const { text } = await server.request(`/api/v1/executions/${id}/events?after=5000`)
    const [line = ''] = text.split('\n').filter((each) => each.includes('"tool_result"'))
    const { seq, content } = JSON.parse(line)
    const { page } = await visit(`${server.url}/#/executions/${id}?seq=${seq}`)
    const target = page.locator('.target')
    await target.waitFor()
    expect(await target.locator('details').innerText()).toContain(content.output.trim().split('\n')[0])
    const box = await target.boundingBox()
    expect(box?.y).toBeGreaterThan(0)
    expect(box?.y).toBeLessThan(800)
  })
})
