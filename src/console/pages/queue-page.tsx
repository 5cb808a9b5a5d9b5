/** What is driven, and what waits for its turn, in its order. */
import type { DrivenRun } from '../../drive/service/driven-run.shape.ts'
import { QueueEnd, QueueItem } from '../board/queue-item.tsx'
import { changeRun, queue, queuedRuns, useQueue } from '../live/known-runs.ts'
import { toHash } from '../live/router.ts'
import { RunRow } from '../runs/run-row.tsx'
import { toLine } from '../text/visible-text.ts'

export function QueuePage() {
  useQueue()
  const { value } = queue
  if (value === undefined) return <p class="dim">Loading…</p>
  const started = value.runs.filter((run) => run.queue === undefined)
  return (
    <div class="page">
      <h1>Queue</h1>
      {value.runs.length > 0 && (
        <p class="dim">
          {value.parallel === 1 ? 'One run is' : `${value.parallel} runs are`} driven at once. The others start in this
          order.{' '}
          <span class="key-hint">
            Drag one to move it, or press <kbd>Alt</kbd> with an arrow.
          </span>
        </p>
      )}
      {started.length > 0 && (
        <section aria-labelledby="started">
          <h2 id="started">
            Started <span class="count">{started.length}</span>
          </h2>
          {started.map((run) => (
            <RunRow key={run.id} run={run} />
          ))}
        </section>
      )}
      <section aria-labelledby="waiting">
        <h2 id="waiting">
          Queued <span class="count">{queuedRuns.value.length}</span>
        </h2>
        {queuedRuns.value.length === 0 && (
          <p class="dim">
            Nothing is queued. A <a href="#/new/change">new change</a> can begin when it is its turn, and{' '}
            <a href="#/watchers">watchers</a> queue runs.
          </p>
        )}
        <ol class="plain queue-list">
          {queuedRuns.value.map((run) => (
            <QueueItem key={run.id} run={run}>
              <QueuedRow run={run} />
            </QueueItem>
          ))}
          <QueueEnd />
        </ol>
      </section>
    </div>
  )
}

function QueuedRow({ run }: { run: DrivenRun }) {
  const overlaps = run.overlaps ?? []
  return (
    <div class="queued">
      <span class="queue-number">{run.queue?.number}</span>
      <div class="queued-run">
        <RunRow run={run} />
        {run.queue?.reason !== undefined && <p class="dim">{toLine(run.queue.reason)}</p>}
        {overlaps.map(({ run_id: other, files }) => (
          <p key={other} class="dim">
            changes {toLine(files.join(', '))}, as <a href={toHash('runs', other)}>{other.slice(0, 8)}</a> does
          </p>
        ))}
      </div>
      <button type="button" class="small" onClick={() => void changeRun(run.id, 'stop')}>
        Remove
      </button>
    </div>
  )
}
