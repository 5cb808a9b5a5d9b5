import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { until } from '../../test/support/until.ts'
import type { Log } from '../kit/log.ts'
import { LiveBudgets } from './live-budgets.ts'

function open() {
  const directory = mkdtempSync(join(tmpdir(), 'drover-budgets-'))
  onTestFinished(() => rmSync(directory, { recursive: true }))
  const path = join(directory, 'config.json')
  writeFileSync(path, '[]')
  const lines: string[] = []
  const write = (_: object, message: string) => void lines.push(message)
  const log: Log = { debug: write, info: write, warn: write, error: write, with: () => log }
  const budgets = new LiveBudgets([], { path, read: async () => JSON.parse(readFileSync(path, 'utf8')) })
  return { path, lines, log, budgets }
}

it('are read again when the file changes, until the process stops', async () => {
  const { path, lines, log, budgets } = open()
  const stop = new AbortController()
  budgets.watch(log, stop.signal)
  // Again, as the watcher may have looked at the file for the first time after the change.
  await until(() => {
    writeFileSync(path, '[{"limit":"1requests/day"}]')
    return budgets.entries.length === 1
  })
  expect(lines).toEqual(['budgets were reloaded and have changed'])
  stop.abort()
  budgets.watch(log, stop.signal)
  await budgets.reload(log)
  expect(lines).toHaveLength(1)
})

it('stay valid if the file is not, and say so, and once when it is again', async () => {
  const { path, lines, log, budgets } = open()
  writeFileSync(path, '[{"limit":"1requests/day"}]')
  await budgets.reload(log)
  writeFileSync(path, 'nonsense')
  await budgets.reload(log)
  expect(budgets.entries).toEqual([{ limit: '1requests/day' }])
  writeFileSync(path, '[{"limit":"1requests/day"}]')
  await budgets.reload(log)
  await budgets.reload(log)
  expect(lines).toEqual([
    'budgets were reloaded and have changed',
    'budgets could not be reloaded; the previous ones stay valid',
    'budgets can be reloaded again; they have not changed',
  ])
})
