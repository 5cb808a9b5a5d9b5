import { dirname, join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { createRunContext } from '../../test/support/create-run-context.ts'
import { until } from '../../test/support/until.ts'
import { toJournalPath } from '../journal/run-store.ts'
import { takeLock } from '../kit/files/lock.ts'
import { followRun } from './follow-run.ts'
import { skipAction } from './operations.ts'
import { outlineRun } from './read-status.ts'
import type { RunContext } from './run-context.ts'
import { startRun } from './start-run.ts'

async function begin(options: { lockWaitMs?: number } = {}) {
  const stopping = new AbortController()
  const context = await createRunContext(undefined, { signal: stopping.signal, ...options })
  const { run_id, action } = await startRun(context, { goal: 'A goal', budget: 8, reviewEnabled: true })
  return { context, runId: run_id, actionId: action?.action_id ?? '', stopping }
}

const lockOf = ({ store }: RunContext, runId: string) => join(dirname(toJournalPath(store, runId)), 'run.lock')

describe('followRun', () => {
  it('yields the run now and after every change, until it ends', async () => {
    const { context, runId, actionId } = await begin()
    const seen: string[] = []
    for await (const { state, current_action } of followRun(context, { runId, show: outlineRun })) {
      seen.push(`${state} ${current_action?.kind}`)
      if (current_action?.kind === 'orient') await skipAction(context, runId, actionId)
      if (current_action?.kind === 'summarize') await skipAction(context, runId, current_action.action_id)
    }
    expect(seen).toEqual(['active orient', 'active summarize', 'ended undefined'])
  })

  it('ends when the signal is aborted', async () => {
    const { context, runId, stopping } = await begin()
    const seen: string[] = []
    for await (const { state } of followRun(context, { runId, show: outlineRun })) {
      seen.push(state)
      setImmediate(() => stopping.abort())
    }
    expect(seen).toEqual(['active'])
  })

  it('waits while another process changes the run', async () => {
    const { context, runId, actionId } = await begin()
    let looks = 0
    const store = {
      ...context.store,
      get lockWaitMs() {
        looks += 1
        return 10
      },
    }
    const moments = followRun({ ...context, store }, { runId, show: outlineRun })
    expect((await moments.next()).value).toMatchObject({ current_action: { kind: 'orient' } })
    await skipAction(context, runId, actionId)
    const others = await takeLock({ path: lockOf(context, runId), mode: 'exclusive' })
    const next = moments.next()
    // A second read shows that the first one failed.
    const seen = looks
    await Promise.race([next, until(() => looks > seen + 1)])
    others.release()
    expect((await next).value).toMatchObject({ current_action: { kind: 'summarize' } })
    await moments.return(undefined)
  })

  it('does not wait for a busy run in its first read', async () => {
    const { context, runId } = await begin({ lockWaitMs: 10 })
    using _others = await takeLock({ path: lockOf(context, runId), mode: 'exclusive' })
    await expect(followRun(context, { runId, show: outlineRun }).next()).rejects.toMatchObject({ code: 'run_busy' })
  })

  it('throws for a run that does not exist', async () => {
    const { context } = await begin()
    await expect(followRun(context, { runId: 'absent', show: outlineRun }).next()).rejects.toMatchObject({
      code: 'run_not_found',
    })
  })
})
