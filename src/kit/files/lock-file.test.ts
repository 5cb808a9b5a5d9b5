import { lstatSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { type Disk, realDisk } from './disk.ts'
import { ensureLockFile } from './lock.ts'

it('accepts a lock file that another process creates at the same time', () => {
  const folder = mkdtempSync(join(tmpdir(), 'drover-lock-file-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  const path = join(folder, 'run.lock')
  writeFileSync(path, '')
  const before = lstatSync(path, { bigint: true })
  const unseen = () => undefined
  ensureLockFile(path, { ...realDisk, lstatSync: unseen as unknown as Disk['lstatSync'] })
  expect(lstatSync(path, { bigint: true })).toEqual(before)
})
