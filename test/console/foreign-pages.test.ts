/** What a page that another server on this machine shows can do to a server without keys, in a real browser. */
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeEach, expect, it, onTestFinished } from 'vitest'
import { closeBrowser, skipWithoutBrowser, visit } from '../support/browser.ts'
import { startServer, type TestServer } from '../support/start-server.ts'

beforeEach(skipWithoutBrowser)
afterAll(closeBrowser)

/** The development server of a project, with a page that an agent wrote. */
async function showPage(): Promise<string> {
  const preview = createServer((_request, response) => response.setHeader('content-type', 'text/html').end('<p>hi'))
  await new Promise<void>((resolve) => preview.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => void preview.close())
  return `http://localhost:${(preview.address() as AddressInfo).port}/`
}

/** Runs in the page. Returns what it could read. */
async function attack(target: string): Promise<string[]> {
  const prompt = JSON.stringify({ backend: 'claude', prompt: 'do harm', approval_mode: 'none' })
  const json = { 'content-type': 'application/json' }
  const read = async (path: string, init?: RequestInit) => {
    try {
      return await (await fetch(`${target}${path}`, init)).text()
    } catch {
      return ''
    }
  }
  return await Promise.all([
    read('/api/v1/executions'),
    read('/api/v1/executions', { mode: 'no-cors' }),
    read('/api/v1/events', { headers: { accept: 'text/event-stream' } }),
    read('/api/v1/prompt', { method: 'POST', body: prompt, headers: json }),
    read('/api/v1/prompt', { method: 'POST', body: prompt, mode: 'no-cors' }),
    read('/api/v1/prompt', { method: 'POST', body: prompt, headers: { ...json, 'x-api-key': 'any' } }),
  ])
}

const count = async (server: TestServer) =>
  (await server.context.drover.opened.executions.list({}, { limit: 9 })).executions.length

it('reads nothing and starts no agent', async () => {
  const server = await startServer({ agents: 'demo' })
  const body = { backend: 'claude', prompt: 'a secret of the user' }
  expect((await server.request('/api/v1/prompt', { method: 'POST', body })).status).toBe(200)
  const { page } = await visit(await showPage(), { expects: /CORS|403|ERR_FAILED/ })
  const got = [
    ...(await page.evaluate(attack, server.url)),
    ...(await page.evaluate(attack, server.url.replace('127.0.0.1', 'localhost'))),
  ]
  expect(got.join('')).toBe('')
  await server.context.drover.records.save()
  expect(await count(server)).toBe(1)
})

it.each(['localhost', '[::1]'])('leaves the console at %s as it is', async (name) => {
  const server = await startServer({ agents: 'demo', ...(name === '[::1]' && { host: '::1' }) })
  const { page, complaints } = await visit(`http://${name}:${server.port}/`)
  await page.getByLabel('What should be done?').waitFor()
  await page.getByText('live', { exact: true }).waitFor()
  const status = await page.evaluate(async () => {
    const body = JSON.stringify({ backend: 'claude', prompt: 'hi', dry_run: true })
    return (await fetch('/api/v1/prompt', { method: 'POST', body, headers: { 'content-type': 'application/json' } }))
      .status
  })
  expect([status, complaints]).toEqual([200, []])
})
