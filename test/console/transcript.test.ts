/** What an agent said and did, in a real browser. */
import { afterAll, beforeEach, expect, it } from 'vitest'
import type { AgentEvent } from '../../src/agents/adapter/agent.ts'
import { closeBrowser, isFull, skipWithoutBrowser, visit } from '../support/browser.ts'
import { IS_FULL } from '../support/full-counts.ts'
import { recordExecution } from '../support/recorded-execution.ts'
import { startServer } from '../support/start-server.ts'
import { until } from '../support/until.ts'

beforeEach(skipWithoutBrowser)
afterAll(closeBrowser)

const COUNT = isFull ? 10_000 : 1000

it.runIf(IS_FULL)(
  'moves to the event that the address names, and to another one when the address changes',
  async () => {
    const server = await startServer()
    const events = Array.from({ length: COUNT }, (_, at): AgentEvent => {
      const tool = { tool_id: String(at - (at % 2)), tool_name: 'Bash' }
      return at % 2 === 0
        ? { type: 'tool_use', content: { ...tool, input: { command: `echo ${at}` } } }
        : { type: 'tool_result', content: { ...tool, output: `printed ${at}` } }
    })
    const id = await recordExecution(server, { events, prompt: 'much' })
    const { text } = await server.request(`/api/v1/executions/${id}/events`)
    const seqOf = (output: string) => JSON.parse(text.split('\n').find((line) => line.includes(output)) ?? '{}').seq
    const { page, complaints } = await visit(`${server.url}/`)
    // The second is far from the first, the third between both.
    for (const at of [COUNT - 201, 101, COUNT / 2 + 1]) {
      await page.evaluate(`location.hash = '#/executions/${id}?seq=${seqOf(`"printed ${at}"`)}'`)
      const target = page.locator('.target', { hasText: `echo ${at - 1}` })
      await target.waitFor()
      expect(await page.locator('.target').count()).toBe(1)
      await expect.poll(async () => isInWindow(await target.boundingBox())).toBe(true)
      expect(await target.locator('details').innerText()).toContain(`printed ${at}`)
    }
    expect(complaints).toEqual([])
  },
)

const isInWindow = (box: { y: number } | null) => box !== null && box.y > 0 && box.y < 800

it('shows what the agent is told while it works, and sends it', async () => {
  const server = await startServer({ agents: 'warm', config: { warm: { enabled: true } } })
  const order = { backend: 'claude', prompt: '{"listen":"now"}', approval_mode: 'always', detach: true }
  const { body } = await server.request('/api/v1/prompt', {
    method: 'POST',
    body: { ...order, workdir: server.workdir },
  })
  const { execution_id: id } = body as { execution_id: string }
  const { page, complaints } = await visit(`${server.url}/#/executions/${id}`)
  const box = page.getByLabel('Message to the agent')
  const send = page.getByRole('button', { name: 'Send' })
  expect(await send.isDisabled()).toBe(true)
  await box.fill('Use **knots**.')
  await send.click()
  await page.getByText('The agent has the message.').waitFor()
  await page.locator('.transcript .prompt', { hasText: 'Use **knots**.' }).getByText('a client without a key').waitFor()
  await until(async () => (await box.count()) === 0)
  expect(complaints).toEqual([])
})
