/** What the branch of a run changes. It is read once the run has ended, and before that when a page wants it. */
import { useSignal } from '@preact/signals'
import { useEffect } from 'preact/hooks'
import type { DrivenDiff, DrivenRun } from '../../drive/service/driven-run.shape.ts'
import { call } from './api.ts'

type Read = {
  diff: DrivenDiff | undefined
  problem: string | undefined
  size: { files: number; insertions: number; deletions: number } | undefined
}

export function useDiff(run: DrivenRun | undefined, isWanted: boolean): Read {
  const diff = useSignal<DrivenDiff | undefined>(undefined)
  const problem = useSignal<string | undefined>(undefined)
  const isOver = run !== undefined && run.state !== 'running' && run.state !== 'queued'
  const version = run?.branch !== undefined && (isOver || isWanted) ? `${run.id} ${run.last_seq}` : ''
  useEffect(() => {
    if (version === '' || run === undefined) return
    const abort = new AbortController()
    call<DrivenDiff>(`runs/${encodeURIComponent(run.id)}/diff`, { signal: abort.signal })
      .then((read) => {
        diff.value = read
        problem.value = undefined
      })
      .catch((error: Error) => {
        if (!abort.signal.aborted) problem.value = error.message
      })
    return () => abort.abort()
  }, [version])
  return { diff: diff.value, problem: problem.value, size: diff.value && sizeOf(diff.value) }
}

function sizeOf({ files }: DrivenDiff) {
  const sum = (field: 'insertions' | 'deletions') => files.reduce((total, file) => total + (file[field] ?? 0), 0)
  return { files: files.length, insertions: sum('insertions'), deletions: sum('deletions') }
}
