/** What the branch of a run changes. It is read when it is unfolded, and again when the run has new attempts. */
import { useSignal } from '@preact/signals'
import { useEffect, useState } from 'preact/hooks'
import type { DrivenDiff, DrivenRun } from '../../drive/service/driven-run.shape.ts'
import { call } from '../live/api.ts'
import { Code } from '../parts/text-view.tsx'
import { toLine, toVisible } from '../text/visible-text.ts'

export function BranchDiff({ run: { id, branch, last_seq: lastSeq } }: { run: DrivenRun }) {
  const [isOpen, setOpen] = useState(false)
  if (branch === undefined) return null
  return (
    <details class="report" onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
      <summary>Changes on the branch</summary>
      {isOpen && <Changes id={id} lastSeq={lastSeq} />}
    </details>
  )
}

function Changes({ id, lastSeq }: { id: string; lastSeq: number }) {
  const diff = useSignal<DrivenDiff | undefined>(undefined)
  const problem = useSignal<string | undefined>(undefined)
  useEffect(() => {
    const abort = new AbortController()
    call<DrivenDiff>(`runs/${encodeURIComponent(id)}/diff`, { signal: abort.signal })
      .then((read) => {
        diff.value = read
        problem.value = undefined
      })
      .catch((error: Error) => {
        if (!abort.signal.aborted) problem.value = error.message
      })
    return () => abort.abort()
  }, [id, lastSeq])
  if (problem.value !== undefined) return <p class="problem">{toVisible(problem.value)}</p>
  if (diff.value === undefined) return <p class="dim">Loading…</p>
  return <DiffView diff={diff.value} />
}

function DiffView({ diff: { files, patch, is_cut: isCut } }: { diff: DrivenDiff }) {
  if (files.length === 0) return <p class="dim">No files changed.</p>
  return (
    <>
      <ul class="files">
        {files.map(({ path, from, insertions, deletions }) => (
          <li key={path}>
            <code>{toLine(from === undefined ? path : `${from} → ${path}`)}</code>{' '}
            <span class="dim">{insertions === null ? 'binary' : `+${insertions} −${deletions}`}</span>
          </li>
        ))}
      </ul>
      {patch !== '' && <Code text={patch} language="diff" />}
      {isCut && <p class="warning">The patch is longer than what is shown. Use git to see all of it.</p>}
    </>
  )
}
