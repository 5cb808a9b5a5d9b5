/** A real browser. Tests of pages are skipped where there is none. */
import { type Browser, chromium, firefox, type Page } from 'playwright-core'
import { onTestFinished, type TestContext } from 'vitest'
import { CHROMIUM_ARGUMENTS, findChromium, NO_CHROMIUM } from '../../scripts/chromium.ts'
import { findProgram } from '../../src/kit/process/find-program.ts'

const executable = findChromium()

/** `npm run test:console` runs everything; the gate runs one test of each kind. */
export const isFull = process.env['CONSOLE_TESTS'] === 'full'

/** For `beforeEach`. */
export function skipWithoutBrowser({ skip }: TestContext): void {
  skip(executable === undefined, NO_CHROMIUM)
}

const FIREFOX = ['firefox-esr', 'firefox'].flatMap(
  (name) => findProgram(name, { env: process.env, cwd: process.cwd() }) ?? [],
)[0]

type BrowserName = 'Chromium' | 'Firefox'
type Scheme = 'light' | 'dark'

export const INSTALLED: readonly BrowserName[] = FIREFOX === undefined ? ['Chromium'] : ['Chromium', 'Firefox']

/** What a user does is tried in both, if there are both; the gate tries Chromium. */
export const BROWSERS: readonly BrowserName[] = isFull ? INSTALLED : ['Chromium']

export const LOOKS: readonly (readonly [BrowserName, Scheme])[] = isFull
  ? BROWSERS.flatMap((name) => [[name, 'light'] as const, [name, 'dark'] as const])
  : [['Chromium', 'light']]

const browsers = new Map<string, Promise<Browser>>()

/** For `afterAll`. */
export async function closeBrowser(): Promise<void> {
  for (const browser of browsers.values()) await (await browser).close()
  browsers.clear()
}

function openBrowser(name: BrowserName, scheme: Scheme): Promise<Browser> {
  const key = name === 'Firefox' ? `${name} ${scheme}` : name
  const open = browsers.get(key) ?? (name === 'Firefox' ? startFirefox(scheme) : startChromium())
  browsers.set(key, open)
  return open
}

const startChromium = () => chromium.launch({ executablePath: executable ?? '', args: CHROMIUM_ARGUMENTS })

type Session = { send: (method: string, parameters: object) => Promise<object> }
type Internals = { _connection: { toImpl: (browser: Browser) => { _browserSession: Session } } }

/** What a user of Firefox sets to see pages dark or light. */
const PREFERRED: Readonly<Record<Scheme, number>> = { dark: 0, light: 1 }

/**
 * A Firefox as it is installed, by WebDriver BiDi. Playwright tells every new page which colors the user prefers, with a
 * command that Firefox does not know: without this, no page could be opened. A preference says it instead.
 */
async function startFirefox(scheme: Scheme): Promise<Browser> {
  const browser = await firefox.launch({
    channel: 'moz-firefox',
    executablePath: FIREFOX ?? '',
    firefoxUserPrefs: { 'layout.css.prefers-color-scheme.content-override': PREFERRED[scheme] },
  })
  const { _browserSession: session } = (browser as unknown as Internals)._connection.toImpl(browser)
  const send = session.send.bind(session)
  session.send = (method, parameters) =>
    method === 'emulation.setMediaFeaturesOverride' ? Promise.resolve({}) : send(method, parameters)
  return browser
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
  colorScheme?: Scheme
  expects?: RegExp
  permissions?: string[]
  browser?: BrowserName
}

/** Opens an address like a new user: without cookies. `expects` are complaints that belong to the test. */
export async function visit(url: string, options: VisitOptions = {}): Promise<Visit> {
  const { width = 1100, height = 800, colorScheme = 'light', expects, browser = 'Chromium' } = options
  const context = await (await openBrowser(browser, colorScheme)).newContext({
    viewport: { width, height },
    colorScheme,
    reducedMotion: 'reduce',
  })
  onTestFinished(() => context.close())
  if (options.permissions !== undefined)
    await context.grantPermissions(options.permissions, { origin: new URL(url).origin })
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
