import { describe, expect, it } from 'vitest'
import { openSite } from '../../test/support/worksite.ts'
import { followRun } from './follow-run.ts'
import { skipAction } from './skip-action.ts'
import { startRun } from './start-run.ts'

async function begin() {
  const stopping = new AbortController()
  const site = await openSite(undefined, { signal: stopping.signal })
  const { run_id, action } = await startRun(site, { goal: 'A goal', budget: 8, reviewEnabled: true })
  return { site, runId: run_id, actionId: action?.action_id ?? '', stopping }
}

describe('a run that is followed', () => {
  it('is shown as it is, after every change, and not after its end', async () => {
    const { site, runId, actionId } = await begin()
    const seen: string[] = []
    for await (const { state, current_action } of followRun(site, runId)) {
      seen.push(`${state} ${current_action?.kind}`)
      if (current_action?.kind === 'orient') await skipAction(site, runId, actionId)
      if (current_action?.kind === 'summarize') await skipAction(site, runId, current_action.action_id)
    }
    expect(seen).toEqual(['active orient', 'active summarize', 'ended undefined'])
  })

  it('is left alone when nobody wants to see it any more', async () => {
    const { site, runId, stopping } = await begin()
    const seen: string[] = []
    for await (const { state } of followRun(site, runId)) {
      seen.push(state)
      setImmediate(() => stopping.abort())
    }
    expect(seen).toEqual(['active'])
  })

  it('must be there', async () => {
    const { site } = await begin()
    await expect(followRun(site, 'absent').next()).rejects.toMatchObject({ code: 'run_not_found' })
  })
})
