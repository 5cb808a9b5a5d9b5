/** Driven runs in the console, in a real browser. */
import { rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Page } from 'playwright-core'
import { afterAll, beforeEach, describe, expect, it } from 'vitest'
import { digestScope } from '../../src/contract/destructive.ts'
import { findDriven, saveDriven } from '../../src/drive/record/driven-records.ts'
import { BROWSERS, closeBrowser, isFull, skipWithoutBrowser, visit } from '../support/browser.ts'
import { copyRun } from '../support/copied-runs.ts'
import { HONEST } from '../support/driven-home.ts'
import { hasForge, startForge } from '../support/forge/fake-forge.ts'
import { IS_FULL } from '../support/full-counts.ts'
import { temporaryDirectory } from '../support/run-drover.ts'
import { GOAL, serveRuns } from '../support/served-runs.ts'
import { until } from '../support/until.ts'

beforeEach(skipWithoutBrowser)
afterAll(closeBrowser)

const reaches = (page: Page, state: string) => page.locator(`[data-run-state=${state}]`).waitFor()
const openTab = (page: Page, name: string) =>
  page.getByRole('navigation', { name: 'Parts of the run' }).getByRole('link', { name }).click()
const PATIENT = { timeout: 20_000 }
const asking = (pause: object) => ({ outcome: { status: 'needs_input', pause, suggested_actions: [] } })

const QUESTION = asking({
  reason: 'decision_required',
  question: 'Knots <img src=x onerror="window.hacked = 1"> or km/h?',
  destructive_request: null,
})

const lost = {
  request_id: '1d2c3b4a-5e6f-4a7b-8c9d-0e1f2a3b4c5d',
  targets: [{ kind: 'path', value: 'sun.js' }],
  impact: 'The file is lost.',
}
const REQUEST = { ...lost, scope_sha256: digestScope(lost) }
const DESTROYS = {
  outcome: {
    ...asking({
      reason: 'destructive_confirmation_required',
      question: 'Delete it?',
      destructive_request: REQUEST,
    }).outcome,
    implementation: null,
  },
}

async function printsOnlyFacts(page: Page) {
  await page.emulateMedia({ media: 'print' })
  for (const pressed of ['.top', '.tabs', '.run-action']) expect(await page.locator(pressed).isVisible()).toBe(false)
  for (const said of ['.run-head h1', '.strip', '.report']) expect(await page.locator(said).isVisible()).toBe(true)
  await page.emulateMedia({ media: null })
}

