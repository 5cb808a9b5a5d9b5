/** Takes the pictures of the console in docs/console: every page, light and dark, wide and on a phone. Needs Chromium. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Browser, chromium, type Page } from 'playwright-core'
import { buildConsole } from './build-console.ts'
import { CHROMIUM_ARGUMENTS, findChromium, NO_CHROMIUM } from './chromium.ts'

const ROOT = join(import.meta.dirname, '..')
const TARGET = join(ROOT, 'docs', 'console')
const SIZES = { wide: { width: 1100, height: 760 }, phone: { width: 360, height: 740 } }

type Ids = { execution: string; session: string; others: readonly string[] }

const PAGES: Readonly<Record<string, (ids: Ids) => string>> = {
  home: () => '',
  new: () => 'new?prompt=Why%20does%20the%20parser%20lose%20the%20last%20line%3F',
  execution: ({ execution }) => `executions/${execution}`,
  sessions: () => 'sessions',
  session: ({ session }) => `sessions/${session}`,
  compare: ({ others }) => `compare/${others.join(',')}`,
  usage: () => 'usage',
}

const executable = findChromium()
if (executable === undefined) throw new Error(NO_CHROMIUM)

const home = mkdtempSync(join(tmpdir(), 'drover-pictures-'))
const project = join(home, 'parser')
try {
  mkdirSync(project)
  mkdirSync(TARGET, { recursive: true })
  await buildConsole(ROOT, join(ROOT, 'dist', 'console'))
  await withServer(async (base) => {
    const browser = await chromium.launch({
      executablePath: executable,
      args: CHROMIUM_ARGUMENTS,
    })
    const ids = await fill(base)
    for (const colorScheme of ['light', 'dark'] as const) await takeAll(browser, { base, ids, colorScheme })
    await browser.close()
  })
} finally {
  rmSync(home, { recursive: true, force: true })
}

async function withServer(work: (base: string) => Promise<void>): Promise<void> {
  const env = { PATH: '/usr/bin:/bin', HOME: home, DEMO_AGENT_WORD_MS: '60' }
  const server = spawn(process.execPath, [join(ROOT, 'bin', 'drover.cjs'), 'serve', '--demo', '-p', '0', '-q'], {
    env,
    cwd: project,
  })
  try {
    let said = ''
    const address = await new Promise<string>((resolve, reject) => {
      server.stdout.setEncoding('utf8').on('data', (text) => {
        said += text
        const found = /listens on (http:\S+)/.exec(said)?.[1]
        if (found !== undefined) resolve(found)
      })
      server.once('close', () => reject(new Error(`the server has ended: ${said}`)))
    })
    await work(address)
  } finally {
    server.kill('SIGTERM')
    await once(server, 'close')
  }
}

async function post(url: string, body: object): Promise<Record<string, string>> {
  const response = await fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  })
  return (await response.json()) as Record<string, string>
}

/** Prompts, a session with two turns, a comparison, a failure. */
async function fill(base: string): Promise<Ids> {
  const prompt = (backend: string, text: string) => post(`${base}/api/v1/prompt`, { backend, prompt: text })
  const failed = await prompt('gemini', 'please fail')
  if (failed['execution_id'] === undefined) throw new Error(JSON.stringify(failed))
  const first = await prompt('claude', 'Think about the parser, then run a command that shows the failing test.')
  const session = first['session_id'] ?? ''
  await post(`${base}/api/v1/sessions/${session}/resume`, { prompt: 'Now explain it in one sentence.' })
  const compared = await Promise.all(['claude', 'codex', 'gemini'].map((name) => prompt(name, 'Tabs or spaces?')))
  const others = compared.map((result) => result['execution_id'] ?? '')
  return { execution: first['execution_id'] ?? '', session, others }
}

type Round = { base: string; ids: Ids; colorScheme: 'light' | 'dark' }

async function takeAll(browser: Browser, { base, ids, colorScheme }: Round): Promise<void> {
  for (const [size, viewport] of Object.entries(SIZES)) {
    const context = await browser.newContext({ viewport, colorScheme, reducedMotion: 'reduce' })
    const page = await context.newPage()
    for (const [name, address] of Object.entries(PAGES)) {
      if (name === 'home') {
        const text = 'Update the dependencies and run the tests.'
        void post(`${base}/api/v1/prompt`, { backend: 'claude', prompt: text, detach: true })
      }
      await page.goto(`${base}/#/${address(ids)}`)
      await settle(page, name)
      const suffix = size === 'wide' ? '' : '-phone'
      await page.screenshot({ path: join(TARGET, `${name}-${colorScheme}${suffix}.png`) })
      console.log(`docs/console/${name}-${colorScheme}${suffix}.png`)
    }
    await context.close()
  }
}

/** Waits until the page shows its data. */
async function settle(page: Page, name: string): Promise<void> {
  await page.locator('main h1').waitFor({ state: 'attached' })
  await page.locator('main', { hasNotText: 'Loading…' }).waitFor()
  await page.getByText('live', { exact: true }).waitFor()
  if (name === 'home') await page.locator('.activity').first().waitFor()
  if (name === 'execution') await page.locator('.tool summary').first().click()
  if (name === 'compare') await page.getByText('Difference of two answers').click()
  if (name === 'usage') await page.locator('tbody td').first().waitFor()
  await page.evaluate('document.fonts.ready')
  await page.waitForTimeout(600)
}
