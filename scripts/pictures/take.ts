/** Pictures of the pages of a console, light and dark, wide and on a phone. */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Browser, Page } from 'playwright-core'
import type { Ids, Scene } from './scene.ts'

const SIZES = { '': { width: 1280, height: 800 }, '-phone': { width: 360, height: 780 } }
const SCHEMES = ['light', 'dark'] as const

/** Of the images, from 0 to 100: text stays sharp. */
const QUALITY = 40

type Shot = { address: (ids: Ids) => string; act?: (page: Page) => Promise<unknown> }

const tab = (name: string): Shot => ({ address: ({ run }) => `runs/${run}?tab=${name}` })
const runAs = (name: keyof Ids): Shot => ({ address: (ids) => `runs/${ids[name]}` })
const press = (name: string) => (page: Page) => page.getByRole('button', { name, exact: true }).click()

const PAGES: Readonly<Record<string, Shot>> = {
  home: { address: () => '', act: (page) => page.locator('.activity').first().waitFor({ state: 'attached' }) },
  'home-change': { address: () => '', act: press('Change') },
  more: { address: () => '', act: (page) => page.locator('.top .menu button').first().click() },
  new: { address: () => 'new' },
  change: { address: () => 'new/change' },
  run: { ...tab('activity'), act: openAttempt },
  files: { ...tab('files'), act: (page) => page.locator('.line-added').first().waitFor() },
  evidence: { ...tab('evidence'), act: openEvidence },
  report: tab('report'),
  'run-change': { ...tab('activity'), act: press('Change this') },
  'run-comment': {
    ...tab('files'),
    act: (page) =>
      page
        .getByRole('button', { name: /^Comment on line/ })
        .nth(5)
        .click(),
  },
  'run-merged': runAs('merged'),
  'run-asks': runAs('asks'),
  'run-paused': runAs('paused'),
  'run-works': runAs('works'),
  'run-queued': runAs('queued'),
  runs: { address: () => 'runs' },
  board: { address: () => 'board', act: (page) => page.locator('.column-queued .board-card').first().waitFor() },
  morning: { address: () => 'report' },
  queue: { address: () => 'queue' },
  watchers: { address: () => 'watchers' },
  compare: {
    address: ({ comparison }) => `compare/${comparison}`,
    act: (page) => page.locator('.compared-files .line-added').first().waitFor(),
  },
  kept: { address: ({ kept }) => `compare/${kept}` },
  comparisons: { address: () => 'compare' },
  execution: {
    address: ({ execution }) => `executions/${execution}`,
    act: (page) => page.locator('.tool summary').nth(1).click(),
  },
  sessions: { address: () => 'sessions' },
  session: { address: ({ session }) => `sessions/${session}` },
  usage: { address: () => 'usage', act: (page) => page.locator('tbody td').first().waitFor() },
  repositories: { address: () => 'repositories' },
  keys: { address: () => 'keys' },
  'keys-new': { address: () => 'keys', act: press('New key') },
  settings: { address: () => 'settings?from=file' },
  find: { address: () => '', act: (page) => page.keyboard.press('Control+k') },
  help: { address: () => '', act: (page) => page.keyboard.press('?') },
}

export type Wanted = { target: string; format: 'webp' | 'png'; wants: (page: string, look: string) => boolean }

export async function takeAll(browser: Browser, { base, home, ids }: Scene, wanted: Wanted): Promise<void> {
  await eachLook(browser, async (page, look) => {
    for (const [name, { address, act }] of Object.entries(PAGES)) {
      if (!wanted.wants(name, look)) continue
      await page.goto('about:blank')
      await page.goto(`${base}/#/${address(ids)}`)
      await settle(page)
      await act?.(page)
      await page.waitForTimeout(600)
      if (home !== '') await showHomeAs(page, home, '/home/ada')
      await take(page, name + look, wanted)
    }
  })
}

