/** The first page: what one can start, what waits, and what has ended. */
import { readFileSync } from 'node:fs'
import { afterAll, beforeEach, expect, it } from 'vitest'
import { closeBrowser, isFull, skipWithoutBrowser, visit } from '../support/browser.ts'
import { copyRun } from '../support/copied-runs.ts'
import { IS_FULL } from '../support/full-counts.ts'
import { recordExecution } from '../support/recorded-execution.ts'
import { GOAL, serveRuns } from '../support/served-runs.ts'
import { startServer } from '../support/start-server.ts'

beforeEach(skipWithoutBrowser)
afterAll(closeBrowser)

const QUESTION = { reason: 'decision_required', question: 'Knots or km/h?', destructive_request: null }
const ASKS = { outcome: { status: 'needs_input', pause: QUESTION, suggested_actions: [] } }
/** Many runs are read. */
const PATIENT = { timeout: 30_000 }

it.runIf(IS_FULL)('a first visit has three things to try, and one of them starts an agent with a model', async () => {
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
  await page.goto(`${server.url}/#/new`)
  await page.getByRole('checkbox', { name: 'claude (demo)', exact: true }).check()
  expect(await page.getByText('This server may not change any repository.').count()).toBe(0)
  await page.getByRole('checkbox', { name: 'codex (demo)', exact: true }).check()
  await page.getByText('This server may not change any repository.').waitFor()
  expect(await page.getByLabel(/^Each changes files/).isDisabled()).toBe(true)
  expect(complaints).toEqual([])
})

it.runIf(IS_FULL)(
  'a change without a repository says what to do, and its text and agent go along to the next form',
  async () => {
    const server = await startServer({ agents: 'demo' })
    const { page, complaints } = await visit(`${server.url}/`)
    await page.getByRole('button', { name: 'Have something changed' }).click()
    await page.getByText('drover config set drive.repositories /path/to/repository').waitFor()
    expect(await page.getByRole('button', { name: 'Start change' }).isDisabled()).toBe(true)
    await page.getByLabel('What should be done?').fill('Add a license')
    await page.getByRole('group', { name: 'Agents' }).getByRole('button', { name: 'codex' }).click()
    await page.getByRole('link', { name: 'All options' }).click()
    await expect.poll(() => page.getByLabel('Goal').inputValue()).toBe('Add a license')
    expect(await page.getByLabel(/^Agent/).inputValue()).toBe('codex')
    await page.getByRole('link', { name: 'Prompt', exact: true }).click()
    await expect.poll(() => page.getByLabel('Prompt', { exact: true }).inputValue()).toBe('Add a license')
    expect(await page.getByRole('checkbox', { name: 'codex (demo)', exact: true }).isChecked()).toBe(true)
    expect(complaints).toEqual([])
  },
)

