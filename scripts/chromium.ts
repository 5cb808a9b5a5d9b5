/** The browser for tests and pictures of the console: `CHROMIUM`, one on PATH, or the one that Playwright has installed. */
import { existsSync } from 'node:fs'
import { chromium } from 'playwright-core'
import { findProgram } from '../src/kit/process/find-program.ts'

const NAMES = ['chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable']

/** Says what is missing, and how to get it. */
export const NO_CHROMIUM = 'no Chromium on this machine; install one, or set CHROMIUM to the path of its program'

/** The browser must not look for updates or for hosts of its maker. */
export const CHROMIUM_ARGUMENTS = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
  '--no-first-run',
]

export function findChromium(): string | undefined {
  const chosen = process.env['CHROMIUM']
  if (chosen !== undefined && chosen !== '') return chosen
  const place = { env: process.env, cwd: process.cwd() }
  const [found] = NAMES.flatMap((name) => findProgram(name, place) ?? [])
  return found ?? [chromium.executablePath()].find((path) => existsSync(path))
}
