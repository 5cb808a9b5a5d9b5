/** Texts that try to become markup, scripts or something else than what they are. Everywhere they are shown as text. */

import type { Page } from 'playwright-core'
import { afterAll, beforeEach, describe, expect, it } from 'vitest'
import type { AgentEvent } from '../../src/agents/adapter/agent.ts'
import { closeBrowser, skipWithoutBrowser, visit } from '../support/browser.ts'
import { IS_FULL } from '../support/full-counts.ts'
import { recordExecution } from '../support/recorded-execution.ts'
import { serveRuns } from '../support/served-runs.ts'
import { startServer } from '../support/start-server.ts'

beforeEach(skipWithoutBrowser)
afterAll(closeBrowser)

const HOSTILE = [
  '<script>window.hacked = 1</script>',
  '<img src=x onerror="window.hacked = 1">',
  '<svg/onload=window.hacked=1>',
  '"><iframe srcdoc="<script>parent.hacked=1</script>"></iframe>',
  '[link](javascript:window.hacked=1)',
  '[link](data:text/html,<script>window.hacked=1</script>)',
  '<javascript:window.hacked=1>',
  '{{constructor.constructor("window.hacked=1")()}}',
  '\u001b[31mred\u001b[0m \u001b]8;;javascript:window.hacked=1\u0007link\u001b]8;;\u0007',
  'photo\u202egnp.exe',
  '</textarea></title></style><b id=hacked>b</b>',
].join('\n\n')

/** drover refuses control characters in goals, answers and outcomes. */
const TYPED = HOSTILE.replaceAll('\u001b', '').replaceAll('\u0007', '')