const WITHOUT_PAST = [
  'runs',
  'board',
  'queue',
  'watchers',
  'compare',
  'sessions',
  'usage',
  'repositories',
  'keys',
  'report',
]

/** A server without a past, what is not there, and the page that asks who one is. */
export async function takeFirstVisit(browser: Browser, base: string, wanted: Wanted): Promise<void> {
  await eachLook(browser, async (page, look) => {
    if (wanted.wants('first', look)) {
      await page.goto(`${base}/`)
      await settle(page)
      await take(page, `first${look}`, wanted)
    }
    for (const address of [...WITHOUT_PAST, 'runs/0000', 'sessions/0000', 'compare/0000', 'nowhere']) {
      const name = `empty-${address.replace('/', '-')}`
      if (!wanted.wants(name, look)) continue
      await page.goto(`${base}/#/${address}`)
      await settle(page)
      await take(page, name + look, wanted)
    }
    if (wanted.wants('login', look)) {
      await page.route('**/api/v1/me', (route) => route.fulfill({ status: 401, body: '{}' }))
      await page.goto(`${base}/#/login`)
      await page.reload()
      await page.locator('.login').waitFor()
      await take(page, `login${look}`, wanted)
      await page.getByLabel('API key').fill('drover_wrong')
      await page.getByRole('button', { name: 'Log in' }).click()
      await page.getByRole('alert').waitFor()
      await take(page, `login-wrong${look}`, wanted)
    }
  })
}

async function eachLook(browser: Browser, show: (page: Page, look: string) => Promise<void>): Promise<void> {
  for (const colorScheme of SCHEMES) {
    for (const [size, viewport] of Object.entries(SIZES)) {
      const isPhone = size !== ''
      const device = { viewport, isMobile: isPhone, hasTouch: isPhone }
      const context = await browser.newContext({ ...device, colorScheme, reducedMotion: 'reduce', locale: 'en-GB' })
      await show(await context.newPage(), `-${colorScheme}${size}`)
      await context.close()
    }
  }
}

async function take(page: Page, name: string, { target, format }: Wanted): Promise<void> {
  await page.mouse.move(0, 0)
  await page.evaluate('document.fonts.ready')
  const devtools = await page.context().newCDPSession(page)
  const { data } = await devtools.send('Page.captureScreenshot', {
    format,
    ...(format === 'webp' && { quality: QUALITY }),
  })
  await devtools.detach()
  const file = join(target, `${name}.${format}`)
  writeFileSync(file, Buffer.from(data, 'base64'))
  console.log(file)
}

/** Waits until the page shows its data. */
async function settle(page: Page): Promise<void> {
  await page.locator('main h1').waitFor({ state: 'attached' })
  await page.locator('main', { hasNotText: 'Loading…' }).waitFor()
  await page.getByText('live', { exact: true }).waitFor({ state: 'attached' })
}

async function openAttempt(page: Page): Promise<void> {
  const attempt = page.locator('.node', { hasText: 'again' }).locator('summary').first()
  await attempt.click()
  await page.locator('.node .tool').first().waitFor()
}

async function openEvidence(page: Page): Promise<void> {
  await page.locator('.claim').nth(1).click()
  await page.locator('.proof .line-added').first().waitFor()
}

/** The temporary directory has another name in each round, and means nothing to a reader. */
async function showHomeAs(page: Page, from: string, to: string): Promise<void> {
  await page.evaluate(`{
    const [from, to] = ${JSON.stringify([from, to])}
    const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT)
    for (let text = texts.nextNode(); text !== null; text = texts.nextNode()) {
      if (text.nodeValue.includes(from)) text.nodeValue = text.nodeValue.replaceAll(from, to)
    }
    for (const field of document.querySelectorAll('input')) {
      field.placeholder = field.placeholder.replace(from, to)
      if (field.value.includes(from)) field.value = field.value.replace(from, to)
    }
  }`)
}
