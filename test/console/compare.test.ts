/** Comparisons in a real browser. */
import { join } from 'node:path'
import { afterAll, beforeEach, expect, it } from 'vitest'
import { closeBrowser, skipWithoutBrowser, visit } from '../support/browser.ts'
import { IS_FULL } from '../support/full-counts.ts'
import { startServer } from '../support/start-server.ts'
import { createRepository } from '../support/temporary-repository.ts'

beforeEach(skipWithoutBrowser)
afterAll(closeBrowser)

it.runIf(IS_FULL)(
  'is started in worktrees, shows checks and changes, keeps the work of one, and is found again',
  async () => {
    const repository = createRepository()
    repository.write('a', 'one\n')
    repository.commit()
    const server = await startServer({
      agents: 'demo',
      // The demo agent needs no program, but git is one.
      envIn: (workdir) => ({ PATH: `${join(workdir, '..', 'bin')}:/usr/bin:/bin` }),
      config: { drive: { repositories: [repository.root], checks: ['git diff --check'], sandbox: 'off' } },
    })
    const permissions = ['clipboard-read', 'clipboard-write']
    const { page, complaints } = await visit(`${server.url}/`, { permissions })
    await page.getByLabel('What should be done?').fill('Show the wind in knots')
    await page.getByRole('button', { name: 'Compare', exact: true }).click()
    await page.getByText(/^Directory: \//).waitFor()
    await page.getByRole('link', { name: 'All options' }).click()
    await page.getByRole('heading', { name: 'New comparison' }).waitFor()
    expect(await page.getByLabel('Prompt', { exact: true }).inputValue()).toBe('Show the wind in knots')
    await page.getByLabel('gemini (demo)', { exact: true }).uncheck()
    await page.getByLabel(/^Each changes files/).check()
    const directory = page.getByRole('combobox', { name: 'Directory' })
    await expect.poll(() => directory.getAttribute('placeholder')).toBe(repository.root)
    await directory.fill(repository.root)
    await page.getByRole('button', { name: 'Compare 2 agents' }).click()
    await page.getByRole('button', { name: 'Keep codex' }).click()
    const row = page.getByRole('row', { name: /^codex/ })
    expect(await row.innerText()).toMatch(/git diff --check[\s\S]*1 file \+\d+ −0/)
    await page.locator('.compared-files .number:has(+ .line-added)', { hasText: /^1$/ }).waitFor()
    await row.getByRole('button', { name: 'Keep codex' }).click()
    await page.getByText('The work of codex was kept as drover/').waitFor()
    const copied = async (text: string) => {
      const command = page.locator('p:has(> code)', { hasText: text })
      await command.getByRole('button', { name: 'Copy' }).click()
      await page.getByText('Copied.').waitFor()
      return await page.evaluate('navigator.clipboard.readText()')
    }
    expect(await copied('drover compare --show')).toBe(`drover compare --show ${page.url().split('/').at(-1)}`)
    expect(await copied('git merge')).toMatch(/^git merge drover\/show-the-wind-in-knots-codex-/)
    const partly = { prompt: 'One has no agent', backends: ['claude', 'clod'] }
    await server.request('/api/v1/compare', { method: 'POST', body: partly })
    await page.goto(`${server.url}/#/compare`)
    const listed = page.locator('.row', { hasText: 'Show the wind in knots' })
    await listed.getByText('codex kept').waitFor()
    await page.locator('.row', { hasText: 'One has no agent' }).getByText('1 of 2 failed').waitFor()
    await listed.getByText('claude', { exact: true }).waitFor()
    await listed.getByRole('link').click()
    await page.getByText('The work of codex was kept as drover/').waitFor()
    expect(await page.locator('.column').count()).toBe(2)
    await page.setViewportSize({ width: 360, height: 780 })
    const table = "document.querySelector('.wide')"
    expect(await page.evaluate(`${table}.scrollWidth - ${table}.clientWidth`)).toBe(0)
    expect(repository.git('branch', '--list', 'drover/*').trim()).toContain('codex')
    expect(complaints).toEqual([])
  },
)

it.runIf(IS_FULL)('shows why an agent failed, no check of it, and no way on with its answer', async () => {
  const repository = createRepository()
  repository.write('a', 'one\n')
  repository.commit()
  const server = await startServer({
    agents: 'fake',
    envIn: (workdir) => ({ PATH: `${join(workdir, '..', 'bin')}:/usr/bin:/bin` }),
    env: { FAKE_AGENT_SCRIPT: JSON.stringify({ exit: { code: 3 }, stderr: 'no credits' }) },
    config: { drive: { repositories: [repository.root], checks: ['git diff --check'], sandbox: 'off' } },
  })
  const body = { prompt: 'Show the wind', backends: ['claude', 'codex'], worktrees: true, workdir: repository.root }
  const { body: result } = await server.request('/api/v1/compare', { method: 'POST', body })
  const { execution_id: id } = result as { execution_id: string }
  const { page, complaints } = await visit(`${server.url}/#/compare/${id}`)
  const row = page.getByRole('row', { name: /^claude/ })
  await row.locator('.problem').waitFor()
  expect(await row.innerText()).not.toMatch(/git diff --check|cost not known/)
  await page.locator('.column .problem').first().waitFor()
  expect(await page.getByText('Continue with this answer').count()).toBe(0)
  expect(complaints).toEqual([])
})