/** What would be there if a text had become more than text. */
async function expectHarmless(page: Page): Promise<void> {
  expect(await page.evaluate('window.hacked')).toBeUndefined()
  const selector = 'main :is(script, img, iframe, svg:not(.icon), object, embed, b, #hacked, [onerror], [onload])'
  expect(await page.locator(selector).count()).toBe(0)
  const links = await page.evaluate('[...document.querySelectorAll("main a")].map((a) => a.href)')
  expect((links as string[]).filter((href) => !/^http:\/\/127\.0\.0\.1:\d+\/#\//.test(href))).toEqual([])
  const text = await page.locator('main').innerText()
  expect(text.includes('\u202e') || text.includes('\u001b')).toBe(false)
}

const tool = { tool_id: HOSTILE, tool_name: HOSTILE }

const EVENTS: readonly AgentEvent[] = [
  { type: 'init', content: { model: HOSTILE, working_dir: HOSTILE } },
  { type: 'thinking', content: { text: HOSTILE } },
  { type: 'message', content: { text: HOSTILE, role: 'assistant' } },
  { type: 'message', content: { text: `\`\`\`html\n${HOSTILE}\n\`\`\``, role: 'assistant' } },
  { type: 'tool_use', content: { ...tool, input: { command: HOSTILE } } },
  { type: 'tool_result', content: { ...tool, output: HOSTILE, is_error: true } },
  { type: 'tool_use', content: { ...tool, input: { file_path: HOSTILE, old_string: HOSTILE, new_string: HOSTILE } } },
  { type: 'approval_request', content: { approval_id: 'x', tool_name: HOSTILE, command: HOSTILE, choices: ['allow'] } },
  { type: 'error', content: { code: HOSTILE, message: HOSTILE } },
]

describe('hostile texts', () => {
  it('are shown as text in an execution', async () => {
    const server = await startServer()
    const id = await recordExecution(server, { events: EVENTS, prompt: HOSTILE, output: HOSTILE })
    const { page, complaints, strangers } = await visit(`${server.url}/#/executions/${id}`)
    await page.locator('[data-state=completed]').waitFor()
    await page.evaluate('for (const each of document.querySelectorAll("main details")) each.open = true')
    await expectHarmless(page)
    const shown = await page.locator('main').innerText()
    expect(shown).toContain('<script>window.hacked = 1</script>')
    expect(shown).toContain('photo‹U+202E›gnp.exe')
    expect(shown).toContain('[link](javascript:window.hacked=1)')
    expect({ complaints, strangers }).toEqual({ complaints: [], strangers: [] })
  })

  it.runIf(IS_FULL)('are shown as text on the other pages', async () => {
    const server = await startServer({ agents: 'demo' })
    const body = { backend: 'claude', prompt: HOSTILE, workdir: server.workdir, model: '<img src=x onerror=alert(1)>' }
    const { body: result } = await server.request('/api/v1/prompt', { method: 'POST', body })
    const { execution_id: id, session_id: session } = result as { execution_id: string; session_id: string }
    const title = '<img src=x onerror="window.hacked = 1"> \u202etitle'
    await server.request(`/api/v1/sessions/${session}`, { method: 'PATCH', body: { title } })
    const { page, complaints, strangers } = await visit(`${server.url}/`)
    const pages = ['', 'sessions', `sessions/${session}`, `compare/${id},${id}`, `new?from=${id}`, '<img src=x>']
    for (const path of pages) {
      await page.goto(`${server.url}/#/${path}`)
      await page.locator('main h1').waitFor({ state: 'attached' })
      await page.locator('main', { hasNotText: 'Loading…' }).waitFor()
      await expectHarmless(page)
    }
    await page.goto(`${server.url}/#/usage`)
    await page.getByRole('cell', { name: 'claude' }).first().waitFor()
    await page.getByLabel('By', { exact: true }).selectOption('model')
    await page.getByRole('cell', { name: 'demo' }).waitFor()
    expect(await page.evaluate('window.hacked')).toBeUndefined()
    expect({ complaints, strangers }).toEqual({ complaints: [], strangers: [] })
  })

  it.runIf(IS_FULL)('are shown as text on the pages of runs, of the queue and of the administration', async () => {
    const question = { reason: 'decision_required', question: TYPED, destructive_request: null }
    const asks = { outcome: { status: 'needs_input', summary: TYPED, pause: question, suggested_actions: [] } }
    const edits = { '<img src=x onerror=hacked=1>.ts': `${HOSTILE}\n`, 'wind.txt': 'wind: 23 knots\n' }
    const {
      server,
      start,
      change,
      reaches: gets,
    } = await serveRuns(
      { orient: [asks, {}], implement: [{ tells: [HOSTILE], edits, outcome: { summary: TYPED } }] },
      { drive: { checks: ['sh check.sh', `sh -c "echo '<img src=x onerror=hacked=1>'"`] } },
    )
    const { id } = await start({ goal: TYPED })
    await gets(id, 'waiting')
    const { page, complaints, strangers } = await visit(`${server.url}/`)
    const look = async (paths: readonly string[]) => {
      for (const path of paths) {
        await page.goto(`${server.url}/#/${path}`)
        await page.locator('main h1').waitFor({ state: 'attached' })
        await page.locator('main', { hasNotText: 'Loading…' }).waitFor()
        await page.evaluate('for (const each of document.querySelectorAll("main details")) each.open = true')
        await expectHarmless(page)
      }
    }
    await look(['', 'runs', 'board', 'queue', `runs/${id}`])
    await change(id, 'answer', { text: TYPED })
    await gets(id, 'ended')
    const tabs = ['activity', 'files', 'evidence', 'report'].map((tab) => `runs/${id}?tab=${tab}`)
    await look([...tabs, 'runs', 'board', 'report', 'repositories', 'settings?from=file', 'watchers', 'keys'])
    await page.goto(`${server.url}/#/runs/${id}?tab=files`)
    await page.locator('.line-added', { hasText: 'photo‹U+202E›gnp.exe' }).waitFor()
    await expectHarmless(page)
    expect({ complaints, strangers }).toEqual({ complaints: [], strangers: [] })
  })
})
