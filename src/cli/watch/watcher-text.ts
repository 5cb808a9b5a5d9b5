/** A watcher in one line. Pure. */
import type { Watcher } from '../../watch/record/watch-record.shape.ts'
import { toPrintable } from '../output/printable.ts'

export function formatWatcher(watcher: Watcher): string {
  const { kind, repo, label, schedule, goal_file: file, is_running: isRunning, pid, next_at: next, problem } = watcher
  const what = kind === 'issues' ? `${repo}, label ${label}` : `${schedule}, ${file}`
  const state = isRunning ? `process ${pid}${next === undefined ? '' : `, next at ${next}`}` : 'not running'
  const trouble = problem === undefined ? '' : `; ${problem.message}`
  return toPrintable(`${what}: ${state}${trouble}`)
}
