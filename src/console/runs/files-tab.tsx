/** What the branch of a run changes: the files as a list, and each file with its lines, on which one can comment. */
import { useSignal } from '@preact/signals'
import type { ComponentChildren } from 'preact'
import { useEffect, useMemo } from 'preact/hooks'
import type { DrivenDiff, DrivenRun } from '../../drive/service/driven-run.shape.ts'
import { Amounts, type ChangedFile, FileDiff } from '../diff/file-diff.tsx'
import { findDraft } from '../live/drafts.ts'
import { useWideEnough } from '../live/use-layout.ts'
import { Loading } from '../parts/placeholders.tsx'
import { toLine } from '../text/visible-text.ts'
import { type TreeEntry, toFileTree } from './file-tree.ts'
import { CommentBar } from './follow-up.tsx'

type FilesProps = { run: DrivenRun; diff: DrivenDiff | undefined; problem: string | undefined; mayComment: boolean }

export function FilesTab({ run, diff, problem, mayComment }: FilesProps) {
  if (problem !== undefined) return <p class="problem">{toLine(problem)}</p>
  if (diff === undefined) return <Loading />
  if (diff.files.length === 0)
    return (
      <p class="dim">{run.state === 'running' ? 'No file was changed when this was read.' : 'No files changed.'}</p>
    )
  return <Changes run={run} diff={diff} mayComment={mayComment} />
}

const idOf = (at: number) => `file-${at}`

function Changes({ run, diff, mayComment }: { run: DrivenRun; diff: DrivenDiff; mayComment: boolean }) {
  const isSplit = useWideEnough('(min-width: 1100px)')
  const viewed = useViewed(run.id)
  return (
    <div class="files">
      <FileTree files={diff.files} viewed={viewed.paths} />
      <div class="file-sections">
        {diff.files.map((file, at) => (
          <section
            key={file.path}
            id={idOf(at)}
            class="file"
            data-row
            data-file
            tabIndex={-1}
            aria-label={toLine(file.path)}
          >
            <FileOrHead
              run={run}
              file={file}
              isSplit={isSplit}
              isViewed={viewed.paths.includes(file.path)}
              onViewed={() => viewed.toggle(file.path)}
              mayComment={mayComment}
            />
          </section>
        ))}
        {mayComment && <CommentBar run={run} />}
      </div>
    </div>
  )
}

type FileProps = Omit<Parameters<typeof FileDiff>[0], 'children'> & { isViewed: boolean; onViewed: () => void }

/** A file that the user has seen is folded. */
function FileOrHead({ isViewed, onViewed, ...rest }: FileProps) {
  const check = (
    <label class="check">
      <input type="checkbox" data-viewed checked={isViewed} onChange={onViewed} /> Viewed
    </label>
  )
  if (!isViewed) return <FileDiff {...rest}>{check}</FileDiff>
  return (
    <header class="file-head">
      <span class="path dim">{toLine(rest.file.path)}</span>
      <Amounts file={rest.file} />
      <span class="file-tools">{check}</span>
    </header>
  )
}

function useViewed(runId: string) {
  const draft = findDraft(`viewed ${runId}`)
  const paths = draft.value.split('\n')
  return {
    paths,
    toggle: (path: string) => {
      const rest = paths.filter((each) => each !== path)
      draft.value = [...rest, ...(rest.length === paths.length ? [path] : [])].join('\n')
    },
  }
}

function FileTree({ files, viewed }: { files: readonly ChangedFile[]; viewed: readonly string[] }) {
  const current = useSignal<string | undefined>(undefined)
  const tree = useMemo(() => toFileTree(files), [files])
  useEffect(() => {
    const note = (event: FocusEvent) => {
      const section = (event.target as HTMLElement).closest('[data-file]')
      if (section !== null) current.value = section.id
    }
    document.addEventListener('focusin', note)
    return () => document.removeEventListener('focusin', note)
  }, [])
  const leaf: Leaf = ({ name, file, at }) => (
    <button
      key={file.path}
      type="button"
      class={viewed.includes(file.path) ? 'leaf leaf-viewed' : 'leaf'}
      aria-current={current.value === idOf(at) ? 'true' : undefined}
      title={toLine(file.path)}
      onClick={() => showFile(idOf(at))}
    >
      <span class="path">{toLine(name)}</span>
      <Amounts file={file} />
    </button>
  )
  return (
    <nav class="tree" aria-label="Changed files">
      {tree.map((entry) => (
        <Entry key={entry.name} entry={entry} leaf={leaf} />
      ))}
    </nav>
  )
}

type Leaf = (file: Extract<TreeEntry<ChangedFile>, { at: number }>) => ComponentChildren

function Entry({ entry, leaf }: { entry: TreeEntry<ChangedFile>; leaf: Leaf }) {
  if (!('entries' in entry)) return <>{leaf(entry)}</>
  return (
    <details open>
      <summary class="directory path dim">{toLine(entry.name)}/</summary>
      {entry.entries.map((each) => (
        <Entry key={each.name} entry={each} leaf={leaf} />
      ))}
    </details>
  )
}

function showFile(id: string): void {
  const section = document.getElementById(id)
  section?.scrollIntoView({ block: 'start' })
  section?.focus({ preventScroll: true })
}
