/** What changes in one file: its name stays in view, and its lines are read and created when they come near. */
import { useSignal } from '@preact/signals'
import type { ComponentChildren } from 'preact'
import { useMemo } from 'preact/hooks'
import type { DrivenDiff, DrivenRun } from '../../drive/service/driven-run.shape.ts'
import { useFileDiff } from '../live/use-diff.ts'
import { useNear } from '../live/use-layout.ts'
import { Icon } from '../parts/icon.tsx'
import { LongList } from '../parts/long-list.tsx'
import { toLine } from '../text/visible-text.ts'
import { DiffLine, ROW_HEIGHT } from './diff-line.tsx'
import { languageOf, toRows } from './patch-lines.ts'

export type ChangedFile = DrivenDiff['files'][number]

type FileDiffProps = {
  run: DrivenRun
  file: ChangedFile
  isSplit: boolean
  /** Whether lines can be commented. */
  mayComment?: boolean
  children?: ComponentChildren
}

/** More lines are shown when the user asks for them: such a file is mostly generated. */
const SHOWN_LINES = 3000
/** Lines around a change, and the head of a hunk. */
const AROUND = 7

export function FileDiff({ run, file, isSplit, mayComment = false, children }: FileDiffProps) {
  const { path, insertions, deletions } = file
  const changed = (insertions ?? 0) + (deletions ?? 0)
  const isShown = useSignal(changed <= SHOWN_LINES)
  const isWhole = useSignal(false)
  const { element, wasNear } = useNear<HTMLDivElement>()
  const isWanted = wasNear && isShown.value && insertions !== null
  const { diff, problem } = useFileDiff(run, { path, isWhole: isWhole.value, isWanted })
  return (
    <>
      <FileHead file={file}>
        {diff !== undefined && !isWhole.value && changed > 0 && (
          <button type="button" class="quiet" onClick={() => (isWhole.value = true)}>
            Whole file
          </button>
        )}
        {children}
      </FileHead>
      <div ref={element}>
        {diff !== undefined ? (
          <FileLines
            file={file}
            patch={diff.is_cut ? undefined : diff.patch}
            isSplit={isSplit}
            commentsFor={mayComment ? run.id : undefined}
            onWhole={() => (isWhole.value = true)}
          />
        ) : (
          <NoLines
            problem={problem}
            changed={insertions === null ? undefined : changed}
            onShow={isShown.value ? undefined : () => (isShown.value = true)}
          />
        )}
      </div>
    </>
  )
}

type NoLinesProps = {
  problem: string | undefined
  /** Undefined: a binary file. */
  changed: number | undefined
  onShow: (() => void) | undefined
}

/** As high as the lines will be. */
function NoLines({ problem, changed, onShow }: NoLinesProps) {
  if (problem !== undefined) return <p class="file-note problem">{toLine(problem)}</p>
  if (changed === undefined) return <p class="file-note dim">A binary file.</p>
  if (onShow === undefined) return <div style={{ height: `${(changed + AROUND) * ROW_HEIGHT}px` }} />
  return (
    <p class="file-note">
      <button type="button" onClick={onShow}>
        Show {changed.toLocaleString('en')} changed lines
      </button>
    </p>
  )
}

/** It stays in view while the lines of the file are. */
export function FileHead({ file, children }: { file: ChangedFile; children?: ComponentChildren }) {
  const { path, from } = file
  return (
    <header class="file-head">
      <Icon name="file" />
      <strong class="path">{toLine(from === undefined ? path : `${from} → ${path}`)}</strong>
      <Amounts file={file} />
      <span class="file-tools">{children}</span>
    </header>
  )
}

type FileLinesProps = {
  file: ChangedFile
  /** Of this file alone; undefined: it is too long. */
  patch: string | undefined
  isSplit: boolean
  /** The run whose lines can be commented. */
  commentsFor?: string | undefined
  /** If the whole file can be shown. */
  onWhole?: () => void
}

export function FileLines({ file, patch, isSplit, commentsFor, onWhole }: FileLinesProps) {
  const { path, insertions, deletions } = file
  // One side of a file that only grew or shrank would be empty.
  const hasSides = isSplit && insertions !== 0 && deletions !== 0
  const numbered = useMemo(() => toRows(patch ?? '', hasSides).map((row, at) => ({ row, at })), [patch, hasSides])
  if (patch === undefined)
    return <p class="file-note dim">The patch is too long to show this file. Use git to see it.</p>
  if (numbered.length === 0) return <p class="file-note dim">No lines changed.</p>
  return (
    <div class={hasSides ? 'lines lines-split' : 'lines'}>
      <LongList
        items={numbered}
        estimatedHeight={ROW_HEIGHT}
        keyOf={({ at }) => at}
        view={({ row }) => (
          <DiffLine
            row={row}
            path={path}
            language={languageOf(path)}
            isSplit={hasSides}
            commentsFor={commentsFor}
            onWhole={onWhole}
          />
        )}
      />
    </div>
  )
}

/** How many lines were added and removed, and the shares of both as a bar. */
export function Amounts({ file: { insertions, deletions } }: { file: ChangedFile }) {
  if (insertions === null || deletions === null) return <span class="dim amounts">binary</span>
  const all = Math.max(1, insertions + deletions)
  return (
    <span class="amounts">
      <span class="added">+{insertions}</span> <span class="removed">−{deletions}</span>
      <span class="share" aria-hidden="true">
        <span style={{ width: `${(insertions / all) * 100}%` }} />
      </span>
    </span>
  )
}