describe('a change', { timeout: 180_000 }, () => {
  it.each(BROWSERS)(
    'in %s is started, asks a question, continues to a branch with evidence, and is merged',
    async (browser) => {
      const config = { mcp_servers: [{ name: 'docs', command: 'docs-server' }] }
      const { server, driving } = await serveRuns({ orient: [QUESTION, {}] }, { config })
      driving.repository.write('.drover.yml', 'checks: ["true"]\n')
      const { page, complaints, strangers } = await visit(`${server.url}/#/new`, { browser })
      await page.getByRole('link', { name: 'Change in a repository' }).click()
      await page.getByText('.drover.yml is not used, because you have not trusted it.').waitFor()
      expect(await page.getByLabel('sh check.sh').isChecked()).toBe(true)
      rmSync(join(driving.repository.root, '.drover.yml'))
      await page.getByLabel('Goal').fill(GOAL)
      await page.getByLabel('Review by').selectOption('none')
      await page.getByRole('button', { name: 'Start' }).click()
      await reaches(page, 'waiting')
      await page.keyboard.press('h')
      const card = page.locator('.needs', { hasText: 'asks a question' })
      await card.getByText('Knots <img src=x').waitFor()
      expect(await card.innerText()).toMatch(/^[0-9a-f]{8} in .+, drover\/show-the-wind-in-knots-.+$/m)
      await expect.poll(() => page.title()).toBe('(1) drover')
      await card.getByLabel('Answer').fill('Knots.')
      await card.getByRole('button', { name: 'Answer' }).click()
      await page.getByText('Answered. The run continues.').waitFor()
      await page.keyboard.press('r')
      await page.locator('[data-row]', { hasText: GOAL }).click()
      await reaches(page, 'ended')
      // What worked while one looked stays unfolded. A new visitor finds it folded.
      await page.reload()
      await reaches(page, 'ended')
      const timeline = page.locator('.timeline')
      for (const text of ['Question', 'Knots.', 'sh check.sh', 'every check passes there', 'Delivered'])
        await timeline.getByText(text).first().waitFor()
      await timeline.getByText('Implement', { exact: true }).click()
      await timeline.locator('.tool', { hasText: 'wind.txt' }).waitFor()
      expect(await timeline.innerText()).not.toContain('drover-outcome')
      await timeline.getByRole('link', { name: 'Open as a page' }).first().click()
      await page.locator('[data-state=completed]').waitFor()
      await page.getByRole('link', { name: 'Run', exact: true }).click()
      await reaches(page, 'ended')
      await openTab(page, 'Evidence')
      expect(await page.locator('.verdict-observed').innerText()).toBe('observed')
      await page.locator('.proof .line-added', { hasText: 'wind: 23 knots' }).waitFor()
      await openTab(page, 'Report')
      if (browser === 'Chromium') await printsOnlyFacts(page)
      expect(await page.locator('.markdown').first().innerText()).toContain(GOAL)
      expect(await page.locator('.settings').innerText()).toMatch(/MCP servers\s+docs/)
      await openTab(page, 'Files')
      expect(page.url()).toContain('?tab=files')
      await page.locator('.line-added', { hasText: 'wind: 23 knots' }).waitFor()
      expect(await page.locator('.word-added').allInnerTexts()).toEqual(['23', 'knots'])
      await page.setViewportSize({ width: 360, height: 780 })
      expect((await page.locator('.tabs').boundingBox())?.y).toBeLessThanOrEqual(276)
      await page.setViewportSize({ width: 1100, height: 800 })
      const other = await visit(page.url(), { browser })
      await reaches(other.page, 'ended')
      await page.getByRole('button', { name: 'Merge into main', exact: true }).click()
      await reaches(page, 'merged')
      await reaches(other.page, 'merged')
      expect(driving.repository.git('show', 'main:wind.txt')).toBe('wind: 23 knots\n')
      await openTab(page, 'Activity')
      await timeline.getByText(/^merged into main as [0-9a-f]+$/).waitFor()
      // As after the days for which executions are kept.
      await other.page.route('**/executions/**', (route) => route.fulfill({ status: 404, json: {} }))
      await openTab(other.page, 'Activity')
      await other.page.locator('.timeline').getByText('Implement', { exact: true }).click()
      await other.page.getByText('Its steps are not stored').waitFor()
      await page.goto(`${server.url}/#/usage?by=repository&measure=tokens`)
      await page.locator('.legend', { hasText: 'weather' }).waitFor()
      await page.getByRole('row', { name: /^weather 1 / }).waitFor()
      const kinds = driving.calls().flatMap(({ kind }) => (kind === '' ? [] : [kind]))
      expect(kinds).toEqual(['orient', 'orient', 'implement', 'summarize'])
      expect(await page.evaluate('window.hacked')).toBeUndefined()
      expect({ complaints, strangers }).toEqual({ complaints: [], strangers: [] })
    },
  )

  it.runIf(isFull)(
    'shows the whole of what it would destroy, and is permitted by the digest that is shown',
    async () => {
      const { server, start } = await serveRuns({ implement: [DESTROYS, HONEST] })
      const { id } = await start()
      const [one, other] = [
        await visit(`${server.url}/#/runs/${id}`),
        await visit(`${server.url}/#/runs/${id}`, { expects: /409/ }),
      ]
      for (const { page } of [one, other]) {
        await reaches(page, 'waiting')
        for (const text of ['The file is lost.', 'path: sun.js', REQUEST.scope_sha256])
          await page.getByText(text).waitFor()
      }
      const permit = (page: Page) => page.getByRole('button', { name: 'Permit exactly this, once' })
      // The second browser does not hear of the decision in time.
      await other.page.route('**/confirm', async (route) => {
        await permit(one.page).click()
        await reaches(one.page, 'ended')
        await route.continue()
      })
      await permit(other.page).click()
      await other.page.locator('.notice.problem').getByRole('button', { name: 'Close' }).click()
      expect(await other.page.locator('.notice').count()).toBe(0)
      expect(one.complaints).toEqual([])
    },
  )

  it.each(isFull ? BROWSERS : [])(
    'in %s gets comments on lines as numbered requirements of one further round',
    async (browser) => {
      const lines = Array.from({ length: isFull ? 10 : 2 }, (_, at) => `line ${at}\n`).join('')
      const answers = Array.from(
        { length: 10 },
        (_, at) => `${at + 1}: ${at === 1 ? 'not changed: it is right' : 'in wind.txt'}`,
      )
      const again = { edits: { 'wind.txt': `${lines}wind: 24 knots\n` }, outcome: { observations: answers } }
      const {
        server,
        start,
        reaches: gets,
        driving,
      } = await serveRuns({
        implement: [{ edits: { 'wind.txt': `${lines}wind: 23 knots\n` } }, again],
      })
      const { id } = await start()
      await gets(id, 'ended')
      const { page, complaints } = await visit(`${server.url}/#/runs/${id}?tab=files`, { browser })
      await page.locator('.line-added').first().waitFor()
      for (const key of ['j', 'c', 'Enter']) await page.keyboard.press(key)
      await page.getByLabel('Comment on line 1', { exact: true }).fill('Say <b>why</b>.')
      await page.keyboard.press('Control+Enter')
      await page.getByText('Say <b>why</b>.').waitFor()
      for (let line = 2; line <= (isFull ? 10 : 2); line += 1) {
        await page
          .getByRole('button', { name: `Comment on line ${line} of wind.txt` })
          .last()
          .click()
        await page.getByLabel(`Comment on line ${line}`, { exact: true }).fill(`Number ${line}`)
        await page.getByRole('button', { name: 'Add comment' }).click()
      }
      await page.getByRole('button', { name: 'Send as one follow-up' }).click()
      await page.waitForURL((url) => !url.hash.includes(id))
      await reaches(page, 'ended')
      await openTab(page, 'Evidence')
      const asked = page.locator('section', { hasText: 'Asked for' }).locator('.claim')
      await expect.poll(() => asked.count()).toBe(isFull ? 10 : 2)
      expect(await asked.first().innerText()).toMatch(/^not done\s+2\. wind\.txt:2: Number 2\s+it is right$/)
      expect(await asked.nth(1).innerText()).toMatch(/^observed\s+1\. wind\.txt:1: Say <b>why<\/b>\./)
      expect(driving.calls().some(({ prompt }) => prompt.includes('wind.txt:1: Say <b>why</b>.'))).toBe(true)
      expect(complaints).toEqual([])
    },
  )

  it.runIf(IS_FULL)('is merged at the second click if it is to be looked at first', async () => {
    const {
      server,
      start,
      reaches: gets,
      driving,
    } = await serveRuns({
      implement: [{ ...HONEST, edits: { ...HONEST.edits, 'CLAUDE.md': 'Be quick.\n' } }],
    })
    const { id } = await start()
    await gets(id, 'ended')
    const { page } = await visit(`${server.url}/#/runs/${id}`)
    await page.getByTitle(/^looks around in the repository/).waitFor()
    await page.getByRole('button', { name: 'Merge into main…', exact: true }).click()
    const again = page.getByRole('button', { name: 'I have looked: merge' })
    await again.waitFor()
    expect(driving.repository.git('log', '--oneline', 'main').trim().split('\n')).toHaveLength(1)
    await again.click()
    await reaches(page, 'merged')
  })

  it.runIf(isFull)('is discarded after a question, brought back, and taken into the checkout of the user', async () => {
    const { server, start, reaches: gets, driving } = await serveRuns()
    const { id, branch = '' } = await start()
    await gets(id, 'ended')
    const permissions = ['clipboard-read', 'clipboard-write']
    const { page, complaints } = await visit(`${server.url}/#/runs/${id}`, { permissions })
    await page.getByRole('button', { name: branch }).click()
    await page.getByText('Copied').waitFor()
    expect(await page.evaluate('navigator.clipboard.readText()')).toBe(`git switch ${branch}`)
    const more = page.locator('.run-head').getByRole('button', { name: 'More' })
    const [discard, branches] = [page.getByRole('button', { name: 'Discard…' }), () => driving.repository.git('branch')]
    await more.click()
    await discard.click()
    expect(branches()).toContain(branch)
    await page.keyboard.press('Escape')
    expect(await discard.count()).toBe(0)
    await more.click()
    await page.getByRole('button', { name: 'Discard the work' }).click()
    await reaches(page, 'discarded')
    expect(branches()).not.toContain(branch)
    await page.getByRole('button', { name: 'Undo discard' }).click()
    await reaches(page, 'ended')
    expect(branches()).toContain(branch)
    await more.click()
    await page.getByRole('button', { name: 'Take it' }).click()
    await page.getByText('Your checkout is on the branch.').waitFor()
    expect(driving.repository.git('branch', '--show-current').trim()).toBe(branch)
    expect(complaints).toEqual([])
  })

  it.runIf(isFull && hasForge)('gets a pull request, which is a link from then on', async () => {
    const forge = await startForge()
    // The scripted agents and gh are on PATH.
    const { PATH: _, ...env } = forge.env
    const { server, start, reaches: gets, driving } = await serveRuns({}, { drive: { deliver: 'pr' }, env })
    driving.repository.git('remote', 'add', 'origin', forge.address)
    driving.repository.git('push', '--quiet', forge.bare, 'main')
    const { id } = await start({ deliver: 'branch' })
    await gets(id, 'ended')
    const { page } = await visit(`${server.url}/#/runs/${id}`)
    await page.locator('.run-head').getByRole('button', { name: 'More' }).click()
    await page.getByRole('button', { name: 'Open pull request' }).click()
    await page.getByRole('link', { name: 'Pull request #1' }).waitFor()
    expect([...forge.items.keys()]).toEqual([1])
    expect(await page.locator('.run-head .primary').innerText()).toBe('Change this')
  })

  it.runIf(IS_FULL)('keeps the place of the reader when an attempt ends and the next one starts', async () => {
    const tells = Array.from({ length: 60 }, (_, at) => `Line ${at} of what I see.`)
    const isRead = join(temporaryDirectory(), 'is-read')
    const { server, start, change, driving } = await serveRuns({
      orient: [{ tells, runs: [`until test -e '${isRead}'; do sleep 0.05; done`] }],
      implement: [{ hangs: true }],
    })
    const { id } = await start()
    const { page, complaints } = await visit(`${server.url}/#/runs/${id}`)
    await page.getByText('Line 59 of what I see.').waitFor({ state: 'attached' })
    const line = page.getByText('Line 40 of what I see.')
    await line.scrollIntoViewIfNeeded()
    const topOf = () => line.evaluate((element) => Math.round(element.getBoundingClientRect().top))
    const heightOf = () => page.evaluate<number>('document.documentElement.scrollHeight')
    const [top, height] = [await topOf(), await heightOf()]
    writeFileSync(isRead, '')
    const next = page.locator('.node', { hasText: 'Implement' })
    await next.waitFor({ state: 'attached' })
    await until(() => driving.calls().some(({ kind }) => kind === 'implement'))
    expect(await topOf()).toBe(top)
    // What follows is added below.
    expect(await heightOf()).toBeGreaterThanOrEqual(height)
    // Two buttons stop different things, and say so.
    await page.getByRole('button', { name: 'Stop the run' }).waitFor()
    // What the agent changes after this is not known.
    await openTab(page, 'Files')
    await page.getByText('No file was changed when this was read.').waitFor()
    expect(await page.locator('.tabs .count').count()).toBe(0)
    await openTab(page, 'Activity')
    await next.getByRole('link', { name: 'Open as a page' }).click()
    await page.getByRole('button', { name: 'Cancel this attempt' }).waitFor()
    expect(await page.getByRole('button', { name: 'Stop' }).count()).toBe(0)
    await change(id, 'stop')
    expect(complaints).toEqual([])
  })

  it.runIf(isFull)('is stopped, resumed with a higher limit, and skips an action', async () => {
    const { server, start, driving } = await serveRuns({ orient: [{ hangs: true }, { hangs: true }, {}] })
    const { id } = await start()
    await until(() => driving.calls().length > 0)
    const { page } = await visit(`${server.url}/#/runs/${id}`)
    await page.getByRole('button', { name: 'Stop' }).click()
    await reaches(page, 'stopped')
    await page.getByLabel('more actions').fill('9')
    await page.locator('.needs').getByRole('button', { name: 'Resume' }).click()
    await until(() => driving.calls().length > 1)
    await page.locator('.run-head').getByRole('button', { name: 'More' }).click()
    await page.getByRole('button', { name: 'Skip this action' }).click()
    await reaches(page, 'ended')
  })
})

