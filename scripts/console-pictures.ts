/** Takes the pictures of the console in docs/console: every page, light and dark, wide and on a phone. Needs Chromium. */
import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { type Browser, chromium, type Page } from 'playwright-core'
import { buildConsole } from './build-console.ts'
import { CHROMIUM_ARGUMENTS, findChromium, NO_CHROMIUM } from './chromium.ts'

const ROOT = join(import.meta.dirname, '..')
const TARGET = join(ROOT, 'docs', 'console')
const SIZES = { wide: { width: 1100, height: 760 }, phone: { width: 360, height: 740 } }

/** Of the images, from 0 to 100. Text stays sharp, and all pictures together are smaller than 1 MB. */
const QUALITY = 35
const DEADLINE_MS = 60_000

type Ids = { execution: string; session: string; others: readonly string[]; run: string }

const PAGES: Readonly<Record<string, (ids: Ids) => string>> = {
  home: () => '',
  new: () => 'new?prompt=Why%20does%20the%20forecast%20lose%20its%20last%20line%3F',
  change: () => 'new/change',
  runs: () => 'runs',
  run: ({ run }) => `runs/${run}`,
  execution: ({ execution }) => `executions/${execution}`,
  sessions: () => 'sessions',
  session: ({ session }) => `sessions/${session}`,
  compare: ({ others }) => `compare/${others.join(',')}`,
  usage: () => 'usage',
}

const executable = findChromium()
if (executable === undefined) throw new Error(NO_CHROMIUM)

const home = mkdtempSync(join(tmpdir(), 'drover-pictures-'))
const project = join(home, 'weather')
try {
  createProject()
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

/** A repository in which the demo agent may make changes. */
function createProject(): void {
  mkdirSync(project)
  const git = (...args: string[]) => execFileSync('git', args, { cwd: project, stdio: 'ignore' })
  writeFileSync(join(project, 'wind.txt'), 'wind: 12 m/s\n')
  git('init', '-b', 'main')
  git('config', 'user.name', 'Ada')
  git('config', 'user.email', 'ada@example.com')
  git('add', '.')
  git('commit', '-m', 'weather')
  mkdirSync(join(home, '.drover'), { mode: 0o700 })
  const drive = { repositories: [project], checks: ['git diff --check'] }
  writeFileSync(join(home, '.drover', 'config.yaml'), JSON.stringify({ drive }))
}

async function withServer(work: (base: string) => Promise<void>): Promise<void> {
  const env = { PATH: '/usr/bin:/bin', HOME: home, DEMO_AGENT_WORD_MS: '100' }
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
  const first = await prompt('claude', 'Think about the forecast, then run a command that shows the failing test.')
  const session = first['session_id'] ?? ''
  await post(`${base}/api/v1/sessions/${session}/resume`, { prompt: 'Now explain it in one sentence.' })
  const compared = await Promise.all(['claude', 'codex', 'gemini'].map((name) => prompt(name, 'Tabs or spaces?')))
  const others = compared.map((result) => result['execution_id'] ?? '')
  const run = await drive(base, { goal: 'Show the wind in knots' }, 'ended')
  await drive(base, { goal: 'Show the rain in millimetres', max_tokens: 1 }, 'paused')
  return { execution: first['execution_id'] ?? '', session, others, run }
}

/** Starts a run and waits until it is in this state. */
async function drive(base: string, body: object, state: string): Promise<string> {
  const { id, message } = await post(`${base}/api/v1/runs`, body)
  if (id === undefined) throw new Error(message)
  for (const deadline = Date.now() + DEADLINE_MS; Date.now() < deadline; await sleep(200)) {
    const run = (await (await fetch(`${base}/api/v1/runs/${id}`)).json()) as { state: string }
    if (run.state === state) return id
  }
  throw new Error(`the run is not ${state}`)
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
      const file = `${name}-${colorScheme}${suffix}.webp`
      writeFileSync(join(TARGET, file), await pictureOf(page))
      console.log(`docs/console/${file}`)
    }
    await context.close()
  }
}

async function pictureOf(page: Page): Promise<Buffer> {
  const devtools = await page.context().newCDPSession(page)
  const { data } = await devtools.send('Page.captureScreenshot', { format: 'webp', quality: QUALITY })
  await devtools.detach()
  return Buffer.from(data, 'base64')
}

/** Waits until the page shows its data. */
async function settle(page: Page, name: string): Promise<void> {
  await page.locator('main h1').waitFor({ state: 'attached' })
  await page.locator('main', { hasNotText: 'Loading…' }).waitFor()
  await page.getByText('live', { exact: true }).waitFor()
  if (name === 'home') await page.locator('.activity').first().waitFor()
  if (name === 'execution') await page.locator('.tool summary').first().click()
  if (name === 'compare') await page.getByText('Compare two answers').click()
  if (name === 'run') await page.locator('[data-run-state]').waitFor()
  if (name === 'usage') await page.locator('tbody td').first().waitFor()
  await page.mouse.move(0, 0)
  await page.evaluate('document.fonts.ready')
  await page.waitForTimeout(600)
  await showHomeAs(page, '/home/ada')
}

/** The temporary directory has another name in each round, and means nothing to a reader. */
async function showHomeAs(page: Page, shown: string): Promise<void> {
  await page.evaluate(`{
    const [from, to] = ${JSON.stringify([home, shown])}
    const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT)
    for (let text = texts.nextNode(); text !== null; text = texts.nextNode()) {
      if (text.nodeValue.includes(from)) text.nodeValue = text.nodeValue.replaceAll(from, to)
    }
    for (const field of document.querySelectorAll('input')) field.placeholder = field.placeholder.replace(from, to)
  }`)
}
