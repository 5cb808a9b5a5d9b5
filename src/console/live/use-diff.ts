/** What the branch of a run changes: the list of files once the run has ended, and before that when a page wants it; a file when it is near. */
import { useSignal } from '@preact/signals'
import { useEffect } from 'preact/hooks'
import type { DrivenDiff, DrivenRun } from '../../drive/service/driven-run.shape.ts'
import { call } from './api.ts'

type Read = { diff: DrivenDiff | undefined; problem: string | undefined }
type Size = { files: number; insertions: number; deletions: number }

/** The files, without their lines. */
export function useDiff(run: DrivenRun | undefined, isWanted: boolean): Read & { size: Size | undefined } {
  const isOver = run !== undefined && run.state !== 'running' && run.state !== 'queued'
  const read = useRead(run, { files_only: 'true' }, run?.branch !== undefined && (isOver || isWanted))
  // While agents work, files change after they were read.
  return { ...read, size: isOver && read.diff !== undefined ? sizeOf(read.diff) : undefined }
}

/** More than any file that someone reads has. */
const ALL_LINES = '100000'

type FilePart = { path: string; isWhole: boolean; isWanted: boolean }

/** The lines of one file: those around its changes, or all. */
export function useFileDiff(run: DrivenRun, { path, isWhole, isWanted }: FilePart): Read {
  return useRead(run, { path, ...(isWhole && { context: ALL_LINES }) }, isWanted)
}

function useRead(run: DrivenRun | undefined, part: Record<string, string>, isWanted: boolean): Read {
  const diff = useSignal<DrivenDiff | undefined>(undefined)
  const problem = useSignal<string | undefined>(undefined)
  const query = new URLSearchParams(part).toString()
  useEffect(() => {
    if (!isWanted || run === undefined) return
    const abort = new AbortController()
    call<DrivenDiff>(`runs/${encodeURIComponent(run.id)}/diff?${query}`, { signal: abort.signal })
      .then((read) => {
        diff.value = read
        problem.value = undefined
      })
      .catch((error: Error) => {
        if (!abort.signal.aborted) problem.value = error.message
      })
    return () => abort.abort()
  }, [run?.id, run?.last_seq, query, isWanted])
  return { diff: diff.value, problem: problem.value }
}

function sizeOf({ files }: DrivenDiff): Size {
  const sum = (field: 'insertions' | 'deletions') => files.reduce((total, file) => total + (file[field] ?? 0), 0)
  return { files: files.length, insertions: sum('insertions'), deletions: sum('deletions') }
}
