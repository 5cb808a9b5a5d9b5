import { readdirSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { amendedBundle } from '../../test/support/amended-bundle.ts'
import { createRunContext } from '../../test/support/create-run-context.ts'
import { makeBundle } from '../../test/support/source-bundle.ts'
import { toJournalPath } from '../journal/run-store.ts'
import { readSource } from '../source/read-source.ts'
import { stopRun } from './operations.ts'
import { readPinnedMaterial } from './read-material.ts'
import { resumeRun } from './resume-run.ts'
import { startRun } from './start-run.ts'

/** A stopped issue-bound run, and an amended version of its issue. */
async function begin() {
  const context = await createRunContext()
  const reading = readSource(makeBundle())
  if (reading.is !== 'pinned') throw new Error(reading.error)
  const { run_id: runId } = await startRun(context, { goal: 'A goal', budget: 8, reviewEnabled: true, reading })
  await stopRun(context, runId)
  const texts = () => readdirSync(join(dirname(toJournalPath(context.store, runId)), 'materials')).length
  return { context, runId, texts, amended: amendedBundle(reading.source.requirements_revision) }
}

describe('a changed issue', () => {
  it('is stored with its texts until a choice is made', async () => {
    const { context, runId, texts, amended } = await begin()
    expect(texts()).toBe(5)
    const { source_candidate, resume_operation } = await resumeRun(context, runId, { envelope: amended })
    expect({ texts: texts(), resume_operation }).toEqual({ texts: 6, resume_operation: 'source_candidate_created' })
    await resumeRun(context, runId, { choice: 'adopt', candidateId: source_candidate?.candidate_id })
    const { section } = await readPinnedMaterial(context, { runId, key: 'requirements' })
    expect(section.markdown).toBe('Knots, and nothing but knots.\n')
    expect(texts()).toBe(6)
  })

  it('leaves no texts behind if it is rejected', async () => {
    const { context, runId, texts, amended } = await begin()
    const { source_candidate } = await resumeRun(context, runId, { envelope: amended })
    await resumeRun(context, runId, { choice: 'pinned', candidateId: source_candidate?.candidate_id })
    expect(texts()).toBe(5)
    const { section } = await readPinnedMaterial(context, { runId, key: 'requirements' })
    expect(section.markdown).toBe('What there is to say about requirements.\n')
  })

  it('that was adopted has the same response to a repeated choice', async () => {
    const { context, runId, amended } = await begin()
    const { source_candidate } = await resumeRun(context, runId, { envelope: amended })
    const choice = { choice: 'adopt', candidateId: source_candidate?.candidate_id } as const
    const chosen = await resumeRun(context, runId, choice)
    expect(await resumeRun(context, runId, { ...choice, budget: 3 })).toEqual(chosen)
    await stopRun(context, runId)
    expect(await resumeRun(context, runId, choice)).toMatchObject({
      state: 'stopped',
      resume_operation: 'source_amended',
      budget_applied: true,
    })
  })
})
