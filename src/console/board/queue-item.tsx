/** A queued run that can be moved: by dragging, with the buttons, or with Alt and an arrow. */
import { signal } from '@preact/signals'
import type { ComponentChildren } from 'preact'
import type { DrivenRun } from '../../drive/service/driven-run.shape.ts'
import { moveInQueue, queuedRuns } from '../live/known-runs.ts'
import { toLine } from '../text/visible-text.ts'
import { beforeAfterStep } from './board-columns.ts'

/** The run that is dragged, and the one that it would be put before. */
const dragged = signal<string | undefined>(undefined)
const target = signal<string | undefined>(undefined)

type QueueItemProps = { run: DrivenRun; children: ComponentChildren }

export function QueueItem({ run, children }: QueueItemProps) {
  if (!run.choices.includes('move') || run.queue === undefined) return <li class="queue-item">{children}</li>
  const { id } = run
  const isTarget = target.value === id && dragged.value !== undefined && dragged.value !== id
  return (
    <li
      class={`queue-item${isTarget ? ' drop-before' : ''}${dragged.value === id ? ' dragged' : ''}`}
      draggable
      onDragStart={(event) => {
        dragged.value = id
        event.dataTransfer?.setData('text/plain', id)
      }}
      onDragOver={(event) => {
        if (dragged.value === undefined) return
        event.preventDefault()
        target.value = id
      }}
      onDrop={(event) => {
        event.preventDefault()
        drop(id)
      }}
      onDragEnd={endDrag}
      onKeyDown={(event) => {
        const step = event.key === 'ArrowUp' ? -1 : event.key === 'ArrowDown' ? 1 : 0
        if (!event.altKey || step === 0) return
        event.preventDefault()
        void move(id, step)
      }}
    >
      {children}
      <span class="queue-move">
        <MoveButton run={run} step={-1} says="up" mark="↑" />
        <MoveButton run={run} step={1} says="down" mark="↓" />
      </span>
    </li>
  )
}

function MoveButton({ run, step, says, mark }: { run: DrivenRun; step: -1 | 1; says: string; mark: string }) {
  const cannot = beforeAfterStep(queuedRuns.value, run.id, step) === null
  return (
    <button
      type="button"
      class="quiet"
      data-move={says}
      aria-disabled={cannot}
      aria-label={`Move ${says}: ${toLine(run.title)}`}
      title={`Move ${says} (Alt + ${mark})`}
      onClick={() => void move(run.id, step)}
    >
      {mark}
    </button>
  )
}

/** Behind the last one. */
export function QueueEnd() {
  const isTarget = target.value === 'end' && dragged.value !== undefined
  if (dragged.value === undefined) return null
  return (
    <li
      class={`queue-end dim${isTarget ? ' drop-before' : ''}`}
      onDragOver={(event) => {
        event.preventDefault()
        target.value = 'end'
      }}
      onDrop={(event) => {
        event.preventDefault()
        drop(undefined)
      }}
    >
      Drop here to start it last
    </li>
  )
}

function drop(before: string | undefined): void {
  const id = dragged.value
  endDrag()
  if (id !== undefined && id !== before) void moveInQueue(id, before)
}

function endDrag(): void {
  dragged.value = undefined
  target.value = undefined
}

/** The keyboard stays on the run that was moved. */
async function move(id: string, step: -1 | 1): Promise<void> {
  const before = beforeAfterStep(queuedRuns.value, id, step)
  if (before !== null) await moveInQueue(id, before)
}
