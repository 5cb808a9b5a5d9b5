/** What changes in one file: its name stays in view, and its lines are created when they come near. */
import { useSignal } from '@preact/signals'
import type { ComponentChildren } from 'preact'
import { useMemo } from 'preact/hooks'
import type { DrivenDiff } from '../../drive/service/driven-run.shape.ts'
import { Icon } from '../parts/icon.tsx'
import { LongList } from '../parts/long-list.tsx'
import { toLine } from '../text/visible-text.ts'
import { DiffLine, ROW_HEIGHT } from './diff-line.tsx'
import { languageOf } from './paint-line.ts'
import { type DiffRow, toRows } from './parse-patch.ts'

export type ChangedFile = DrivenDiff['files'][number]

type FileDiffProps = {
  file: ChangedFile
  /** The part of the patch; undefined if the patch was cut before it. */
  part: string | undefined
  isSplit: boolean
  /** The run whose lines can be commented. */
  commentsFor?: string | undefined
  children?: ComponentChildren
}

/** More lines are shown when the user asks for them: such a file is mostly generated. */
const SHOWN_LINES = 3000

export function FileDiff({ file, part, isSplit: isWide, commentsFor, children }: FileDiffProps) {
  const { path, from, insertions, deletions } = file
  // One side of a file that only grew or shrank would be empty.
  const isSplit = isWide && insertions !== 0 && deletions !== 0
  const isWhole = useSignal((insertions ?? 0) + (deletions ?? 0) <= SHOWN_LINES)
  const rows = useMemo(() => (part === undefined ? [] : toRows(part, isSplit)), [part, isSplit])
  return (
    <>
      <header class="file-head">
        <Icon name="file" />
        <strong class="path">{toLine(from === undefined ? path : `${from} → ${path}`)}</strong>
        <Amounts file={file} />
        <span class="file-tools">{children}</span>
      </header>
      {part === undefined ? (
        <p class="file-note dim">The patch is too long to show this file. Use git to see it.</p>
      ) : rows.length === 0 ? (
        <p class="file-note dim">{insertions === null ? 'A binary file.' : 'No lines changed.'}</p>
      ) : isWhole.value ? (
        <Lines rows={rows} path={path} isSplit={isSplit} commentsFor={commentsFor} />
      ) : (
        <p class="file-note">
          <button type="button" onClick={() => (isWhole.value = true)}>
            Show {rows.length.toLocaleString('en')} lines
          </button>
        </p>
      )}
    </>
  )
}

type LinesProps = { rows: readonly DiffRow[]; path: string; isSplit: boolean; commentsFor: string | undefined }

function Lines({ rows, path, isSplit, commentsFor }: LinesProps) {
  const numbered = useMemo(() => rows.map((row, at) => ({ row, at })), [rows])
  return (
    <div class={isSplit ? 'lines lines-split' : 'lines'}>
      <LongList
        items={numbered}
        estimatedHeight={ROW_HEIGHT}
        keyOf={({ at }) => at}
        view={({ row }) => (
          <DiffLine row={row} path={path} language={languageOf(path)} isSplit={isSplit} commentsFor={commentsFor} />
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
