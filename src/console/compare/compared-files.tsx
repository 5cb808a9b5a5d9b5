import { useSignal } from '@preact/signals'
import { useEffect } from 'preact/hooks'
import type { ComparedDiff } from '../../service/comparison.shape.ts'
import { call } from '../live/api.ts'
import { toLine, toVisible } from '../text/visible-text.ts'

/** What one agent of a comparison has changed. */
export function ComparedFiles({ id, name }: { id: string; name: string }) {
  const diff = useSignal<ComparedDiff | undefined>(undefined)
  const problem = useSignal<string | undefined>(undefined)
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
          <header class="file-head">
            <strong class="path">{toLine(file.path)}</strong>
            <span class="added">+{file.insertions ?? 0}</span> <span class="removed">−{file.deletions ?? 0}</span>
          </header>
          <PatchLines part={whole[at]} />
        </section>
      ))}
    </div>
  )
}

/** The part of each file, in the order of the patch. A line of a file never begins with a letter. */
function splitPatch(patch: string): string[] {
  return patch.split(/^(?=diff --git )/m).filter((part) => part.startsWith('diff --git '))
}

const CLASSES: Readonly<Record<string, string>> = { '+': 'line-added', '-': 'line-removed', '@': 'dim' }

/** From the first hunk on. */
function PatchLines({ part }: { part: string | undefined }) {
  const lines = part?.split('\n') ?? []
  const first = lines.findIndex((line) => line.startsWith('@@'))
  if (first === -1) return <p class="file-note dim">No lines can be shown. Use git to see them.</p>
  return (
    <pre class="lines">
      {lines.slice(first).map((line, at) => (
        <div key={at} class={CLASSES[line.charAt(0)] ?? ''}>
          {toVisible(line)}
        </div>
      ))}
    </pre>
  )
}
