import { mkdirSync, readdirSync, utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { temporaryDirectory } from '../../../test/support/run-drover.ts'
import { systemClock } from '../../kit/clock.ts'
import { cleanTemplates, findTemplate, listTemplates, saveTemplate } from './templates.ts'

const DAY_MS = 24 * 60 * 60_000
const NOW = new Date()

async function save(home: string, key: string, days: number): Promise<void> {
  const root = temporaryDirectory()
  writeFileSync(join(root, 'dep'), 'x'.repeat(100))
  const signal = new AbortController().signal
  await saveTemplate({ home, key, repository: '/r', root, entries: ['dep'], setupMs: 1, clock: systemClock, signal })
  const used = new Date(NOW.getTime() - days * DAY_MS)
  utimesSync(join(home, key, 'template.json'), used, used)
}

const [ONE, TWO, THREE] = ['1', '2', '3'].map((digit) => digit.repeat(64)) as [string, string, string]

it('removes templates that were not used for 30 days, and then the oldest beyond the size', async () => {
  const home = join(temporaryDirectory(), 'templates')
  await save(home, ONE, 29.9)
  await save(home, TWO, 30.1)
  await save(home, THREE, 0)
  await cleanTemplates(home, { maxBytes: 200, now: NOW })
  expect(listTemplates(home).map(({ key }) => key)).toEqual([THREE, ONE])
  await cleanTemplates(home, { maxBytes: 199, now: NOW })
  expect(listTemplates(home).map(({ key }) => key)).toEqual([THREE])
})

it('does not use one that is not complete, and removes what a killed process left after a day', async () => {
  const home = join(temporaryDirectory(), 'templates')
  await save(home, ONE, 0)
  mkdirSync(join(home, 'new-1'))
  mkdirSync(join(home, TWO))
  expect([findTemplate(home, TWO), listTemplates(home).length]).toEqual([undefined, 1])
  await cleanTemplates(home, { maxBytes: 1000, now: NOW })
  expect(readdirSync(home)).toContain('new-1')
  await cleanTemplates(home, { maxBytes: 1000, now: new Date(NOW.getTime() + 1.1 * DAY_MS) })
  expect(readdirSync(home)).not.toContain('new-1')
})

it('keeps the first of two with the same key', async () => {
  const home = join(temporaryDirectory(), 'templates')
  await save(home, ONE, 1)
  const before = findTemplate(home, ONE)?.root
  await save(home, ONE, 1)
  expect([findTemplate(home, ONE)?.root, readdirSync(home)]).toEqual([before, [ONE]])
})
