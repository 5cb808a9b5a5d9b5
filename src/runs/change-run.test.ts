import { existsSync, readFileSync, renameSync } from 'node:fs'
import { dirname } from 'node:path'
import { describe, expect, it } from 'vitest'
import { decision } from '../../test/support/contract-examples.ts'
import { createRunContext, withoutGit } from '../../test/support/create-run-context.ts'
import { outcomeFor } from '../../test/support/drive-run.ts'
import { createRepository } from '../../test/support/temporary-repository.ts'
import { toJournalPath } from '../journal/run-store.ts'
import { systemClock } from '../kit/clock.ts'
import { digest } from '../kit/digest.ts'
import { takeLock } from '../kit/files/lock.ts'
import { outputFailure } from './faults.ts'
import { answerQuestion, skipAction, stopRun, submitOutcome } from './operations.ts'
import { showStatus } from './read-status.ts'
import type { RunContext } from './run-context.ts'
import { startRun } from './start-run.ts'

const REQUEST = { goal: 'A goal', budget: 8, reviewEnabled: true }

async function begin(context: RunContext) {
  const state = await startRun(context, REQUEST)
  const outcome = outcomeFor(state.action)
  const submission = { actionId: outcome.action_id, outcome, payloadSha256: digest('a') }
  const journal = () => readFileSync(toJournalPath(context.store, state.run_id), 'utf8')
  return { state, submission, journal, runId: state.run_id }
}

/** The context with a git that counts its calls. */
function counting(context: RunContext) {
  let asked = 0
  const git = {
    ...context.git,
    get program() {
      asked += 1
      return context.git.program
    },
  }
  return { context: { ...context, git }, asked: () => asked }
}

describe('git', () => {
  it('is called twice to observe the worktree, and not at all otherwise', async () => {
    const { context, asked } = counting(await createRunContext())
    const { runId, submission } = await begin(context)
    expect(asked()).toBe(2)
    await submitOutcome(context, runId, submission)
    expect(asked()).toBe(4)
    await submitOutcome(context, runId, submission)
    await stopRun(context, runId)
    await expect(submitOutcome(context, runId, { ...submission, actionId: 'x' })).rejects.toThrow()
    expect(asked()).toBe(4)
  })

  it('that fails pauses a run', async () => {
    const context = await createRunContext()
    const { runId, submission } = await begin(context)
    expect(await submitOutcome(withoutGit(context), runId, submission)).toMatchObject({
      state: 'paused',
      pause_reason: 'environment_unavailable',
    })
  })

  it('that is interrupted changes nothing', async () => {
    const context = await createRunContext()
    const { runId, submission, journal } = await begin(context)
    const before = journal()
    const stopping = new AbortController()
    const now = () => {
      stopping.abort()
      return systemClock.now()
    }
    const interrupted = { ...context, signal: stopping.signal, clock: { now } }
    await expect(submitOutcome(interrupted, runId, submission)).rejects.toMatchObject({
      code: 'git_observation_failed',
    })
    expect(journal()).toBe(before)
  })
})