it.runIf(IS_FULL)(
  'a run that is older than the loaded ones is found by the search, by Ctrl-K and by Show older',
  async () => {
    const { server, start, reaches, change } = await serveRuns({ orient: [QUESTION] })
    const stopped = async (goal: string) => {
      const { id } = await start({ goal })
      await reaches(id, 'waiting')
      await change(id, 'stop')
      await reaches(id, 'stopped')
      return id
    }
    const old = await stopped('An old goal\n\nIt has the word anemometer.')
    const [copy = ''] = copyRun(server, await stopped('A newer goal'), 50)
    const records = join(server.home, 'driven-runs')
    for (const id of [old, copy]) {
      const record = findDriven(records, id)
      if (record !== undefined) saveDriven(records, { ...record, api_key: 'ci' })
    }
    const { page, complaints } = await visit(`${server.url}/#/runs`)
    const rows = page.locator('[data-row]')
    const oldRow = page.locator('[data-row]', { hasText: 'An old goal' })
    await expect.poll(() => rows.count(), PATIENT).toBe(50)
    expect(await oldRow.count()).toBe(0)
    await page.getByLabel('Search in goals').fill('ANEMOMETER')
    await oldRow.waitFor()
    expect(await rows.count()).toBe(1)
    await page.getByLabel('Search in goals').fill('barometer')
    await page.getByText('No run matches.').waitFor()
    await page.getByLabel('Search in goals').fill('')
    await page.getByLabel('API key').selectOption('ci')
    await expect.poll(() => rows.filter({ hasText: 'of ci' }).count()).toBe(2)
    expect(await rows.count()).toBe(2)
    await page.getByLabel('API key').selectOption('')
    await page.getByRole('button', { name: 'Show older' }).click()
    await oldRow.waitFor()
    await page.reload()
    await expect.poll(() => rows.count(), PATIENT).toBe(50)
    await page.keyboard.press('Control+k')
    await page.getByRole('combobox', { name: /^Find/ }).fill('anemometer')
    await page.getByRole('option', { name: /^An old goal weather/ }).click()
    await expect.poll(() => page.url()).toContain(`#/runs/${old}`)
    await page.locator('.run-facts').getByText('of ci', { exact: true }).waitFor()
    expect(complaints).toEqual([])
  },
)
