/** After the user has asked for more, the page goes to the round that works on it, as soon as there is one. */
import { useEffect } from 'preact/hooks'
import type { DrivenRun } from '../../drive/service/driven-run.shape.ts'
import { replaceHash, toHash } from '../live/router.ts'

const awaited = new Set<string>()

export function awaitNextRound(runId: string): void {
  awaited.add(runId)
}

export function useNextRound(run: DrivenRun | undefined): void {
  const next = run?.next_run_id
  useEffect(() => {
    if (run === undefined || next === undefined || !awaited.delete(run.id)) return
    replaceHash(toHash('runs', next))
  }, [next])
}
