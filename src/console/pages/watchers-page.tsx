/** What is watched on this machine: labels of issues, and schedules. */

import { useSignal } from '@preact/signals'
import { useEffect } from 'preact/hooks'
import type { Watcher, WatcherList } from '../../watch/record/watch-record.shape.ts'
import { attempt } from '../live/actions.ts'
import { call } from '../live/api.ts'
import { runs } from '../live/known-runs.ts'
import { toHash } from '../live/router.ts'
import { Age } from '../parts/state-chip.tsx'
import { nameOfRepository } from '../text/format.ts'
import { toLine } from '../text/visible-text.ts'

const LOOK_MS = 15_000

export function WatchersPage() {
  const list = useSignal<readonly Watcher[] | undefined>(undefined)
  const version = runs.value.length
  useEffect(() => {
    const read = () => attempt(async () => (list.value = (await call<WatcherList>('watchers')).watchers))
    void read()
    const timer = setInterval(() => void read(), LOOK_MS)
    return () => clearInterval(timer)
  }, [version])
  return (
    <div class="page">
      <h1>Watchers</h1>
      {list.value === undefined && <p class="dim">Loading…</p>}
      {list.value?.length === 0 && (
        <p class="dim">
          Nothing is watched. <code>drover watch --label LABEL</code> starts a run for each open issue with a label, and{' '}
          <code>drive.watch</code> in the settings lets this server do it.
        </p>
      )}
      <ul class="plain cards">
        {list.value?.map((watcher) => (
          <WatcherCard key={watcher.id} watcher={watcher} />
        ))}
      </ul>
    </div>
  )
}

function WatcherCard({ watcher }: { watcher: Watcher }) {
  const { kind, repo, label, schedule, timezone, goal_file: file, problem, looked_at: looked, next_at: next } = watcher
  const { last_run_id: last, is_running: isRunning, repository, pid } = watcher
  const title =
    kind === 'issues' ? `Issues of ${repo ?? '?'} with the label ${label ?? '?'}` : `Schedule ${schedule ?? '?'}`
  return (
    <li class="panel">
      <header class="facts">
        <strong>{toLine(title)}</strong>
        <span class={isRunning ? 'verdict-passed' : 'dim'}>
          {isRunning ? `watched by process ${pid}` : 'not watched now'}
        </span>
      </header>
      <div class="facts dim">
        <span title={toLine(repository)}>{toLine(nameOfRepository(repository))}</span>
        {kind === 'schedule' && file !== undefined && (
          <span class="path" title={toLine(file)}>
            {toLine(file.startsWith(`${repository}/`) ? file.slice(repository.length + 1) : file)}
          </span>
        )}
        {timezone !== undefined && <span>{toLine(timezone)}</span>}
        {looked !== undefined && <Age time={looked} of="looked" />}
        {isRunning && next !== undefined && (
          <time dateTime={next} title={new Date(next).toLocaleString()}>
            next on {new Date(next).toLocaleString([], { weekday: 'long', hour: '2-digit', minute: '2-digit' })}
          </time>
        )}
        {last !== undefined && <a href={toHash('runs', last)}>Last run</a>}
      </div>
      {problem !== undefined && <p class="problem">{toLine(problem.message)}</p>}
    </li>
  )
}
