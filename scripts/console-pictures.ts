/**
 * Takes the pictures of the console that the docs show. Needs Chromium. `node scripts/console-pictures.ts DIRECTORY` takes every page
 * there, light and dark, wide and on a phone; words after the directory name the pages to take.
 */
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { chromium } from 'playwright-core'
import { bundleAll } from '../test/support/bundle-drover.ts'
import { CHROMIUM_ARGUMENTS, findChromium, NO_CHROMIUM } from './chromium.ts'
import { withNewServer, withScene } from './pictures/scene.ts'
import { takeAll, takeFirstVisit, type Wanted } from './pictures/take.ts'

const DOCS = join(import.meta.dirname, '..', 'docs', 'console')
const IN_DOCS = ['run-light', 'home-light', 'files-dark', 'home-light-phone']

const executable = findChromium()
if (executable === undefined) throw new Error(NO_CHROMIUM)
const [directory, ...names] = process.argv.slice(2)
const wanted: Wanted =
  directory === undefined
    ? { target: DOCS, format: 'webp', wants: (page, look) => IN_DOCS.includes(page + look) }
    : { target: directory, format: 'png', wants: (page) => names.length === 0 || names.includes(page) }

const scratch = mkdtempSync(join(tmpdir(), 'drover-pictures-'))
const removeBundles = await bundleAll()
const browser = await chromium.launch({ executablePath: executable, args: CHROMIUM_ARGUMENTS })
try {
  mkdirSync(wanted.target, { recursive: true })
  await withScene(join(scratch, 'used'), (scene) => takeAll(browser, scene, wanted))
  await withNewServer(join(scratch, 'new'), (base) => takeFirstVisit(browser, base, wanted))
} finally {
  await browser.close()
  removeBundles()
  rmSync(scratch, { recursive: true, force: true })
}
