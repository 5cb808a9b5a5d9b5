/** One row of a diff: line numbers, colored code, words that differ, and the comment on it. */
import { useSignal } from '@preact/signals'
import { submits } from '../live/actions.ts'
import { commentsOf, type LineComment, withComment } from '../live/drafts.ts'
import { toVisible } from '../text/visible-text.ts'
import { type DiffCell, type DiffRow, paintLine } from './patch-lines.ts'

export const ROW_HEIGHT = 20

type RowProps = {
  row: DiffRow
  path: string
  language: string
  isSplit: boolean
  commentsFor: string | undefined
  /** Shows the whole file, if that is possible. */
  onWhole: (() => void) | undefined
}
type Side = LineComment['side']

export function DiffLine(props: RowProps) {
  const open = useSignal<Side | undefined>(undefined)
  const { row, path, commentsFor } = props
  if (row.gap !== undefined) return row.gap === '' ? null : <Gap says={row.gap} onWhole={props.onWhole} />
  const onOpen = commentsFor === undefined ? undefined : (side: Side) => (open.value = side)
  const commented = commentsFor === undefined ? [] : commentsOn(commentsFor, path, row)
  const sides = SIDES.filter((side) => open.value === side || commented.some((each) => each.side === side))
  return (
    <>
      {props.isSplit ? <SplitLine {...props} onOpen={onOpen} /> : <WholeLine {...props} onOpen={onOpen} />}
      {commentsFor !== undefined &&
        sides.map((side) => (
          <CommentBox
            key={side}
            runId={commentsFor}
            place={{ path, side, line: row[side]?.line ?? 0 }}
            isNew={open.value === side}
            onClose={() => (open.value = undefined)}
          />
        ))}
    </>
  )
}

function Gap({ says, onWhole }: { says: string; onWhole: (() => void) | undefined }) {
  if (onWhole === undefined) return <div class="gap">⋯ {toVisible(says)}</div>
  return (
    <button type="button" class="gap" title="Show the whole file" onClick={onWhole}>
      ⋯ {toVisible(says)}
    </button>
  )
}

const SIDES = ['left', 'right'] as const
type LineProps = RowProps & { onOpen: ((side: Side) => void) | undefined }

function SplitLine({ row, path, language, onOpen }: LineProps) {
  return (
    <div class="line">
      {SIDES.map((side) => (
        <>
          <LineNumber side={side} line={row[side]?.line} path={path} onOpen={onOpen} />
          <Text cell={row[side]} language={language} kind={kindOf(row, side)} />
        </>
      ))}
    </div>
  )
}

function WholeLine({ row, path, language, onOpen }: LineProps) {
  const side = row.right === undefined ? 'left' : 'right'
  const mark = row.isSame ? ' ' : side === 'left' ? '−' : '+'
  return (
    <div class="line">
      <LineNumber side="left" line={row.left?.line} path={path} onOpen={onOpen} />
      <LineNumber side="right" line={row.right?.line} path={path} onOpen={onOpen} />
      <Text cell={row[side]} language={language} kind={kindOf(row, side)} mark={mark} />
    </div>
  )
}

function kindOf(row: DiffRow, side: Side): string {
  if (row.isSame) return ''
  if (row[side] === undefined) return ' line-none'
  return side === 'left' ? ' line-removed' : ' line-added'
}

function commentsOn(runId: string, path: string, { left, right }: DiffRow): LineComment[] {
  const lines = { left: left?.line, right: right?.line }
  return commentsOf(runId).value.filter((each) => each.path === path && each.line === lines[each.side])
}

/** Not a stop of the tab key: there are thousands. The arrow keys go from line to line. */
function LineNumber(props: { side: Side; line: number | undefined; path: string; onOpen: LineProps['onOpen'] }) {
  const { side, line, path, onOpen } = props
  if (line === undefined || onOpen === undefined) return <span class="number">{line ?? ''}</span>
  return (
    <button
      type="button"
      class="number"
      tabIndex={-1}
      data-line
      aria-label={`Comment on line ${line} of ${toVisible(path)}`}
      onClick={() => onOpen(side)}
    >
      {line}
    </button>
  )
}

type TextProps = { cell: DiffCell | undefined; language: string; kind: string; mark?: string }

function Text({ cell, language, kind, mark }: TextProps) {
  const word = kind === ' line-removed' ? 'word-removed' : 'word-added'
  const pieces = cell === undefined ? [] : paintLine(toVisible(cell.text), language, cell.other)
  return (
    <span class={`text${kind}`}>
      {mark !== undefined && <span class="mark">{mark}</span>}
      {pieces.map(({ kind: color, text, isChanged }, at) =>
        color === 'plain' && !isChanged ? (
          text
        ) : (
          <span key={at} class={isChanged ? `code-${color} ${word}` : `code-${color}`}>
            {text}
          </span>
        ),
      )}
    </span>
  )
}

type BoxProps = { runId: string; place: Omit<LineComment, 'text'>; isNew: boolean; onClose: () => void }

/** What a requirement of a further round has room for, without the name of the place. */
const MAX_LENGTH = 1500

function CommentBox({ runId, place, isNew, onClose }: BoxProps) {
  const all = commentsOf(runId)
  const stored = all.value.find(
    ({ path, side, line }) => path === place.path && side === place.side && line === place.line,
  )
  const text = useSignal(stored?.text ?? '')
  const save = (value: string) => {
    all.value = withComment(all.peek(), { ...place, text: value })
    text.value = value
    onClose()
  }
  if (!isNew && stored !== undefined)
    return (
      <div class="comment">
        <p class="as-is">{toVisible(stored.text)}</p>
        <button type="button" class="quiet" onClick={() => save('')}>
          Remove
        </button>
      </div>
    )
  return (
    <form class="comment" onSubmit={submits(() => save(text.value))}>
      <textarea
        rows={3}
        maxLength={MAX_LENGTH}
        aria-label={`Comment on line ${place.line}`}
        placeholder="What should change here?"
        ref={(field) => field?.focus()}
        value={text.value}
        onInput={(event) => (text.value = event.currentTarget.value)}
        onKeyDown={(event) => {
          if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) save(text.value)
          if (event.key === 'Escape') onClose()
        }}
      />
      <div class="actions">
        <button type="submit" class="primary" disabled={text.value.trim() === ''}>
          Add comment
        </button>
        <button type="button" onClick={onClose}>
          Cancel
        </button>
      </div>
    </form>
  )
}
