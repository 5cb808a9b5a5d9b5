import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { realTreeDisk } from '../worktree.ts'
import type { ChangeRecord } from './change-record.shape.ts'
import { findRecords, recordPath, writeRecord } from './change-record.ts'

const DIGEST = `sha256:${'a'.repeat(64)}`
const RECORD: ChangeRecord = {
  version: 1,
  id: '0'.repeat(32),
  phase: 'applying',
  hosts: ['claude'],
  folders: ['.claude/skills'],
  steps: [
    { do: 'create', path: '.claude/a', gives: DIGEST },
    { do: 'replace', path: '.claude/b', expects: DIGEST, gives: DIGEST },
    { do: 'remove', path: '.claude/c', expects: DIGEST },
    { do: 'verify', path: '.claude/d', expects: DIGEST },
    { do: 'remove_directory', path: '.claude/e' },
  ],
}

let directory: string
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'drover-record-'))
})
afterEach(() => rmSync(directory, { recursive: true }))

const find = () => findRecords({ directory, disk: realTreeDisk })
const put = (record: object, name = `change-${RECORD.id}.json`) =>
  writeFileSync(join(directory, name), JSON.stringify(record))

describe('the record of a change', () => {
  it('is read as it was written', () => {
    writeRecord(RECORD, { directory, disk: realTreeDisk })
    expect(find()).toEqual([{ path: recordPath(directory, RECORD.id), record: RECORD }])
  })

  it('is not found if there was never a change, or only other files', () => {
    put(RECORD, 'lock')
    expect(find()).toEqual([])
    expect(findRecords({ directory: join(directory, 'nowhere'), disk: realTreeDisk })).toEqual([])
  })

  it.each(['../x', '/etc/passwd', '.claude/../../x', './x', '.claude//x', '.claude/', '', 'a\\b', 'a\n/../b', 'a\0'])(
    'is refused when it is about %j',
    (path) => {
      put({ ...RECORD, steps: [{ do: 'remove', path, expects: DIGEST }] })
      expect(find()).toEqual([
        { path: expect.any(String), problem: expect.stringContaining('$.steps[0].path must be') },
      ])
    },
  )

  it.each<[string, object]>([
    ['a later version', { ...RECORD, version: 2 }],
    ['an unknown field', { ...RECORD, more: true }],
    ['an unknown step', { ...RECORD, steps: [{ do: 'chmod', path: '.claude/a' }] }],
    ['a step without its digest', { ...RECORD, steps: [{ do: 'create', path: '.claude/a' }] }],
  ])('is refused with %s', (_, record) => {
    put(record)
    expect(find()).toMatchObject([{ problem: expect.any(String) }])
  })

  it('is refused under the name of another', () => {
    put(RECORD, `change-${'1'.repeat(32)}.json`)
    expect(find()).toMatchObject([{ problem: expect.stringMatching(/does not have the name of its id$/) }])
  })

  it('is reported as unreadable if its directory is', () => {
    put(RECORD, 'file')
    const found = findRecords({ directory: join(directory, 'file'), disk: realTreeDisk })
    expect(found).toMatchObject([{ problem: expect.stringMatching(/cannot be read: not a directory \(ENOTDIR\)$/) }])
  })
})
