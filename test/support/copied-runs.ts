/** Many runs in no time: copies of one run, with other ids. */
import { cpSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { findDriven, saveDriven } from '../../src/drive/record/driven-records.ts'
import { encodeLine, type JournalEnd, NO_RECORDS } from '../../src/journal/hash-chain.ts'
import { drivePathIn, journalPathIn, snapshotPathIn } from '../../src/journal/run-store.ts'
import type { TestServer } from './start-server.ts'

/** Returns their ids. */
export function copyRun({ home }: Pick<TestServer, 'home'>, id: string, count: number): string[] {
  const records = join(home, 'driven-runs')
  const record = findDriven(records, id)
  if (record === undefined) throw new Error(`no run ${id}`)
  const runs = join(record.git_common_dir, 'drover', 'runs')
  return Array.from({ length: count }, (_, at) => {
    const copy = crypto.randomUUID()
    const directory = join(runs, copy)
    cpSync(join(runs, id), directory, { recursive: true })
    rmSync(snapshotPathIn(directory), { force: true })
    for (const path of [journalPathIn(directory), drivePathIn(directory)]) {
      writeFileSync(path, rename(readFileSync(path, 'utf8'), id, copy))
    }
    const created = new Date(Date.parse(record.created_at) + at).toISOString()
    saveDriven(records, { ...record, run_id: copy, created_at: created })
    return copy
  })
}

/** The chain of the records covers the id. */
function rename(text: string, id: string, copy: string): string {
  let end: JournalEnd = NO_RECORDS
  const lines = text.replaceAll(id, copy).split('\n').slice(0, -1)
  return lines.reduce((written, line) => {
    const encoded = encodeLine(JSON.parse(line), copy, end).toString()
    end = { sequence: end.sequence + 1, chain: JSON.parse(encoded).chain }
    return written + encoded
  }, '')
}