describe('a change', () => {
  it('is recorded once, however often it is requested', async () => {
    const context = await createRunContext()
    const { runId, submission, journal } = await begin(context)
    const first = await submitOutcome(context, runId, submission)
    const after = journal()
    expect(await submitOutcome(context, runId, submission)).toEqual(first)
    expect(await skipAction(context, runId, first.action?.action_id ?? '')).toMatchObject({ state: 'ended' })
    expect(journal().startsWith(after)).toBe(true)
  })

  it('that is refused is not recorded', async () => {
    const context = await createRunContext()
    const { runId, submission, journal } = await begin(context)
    const before = journal()
    const stale = submitOutcome(context, runId, { ...submission, actionId: 'x' })
    await expect(stale).rejects.toMatchObject({ code: 'stale_action' })
    const given = { actionId: 'x', text: 'y', confirmDestructive: false }
    await expect(answerQuestion(context, runId, given)).rejects.toMatchObject({ code: 'answer_not_expected' })
    expect(journal()).toBe(before)
  })

  it('to a run of another worktree is refused before anything is locked', async () => {
    const repository = createRepository()
    const context = await createRunContext(repository)
    const { runId } = await begin(context)
    const elsewhere = { ...context, workspace: { ...context.workspace, id: digest('other') } }
    await expect(stopRun(elsewhere, runId)).rejects.toMatchObject({
      code: 'workspace_identity_mismatch',
      details: { details: { observed_workspace_identity: digest('other') } },
    })
  })

  it.each([
    ['a change', stopRun],
    ['reading its status', showStatus],
  ])('%s ends its wait for the lock when drover is interrupted', async (_name, work) => {
    const stopping = new AbortController()
    const context = await createRunContext(undefined, { signal: stopping.signal, lockWaitMs: 60_000 })
    const { runId, journal } = await begin(context)
    const before = journal()
    const path = `${dirname(toJournalPath(context.store, runId))}/run.lock`
    using _others = await takeLock({ path, mode: 'exclusive' })
    const working = work(context, runId)
    setImmediate(() => stopping.abort())
    await expect(working).rejects.toMatchObject({ code: 'run_interrupted' })
    expect(journal()).toBe(before)
  })

  it('is not recorded if drover was interrupted while it waited for the lock', async () => {
    const context = await createRunContext()
    const { runId, journal } = await begin(context)
    const before = journal()
    const stopping = new AbortController()
    const others = await takeLock({
      path: `${dirname(toJournalPath(context.store, runId))}/run.lock`,
      mode: 'exclusive',
    })
    const stopped = stopRun({ ...context, signal: stopping.signal }, runId)
    stopping.abort()
    others.release()
    await expect(stopped).rejects.toMatchObject({ code: 'run_interrupted' })
    expect(journal()).toBe(before)
  })

  it('is not recorded if the worktree was moved meanwhile', async () => {
    const repository = createRepository()
    const context = await createRunContext(repository)
    const { runId, journal } = await begin(context)
    const before = journal()
    const moved = `${repository.root}/.git-moved`
    const moving = {
      now: () => {
        renameSync(`${repository.root}/.git`, moved)
        return systemClock.now()
      },
    }
    await expect(stopRun({ ...context, clock: moving }, runId)).rejects.toMatchObject({
      code: 'workspace_identity_mismatch',
      details: {
        next: { operation: 'none' },
        details: { discovery_error: expect.stringContaining(`${repository.root}/.git cannot be entered`) },
      },
    })
    renameSync(moved, `${repository.root}/.git`)
    expect(journal()).toBe(before)
  })

  it('whose response fails stays recorded, and the fault says so', () => {
    expect(outputFailure('the pipe broke')).toMatchObject({
      code: 'mutation_committed_output_failed',
      details: { details: { phase: 'response_output', committed: true, ambiguous: false } },
    })
  })

  it('of an answered question is recorded', async () => {
    const context = await createRunContext()
    const { runId, state } = await begin(context)
    const outcome = outcomeFor(state.action, { status: 'needs_input', pause: decision })
    const actionId = outcome.action_id
    await submitOutcome(context, runId, { actionId, outcome, payloadSha256: digest('q') })
    const given = { actionId, text: 'Knots.', confirmDestructive: false }
    const answered = await answerQuestion(context, runId, given)
    expect(answered).toMatchObject({ state: 'active', action: { kind: 'orient' } })
    expect(await answerQuestion(withoutGit(context), runId, given)).toEqual(answered)
  })
})

describe('a start', () => {
  it.each([
    ['a goal that is blank', { goal: ' ' }, 'goal_required'],
    ['no budget', { budget: 0 }, 'invalid_budget'],
  ])('with %s leaves no files behind', async (_name, change, code) => {
    const context = await createRunContext()
    await expect(startRun(context, { ...REQUEST, ...change })).rejects.toMatchObject({ code })
    expect(existsSync(`${context.workspace.git_dir}/drover`)).toBe(false)
  })

  it('that cannot observe the worktree leaves no files behind', async () => {
    const context = withoutGit(await createRunContext())
    await expect(startRun(context, REQUEST)).rejects.toMatchObject({ code: 'git_observation_failed' })
    expect(existsSync(`${context.workspace.git_dir}/drover`)).toBe(false)
  })
})
