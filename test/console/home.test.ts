/** The first page: what one can start, what waits, and what has ended. */
import { afterAll, beforeEach, expect, it } from 'vitest'
import { closeBrowser, isFull, skipWithoutBrowser, visit } from '../support/browser.ts'
import { recordExecution } from '../support/recorded-execution.ts'
import { GOAL, serveRuns } from '../support/served-runs.ts'
import { startServer } from '../support/start-server.ts'

beforeEach(skipWithoutBrowser)
afterAll(closeBrowser)

it('a first visit has three things to try, and one of them starts an agent with a model', async () => {
  const server = await startServer({ agents: 'demo' })
  const { page, complaints } = await visit(`${server.url}/`)
  const first = page.getByRole('region', { name: 'Three things to try' })
  await first.getByText('Compare agents').click()
  await page.getByRole('button', { name: /^Compare \d/ }).waitFor()
  await first.getByText('Ask one agent').click()
  await page.getByRole('group', { name: 'Agents' }).getByRole('button', { name: 'codex' }).click()
  await page.getByLabel('Model').fill('small-1')
  await page.getByRole('button', { name: 'Start', exact: true }).click()
  await page.locator('[data-state=completed]').waitFor()
  const { body } = await server.request('/api/v1/executions')
  expect(body).toMatchObject({ executions: [{ backend: 'codex', model: 'small-1', kind: 'prompt' }] })
  await page.keyboard.press('h')
  const row = page.getByRole('region', { name: 'Recent' }).locator('.row')
  expect(await row.innerText()).toContain('Explain what this project does')
  expect((await row.boundingBox())?.height).toBeLessThan(30)
  expect(await first.count()).toBe(0)
  expect(complaints).toEqual([])
})

it.runIf(isFull)('a change is started in a repository, and what waits is chosen in a list', async () => {
  const question = { reason: 'decision_required', question: 'Knots or km/h?', destructive_request: null }
  const asks = { outcome: { status: 'needs_input', pause: question, suggested_actions: [] } }
  const { server, start, reaches } = await serveRuns({ orient: [asks] })
  const { id } = await start({ goal: 'Show the rain' })
  await reaches(id, 'waiting')
  const { page } = await visit(`${server.url}/`)
  await page.getByRole('button', { name: 'Change', exact: true }).click()
  await page.getByLabel('What should be done?').fill(GOAL)
  await page.getByRole('button', { name: 'Start change' }).click()
  await page.locator('[data-run-state=waiting]').waitFor()
  await page.keyboard.press('h')
  const [rows, detail] = [page.locator('.needs-list [data-row]'), page.getByRole('article')]
  await rows.nth(1).waitFor()
  await page.keyboard.press('j')
  await page.getByRole('article', { name: 'Show the rain' }).waitFor()
  await page.keyboard.press('j')
  await page.getByRole('article', { name: GOAL }).waitFor()
  await detail.getByLabel('Answer').fill('Knots.')
  await page.keyboard.press('Enter')
  await page.getByText('Answered. The run continues.').waitFor()
})

it.runIf(isFull)('what ended before is read in pages', async () => {
  const server = await startServer({ agents: 'demo' })
  for (let at = 0; at < 120; at += 1) await recordExecution(server, { prompt: `prompt ${at}`, events: [] })
  const { page } = await visit(`${server.url}/`)
  const [rows, more] = [page.locator('.row'), page.getByRole('button', { name: 'Show older' })]
  for (const count of [50, 100]) {
    await rows.nth(count - 1).waitFor()
    expect(await rows.count()).toBe(count)
    await more.click()
  }
  await rows.nth(119).waitFor()
  await more.waitFor({ state: 'detached' })
})
