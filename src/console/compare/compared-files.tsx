import { useSignal } from '@preact/signals'
import { useEffect } from 'preact/hooks'
import type { ComparedDiff } from '../../service/comparison.shape.ts'
import { FileHead, FileLines } from '../diff/file-diff.tsx'
import { call } from '../live/api.ts'
import { useWideEnough } from '../live/use-wide-enough.ts'
import { toLine } from '../text/visible-text.ts'

/** What one agent of a comparison has changed. */
export function ComparedFiles({ id, name }: { id: string; name: string }) {
  const diff = useSignal<ComparedDiff | undefined>(undefined)
  const problem = useSignal<string | undefined>(undefined)
  const isSplit = useWideEnough('(min-width: 1100px)')
  useEffect(() => {
    call<ComparedDiff>(`compare/${id}/diff?name=${encodeURIComponent(name)}`).then(
      (found) => (diff.value = found),
      (error: Error) => (problem.value = error.message),
    )
  }, [id, name])
  if (problem.value !== undefined) return <p class="problem">{toLine(problem.value)}</p>
  if (diff.value === undefined) return <p class="dim">Loading…</p>
  const parts = splitPatch(diff.value.patch)
  // The last part of a patch that was cut is not whole.
  const whole = diff.value.is_cut ? parts.slice(0, -1) : parts
  return (
    <div class="compared-files">
      {diff.value.files.map((file, at) => (
        <section key={file.path} class="file" data-row data-file tabIndex={-1} aria-label={toLine(file.path)}>
          <FileHead file={file} />
          {file.insertions === null ? (
            <p class="file-note dim">A binary file.</p>
          ) : (
            <FileLines file={file} patch={whole[at]} isSplit={isSplit} />
          )}
        </section>
      ))}
    </div>
  )
}

/** The part of each file, in the order of the patch. A line of a file never begins with a letter. */
function splitPatch(patch: string): string[] {
  return patch.split(/^(?=diff --git )/m).filter((part) => part.startsWith('diff --git '))
}
