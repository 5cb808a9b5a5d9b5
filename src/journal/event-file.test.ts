import {
  appendFileSync,
  copyFileSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { codeOf } from '../../test/support/journal-fixture.ts'
import { temporaryDirectory } from '../../test/support/run-drover.ts'
import { type Disk, realDisk } from '../kit/files/disk.ts'
import { EventFile, readEventFile } from './event-file.ts'
import type { RecordedEvent } from './hash-chain.ts'

const AT = '2026-01-31T10:00:00.000Z'
const event = (n: number): RecordedEvent => ({ type: 'step', at: AT, data: { n } })

function place() {
  const directory = temporaryDirectory()
  const path = join(directory, 'drive.jsonl')
  const keptPath = join(directory, 'drive.kept.jsonl')
  const lastEvent = (at: string, problem: string): RecordedEvent => ({ type: 'over', at, data: { problem } })
  const options = { runId: 'run-1', path, disk: realDisk, check: (each: RecordedEvent) => each, keptPath, lastEvent }
  return { path, keptPath, options, open: () => EventFile.open(options, join(directory, 'drive.lock')) }
}

async function written(count: number) {
  const found = place()
  const file = await found.open()
  for (let n = 1; n <= count; n++) file?.append(event(n))
  file?.[Symbol.dispose]()
  return found
}

describe('a file of records', () => {
  it('has what was appended, in order, after every opening', async () => {
    const found = await written(2)
    using file = await found.open()
    file?.append(event(3))
    expect(file?.events).toEqual([event(1), event(2), event(3)])
    expect(readEventFile(found.options)).toEqual([event(1), event(2), event(3)])
  })

  it('is empty if it does not exist, and reading does not create it', () => {
    const { options, path } = place()
    expect(readEventFile(options)).toEqual([])
    expect(statSync(path, { throwIfNoEntry: false })).toBeUndefined()
  })

  it('has one writer at a time', async () => {
    const found = place()
    const first = await found.open()
    expect(await found.open()).toBeUndefined()
    first?.[Symbol.dispose]()
    using again = await found.open()
    expect(again).toBeDefined()
  })

  it('loses only a torn last record, at whatever byte it was cut', async () => {
    const { path, options, open } = await written(3)
    const whole = readFileSync(path)
    const second = whole.indexOf('\n', whole.indexOf('\n') + 1) + 1
    for (let size = second; size < whole.length - 1; size += 7) {
      truncateSync(path, size)
      expect(readEventFile(options)).toEqual([event(1), event(2)])
      const file = await open()
      file?.append(event(4))
      file?.[Symbol.dispose]()
      expect(readEventFile(options)).toEqual([event(1), event(2), event(4)])
      writeFileSync(path, whole)
    }
  })

  it('is refused if a record was changed', async () => {
    const { path, options, open } = await written(2)
    writeFileSync(path, readFileSync(path, 'utf8').replace('"n":1', '"n":7'))
    expect(await codeOf(() => readEventFile(options))).toBe('run_journal_invalid')
    expect(await codeOf(open)).toBe('run_journal_invalid')
    expect(await codeOf(open)).toBe('run_journal_invalid')
  })

  it('takes nothing that could not be read again', async () => {
    const found = await written(1)
    using file = await found.open()
    expect(await codeOf(() => file?.append(event(0.5)))).toBe('mutation_not_committed')
    file?.append(event(2))
    expect(readEventFile(found.options)).toEqual([event(1), event(2)])
  })

  it.each([
    ['replaced', (path: string) => renameSync(copyOf(path), path)],
    ['removed', (path: string) => rmSync(path)],
    ['shortened', (path: string) => truncateSync(path, 10)],
    ['edited', (path: string) => appendFileSync(path, 'x\n')],
    ['edited', (path: string) => writeFileSync(path, readFileSync(path))],
  ])('was %s: the writer keeps its events beside it, and no one writes any more', async (word, tamper) => {
    const found = await written(1)
    const file = await found.open()
    tamper(found.path)
    expect(await codeOf(() => file?.append(event(2)))).toBe('drive_records_tampered')
    file?.[Symbol.dispose]()
    const over = { type: 'over', at: AT, data: { problem: `was ${word}` } }
    expect(readEventFile(found.options)).toEqual([event(1), event(2), over])
    expect(await codeOf(found.open)).toBe('drive_records_tampered')
  })

  it('is over if another process has put a file with other records beside it', async () => {
    const found = await written(1)
    using file = await found.open()
    writeFileSync(found.keptPath, '')
    expect(await codeOf(() => file?.append(event(2)))).toBe('drive_records_tampered')
    expect(readEventFile(found.options).slice(0, 2)).toEqual([event(1), event(2)])
  })

  it('is not taken for tampered with when a write fails', async () => {
    const found = await written(1)
    let fails = true
    const writeSync: Disk['writeSync'] = (descriptor, bytes, offset) => {
      if (!fails || !Buffer.from(bytes).includes('"n":2')) return realDisk.writeSync(descriptor, bytes, offset)
      realDisk.writeSync(descriptor, bytes.subarray(0, 5), 0)
      throw Object.assign(new Error('no space left on device'), { errno: -28, code: 'ENOSPC' })
    }
    const options = { ...found.options, disk: { ...realDisk, writeSync } }
    using file = await EventFile.open(options, `${found.path}.lock`)
    expect(await codeOf(() => file?.append(event(2)))).toBe('mutation_not_committed')
    fails = false
    file?.append(event(2))
    expect(readEventFile(found.options)).toEqual([event(1), event(2)])
  })
})

function copyOf(path: string): string {
  copyFileSync(path, `${path}.copy`)
  return `${path}.copy`
}
