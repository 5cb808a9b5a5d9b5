/** A real browser. Tests of pages are skipped where there is none. */
import { type Browser, chromium, type Page } from 'playwright-core'
import { onTestFinished, type TestContext } from 'vitest'
import { CHROMIUM_ARGUMENTS, findChromium, NO_CHROMIUM } from '../../scripts/chromium.ts'

const executable = findChromium()

/** `npm run test:console` runs everything; the gate runs one test of each kind. */
export const isFull = process.env['CONSOLE_TESTS'] === 'full'

/** For `beforeEach`. */
export function skipWithoutBrowser({ skip }: TestContext): void {
  skip(executable === undefined, NO_CHROMIUM)
}

let browser: Promise<Browser> | undefined

/** For `afterAll`. */
export async function closeBrowser(): Promise<void> {
  await (await browser)?.close()
  browser = undefined
}

export type Visit = {
  page: Page
  /** Errors and warnings that the browser has reported. */
  complaints: string[]
  /** Requests to other origins. */
  strangers: string[]
}

type VisitOptions = {
  width?: number
  height?: number
  colorScheme?: 'light' | 'dark'
  expects?: RegExp
  permissions?: string[]
}

/** Opens an address like a new user: without cookies. `expects` are complaints that belong to the test. */
export async function visit(url: string, options: VisitOptions = {}): Promise<Visit> {
  browser ??= chromium.launch({ executablePath: executable ?? '', args: CHROMIUM_ARGUMENTS })
  const { width = 1100, height = 800, colorScheme = 'light', expects } = options
  const context = await (await browser).newContext({
    viewport: { width, height },
    colorScheme,
    reducedMotion: 'reduce',
  })
  onTestFinished(() => context.close())
  await context.grantPermissions(options.permissions ?? [], { origin: new URL(url).origin })
  const page = await context.newPage()
  const [complaints, strangers]: [string[], string[]] = [[], []]
  const complain = (text: string) => {
    if (expects?.test(text) !== true) complaints.push(text)
  }
  page.on('console', (message) => {
    if (['error', 'warning'].includes(message.type())) complain(message.text())
  })
  page.on('pageerror', (error) => complain(error.message))
  const { origin } = new URL(url)
  page.on('request', (request) => {
    if (!request.url().startsWith(`${origin}/`)) strangers.push(request.url())
  })
  await page.goto(url)
  return { page, complaints, strangers }
}