it.runIf(isFull)('a change is started in a repository, and what waits is chosen in a list', async () => {
  const { server, start, reaches } = await serveRuns({ orient: [ASKS] })
  const { id } = await start({ goal: 'Show the rain' })
  await reaches(id, 'waiting')
  const { page } = await visit(`${server.url}/`)
  await page.getByRole('button', { name: 'Change', exact: true }).click()
  await page.getByText('Commands that must pass: sh check.sh').waitFor()
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

it.runIf(IS_FULL)(
  'every run that waits is under Needs you, and what has ended stays bounded while the page is open',
  async () => {
    const waiting = isFull ? 300 : 51
    const { server, start, reaches, change } = await serveRuns({ orient: [ASKS] })
    const { id } = await start()
    await reaches(id, 'waiting')
    copyRun(server, id, waiting - 1)
    const { page, complaints } = await visit('about:blank')
    const encodings: unknown[] = []
    page.on('response', (response) => {
      if (response.url().includes('/runs?state=queued')) encodings.push(response.headers()['content-encoding'])
    })
    await page.goto(`${server.url}/`)
    await expect.poll(() => page.title(), PATIENT).toBe(`(${waiting}) drover`)
    expect(encodings).toEqual(['gzip'])
    const rows = page.locator('.needs-list [data-row]')
    expect(await rows.count()).toBe(waiting)
    await rows.last().focus()
    await page.getByRole('article').getByRole('button', { name: 'Answer' }).waitFor()
    await change(id, 'stop')
    await expect.poll(() => page.title(), PATIENT).toBe(`(${waiting - 1}) drover`)
    const recent = page.getByRole('region', { name: 'Recent' })
    for (let at = 1; at <= 51; at += 1) await recordExecution(server, { prompt: `prompt ${at}`, events: [] })
    await recent.getByText('prompt 51').waitFor()
    // The run that was stopped is one of the latest runs; executions have a separate limit.
    expect(await recent.locator('[data-row]').count()).toBe(51)
    expect(await recent.locator('.chip', { hasText: /^stopped$/ }).count()).toBe(1)
    // The same words on every page.
    await page.goto(`${server.url}/#/runs`)
    const words = async () => new Set(await page.locator('.chip').allInnerTexts())
    await expect.poll(words).toEqual(new Set(['needs you', 'stopped']))
    // There are older prompts, but no older runs.
    expect(await page.getByText('Show older').count()).toBe(0)
    await page.goto(`${server.url}/#/runs/${id}`)
    await page.locator('.run-head .chip', { hasText: /^stopped$/ }).waitFor()
    expect(complaints).toEqual([])
  },
)

it.runIf(IS_FULL)(
  'a dry run is marked, and not counted; tasks are titled by their prompts and lead to them',
  async () => {
    const server = await startServer({ agents: 'demo' })
    const body = { backend: 'claude', prompt: 'only look', dry_run: true }
    expect((await server.request('/api/v1/prompt', { method: 'POST', body })).status).toBe(200)
    await server.context.drover.records.save()
    const { page, complaints } = await visit(`${server.url}/`, { expects: /404/ })
    const row = page.getByRole('region', { name: 'Recent' }).locator('.row', { hasText: 'only look' })
    await row.getByText('dry run', { exact: true }).waitFor()
    await row.getByRole('link').click()
    await page.getByText('claude (demo) (dry run)').waitFor()
    await page.goto(`${server.url}/#/usage?measure=tokens`)
    await page.getByText('Nothing was used in this period.').first().waitFor()
    await page.goto(`${server.url}/#/usage?days=7&by=key`)
    const [download] = await Promise.all([page.waitForEvent('download'), page.getByText('Download CSV').click()])
    expect(download.suggestedFilename()).toMatch(/^usage-by-key-since-.+\.csv$/)
    expect(readFileSync(await download.path(), 'utf8')).toMatch(/^day,key,backend,executions,/)
    const both = { prompt: 'look twice', backends: ['claude', 'codex'], dry_run: true }
    await server.request('/api/v1/compare', { method: 'POST', body: both })
    const tasks = ['count', 'sort'].map((prompt) => ({ backend: 'codex', prompt }))
    await server.request('/api/v1/parallel', { method: 'POST', body: { tasks } })
    await server.context.drover.records.save()
    await page.goto(`${server.url}/`)
    const compared = page.locator('.row', { hasText: 'look twice' })
    expect(await compared.innerText()).toMatch(/^done\s+compare\s+dry run\s+look twice/)
    // Both may begin in the same millisecond.
    const title = /count · sort|sort · count/
    await page.locator('.row', { hasText: title }).getByRole('link').click()
    await page.getByRole('heading', { name: title }).waitFor()
    await page.locator('.row', { hasText: 'sort' }).getByRole('link').click()
    await page.getByRole('link', { name: 'Batch' }).click()
    await page.getByRole('heading', { name: title }).waitFor()
    await page.goto(`${server.url}/#/compare/${page.url().split('/').at(-1)}`)
    await page.getByRole('heading', { name: title }).waitFor()
    expect(complaints).toEqual([])
  },
)

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
