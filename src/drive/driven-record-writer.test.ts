import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { driveState } from '../../test/support/drive-fixture.ts'
import { systemClock } from '../kit/clock.ts'
import { DrivenRecordWriter } from './driven-record-writer.ts'
import type { DriveEvent } from './record/drive-event.shape.ts'
import { findDriven } from './record/driven-records.ts'

it('lists a round that a driver announced before it was killed', () => {
  const drivenRuns = mkdtempSync(join(tmpdir(), 'drover-driven-'))
  onTestFinished(() => rmSync(drivenRuns, { recursive: true }))
  const at = '2026-01-01T00:00:00.000Z'
  const places = { repository: '/work', git_common_dir: '/work/.git', is_server_driven: true, created_at: at }
  const record = { version: 1, run_id: 'run-1', asked_by: 'user', ...places } as const
  const writer = new DrivenRecordWriter(
    { directories: { drivenRuns }, clock: systemClock, onNoteFailure: () => {} },
    record,
  )
  const event: DriveEvent = { type: 'boundary_set', at, data: { is: 'outside', why: 'it is turned off' } }
  for (const runId of ['run-1', 'run-2']) writer.update({ is: 'recorded', runId, event, state: driveState() })
  expect(findDriven(drivenRuns, 'run-2')).toMatchObject({
    run_id: 'run-2',
    repository: '/work',
    is_server_driven: false,
  })
  expect(findDriven(drivenRuns, 'run-1')).toMatchObject({ is_server_driven: true })
})
