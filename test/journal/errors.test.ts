import { appendFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { type DiskCall, type Failure, failingDisk, recordingDisk } from '../support/counted-disk.ts'
import { firstOf, IS_FULL, placesUpTo } from '../support/full-counts.ts'
import {
  boundHistory,
  createJournalFixture,
  faultOf,
  findWhole,
  type JournalFixture,
  type Step,
  takeStep,
} from '../support/journal-fixture.ts'

const HISTORY = boundHistory()

/**
 * One step of the history, after this tail was appended to the journal, and its number of disk calls, as
 * docs/reliability.md says.
 */
type Work = { name: string; step: number; tail: string; calls: number }

const WORK: Work[] = [
  { name: 'creating a run', step: 0, tail: '', calls: 100 },
  { name: 'changing a run', step: 1, tail: '', calls: 35 },
  { name: 'changing a run, with a stored text', step: 3, tail: '', calls: 75 },
  { name: 'changing a run, with a removed text', step: 4, tail: '', calls: 42 },
  { name: 'changing a run with a torn tail', step: 1, tail: '{"sequence":2,"ty', calls: 50 },
]

const FAILURES: Omit<Failure, 'call'>[] = [
  { code: 'EIO', how: 'once' },
  { code: 'EIO', how: 'after' },
  { code: 'ENOSPC', how: 'lasting' },
]

async function prepare({ step, tail }: Work): Promise<JournalFixture> {
  const fixture = await createJournalFixture(HISTORY.slice(0, step))
  if (tail !== '') appendFileSync(fixture.journal, tail)
  return fixture
}

async function callsOf(work: Work): Promise<DiskCall[]> {
  const fixture = await prepare(work)
  const { disk, calls } = recordingDisk()
  await takeStep(fixture.through(disk), HISTORY[work.step] as Step)
  return calls
}

/** Whether the reported result of a failed change agrees with what is found afterwards. */
function expectTruth(code: string, details: unknown, isChanged: boolean): void {
  const said = { phase: expect.any(String), projection_stale: false, namespace_detached: false }
  switch (code) {
    case 'done':
      expect(isChanged).toBe(true)
      return
    case 'mutation_outcome_ambiguous':
      expect(details).toMatchObject({ ...said, committed: false, ambiguous: true })
      return
    case 'mutation_committed_projection_stale':
      expect(details).toMatchObject({ ...said, committed: true, projection_stale: true, ambiguous: false })
      expect(isChanged).toBe(true)
      return
    case 'mutation_committed_verification_failed':
      expect(details).toMatchObject({ ...said, committed: true, ambiguous: false })
      expect(isChanged).toBe(true)
      return
    case 'mutation_not_committed':
      expect(details).toMatchObject({ ...said, committed: false, ambiguous: false })
      expect(isChanged).toBe(false)
      return
    default:
      expect(['runstore_unavailable', 'run_unavailable']).toContain(code)
      expect(isChanged).toBe(false)
  }
}

describe.each(WORK)('$name', (work) => {
  it.each(firstOf(FAILURES))('reports the true result wherever the disk fails: $code, $how', async (failure) => {
    const step = HISTORY[work.step] as Step
    const before = HISTORY[work.step - 1]?.run
    const calls = await callsOf(work)
    expect(calls).toHaveLength(work.calls)
    const seen = new Set<string>()
    // Each kind fails at other calls, so that all of them fail once.
    for (const call of placesUpTo(calls.length, FAILURES.indexOf(failure), IS_FULL ? 1 : FAILURES.length)) {
      const fixture = await prepare(work)
      const fault = await faultOf(() => takeStep(fixture.through(failingDisk({ ...failure, call })), step))
      const found = await findWhole(fixture)
      const isChanged = found?.updated_at === step.run.updated_at
      expect(found).toEqual(isChanged ? step.run : before)
      const code = fault?.code ?? 'done'
      seen.add(code)
      expectTruth(code, (fault?.details as { details?: unknown } | undefined)?.details, isChanged)
      if (!isChanged) await takeStep(fixture.store, step)
      expect(await findWhole(fixture)).toEqual(step.run)
      expect(fixture.lines().map((line) => JSON.parse(line).sequence)).toEqual(
        HISTORY.slice(0, work.step + 1).map((_, i) => i + 1),
      )
    }
    expect([...seen]).toContain('mutation_not_committed')
    if (work.step > 0) expect([...seen]).toContain('mutation_committed_projection_stale')
  })
})
