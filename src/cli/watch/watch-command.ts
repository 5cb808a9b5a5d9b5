import { resolve } from 'node:path'
import type { Config } from '../../config/config.shape.ts'
import { linkToRun } from '../../drive/announce-run.ts'
import type { DrivenRun } from '../../drive/service/driven-run.shape.ts'
import type { JsonObject } from '../../kit/json-value.ts'
import { withoutUndefined } from '../../kit/json-value.ts'
import type { BudgetList } from '../../prompts/budget-list.shape.ts'
import { decodeGoal, GOAL_INPUT } from '../../runs/text-inputs.ts'
import type { Watcher } from '../../watch/record/watch-record.shape.ts'
import { listWatchers } from '../../watch/record/watch-records.ts'
import type { WatchedRuns } from '../../watch/watched-runs.ts'
import type { WatcherOptions } from '../../watch/watcher.ts'
import { openWatcher, type WatchEntry } from '../../watch/watchers.ts'
import type { Invocation, RunCommand } from '../command.ts'
import { flagsConflict } from '../faults.ts'
import { listenForInterruption } from '../interruption.ts'
import { requireServer } from '../local/background-server.ts'
import { callServer } from '../local/server-client.ts'
import { toPrintable } from '../output/printable.ts'
import { readInput } from '../read-input.ts'
import { findUserPaths, readSettings } from '../settings.ts'

export const run: RunCommand = async (invocation) => {
  const { flags, runtime } = invocation
  if (flags.isOn('list')) return await list(invocation)
  const entry = await readEntry(invocation)
  const { config } = await readSettings(invocation)
  const { env, cwd, clock } = runtime
  const interruption = listenForInterruption()
  const { signal } = interruption
  const { watch: directory } = findUserPaths(invocation)
  const { loop, watched } = await openWatcher(entry, {
    ...{ directory, clock, signal, settings: config.drive },
    places: { env, cwd },
    isAlone: flags.isOn('wait'),
    linkTo: (runId) => linkOfJob(env) ?? linkToRun(config.server.public_url, runId),
    runs: runsOfUser(invocation, config),
    onLook: (looked) => report(invocation, looked),
  })
  await requireServer(invocation, config)
  const isOnce = flags.isOn('once')
  if (!isOnce && !flags.isOn('json')) {
    const what = watched.repo === undefined ? `the schedule ${watched.schedule}` : `${watched.repo}: ${watched.label}`
    await runtime.terminal.out.write(`Watching ${toPrintable(what)}. Press Ctrl-C to stop; runs keep running.\n`)
  }
  await loop.run({ until: isOnce ? (flags.isOn('wait') ? 'over' : 'once') : 'aborted' })
  return 0
}

async function readEntry({ flags, runtime }: Invocation): Promise<WatchEntry> {
  const [schedule, file] = [flags.text('schedule'), flags.text('goal-file')]
  if ((schedule === undefined) !== (file === undefined))
    throw flagsConflict({ flags: ['--schedule', '--goal-file'], instead: 'give both, or neither' })
  const issues = ['repo', 'label'].find((name) => flags.text(name) !== undefined)
  if (schedule !== undefined && issues !== undefined) throw flagsConflict({ flags: ['--schedule', `--${issues}`] })
  if (flags.isOn('wait') && !flags.isOn('once'))
    throw flagsConflict({ flags: ['--wait', 'no --once'], instead: 'use --once --wait' })
  // It is read again when the time comes. A mistake is told now, not at three o'clock.
  if (file !== undefined) decodeGoal(await readInput({ ...GOAL_INPUT, file, runtime }))
  return {
    repository: resolve(runtime.cwd, flags.text('root') ?? ''),
    ...{ repo: flags.text('repo'), label: flags.text('label'), schedule, timezone: flags.text('timezone') },
    goal_file: file === undefined ? undefined : resolve(runtime.cwd, file),
  }
}

/** In a job of GitHub Actions, its page shows what happens. */
function linkOfJob(env: Invocation['runtime']['env']): string | undefined {
  const { GITHUB_ACTIONS: isJob, GITHUB_SERVER_URL: server, GITHUB_REPOSITORY: repo, GITHUB_RUN_ID: id } = env
  return isJob === 'true' ? `${server}/${repo}/actions/runs/${id}` : undefined
}

/** The runs are in the user's server, which is started again if it has ended. */
function runsOfUser(invocation: Invocation, config: Config): WatchedRuns {
  const { flags, runtime } = invocation
  const call = async (method: 'GET' | 'POST', path: string, body?: object): Promise<JsonObject> => {
    await requireServer(invocation, config)
    return await callServer(invocation, { method, path, ...(body !== undefined && { body }) })
  }
  const run = (id: string) => `runs/${encodeURIComponent(id)}`
  const caller = { env: withoutUndefined(runtime.env), cwd: runtime.cwd, is_demo: flags.isOn('demo') }
  return {
    start: async (request) => asRun(await call('POST', '/local/runs', { ...caller, request })),
    show: async (id) => asRun(await call('GET', `/api/v1/${run(id)}`)),
    answer: (id, text) => call('POST', `/local/${run(id)}/answer`, { ...caller, text }),
    resume: (id) => call('POST', `/local/${run(id)}/resume`, caller),
    budgets: async () => (await call('GET', '/api/v1/budgets')) as BudgetList,
    stop: (id) => call('POST', `/api/v1/${run(id)}/stop`),
  }
}

function asRun(answer: object): DrivenRun {
  return answer as DrivenRun
}

async function report(
  { flags, runtime }: Invocation,
  { record, started, said }: Parameters<WatcherOptions['onLook']>[0],
): Promise<void> {
  const { out, err } = runtime.terminal
  const { looked_at: at, next_at: next, problem } = record
  if (flags.isOn('json')) {
    for (const run_id of started) await out.write(`${JSON.stringify({ type: 'queued', run_id })}\n`)
    await out.write(`${JSON.stringify({ type: 'looked', at, next_at: next, problem })}\n`)
    return
  }
  for (const id of started) await out.write(`Queued: Run ${id}\n`)
  if (said !== undefined) await err.write(`drover: ${toPrintable(said)}; looks again at ${next}\n`)
}

async function list(invocation: Invocation): Promise<number> {
  const { flags, runtime } = invocation
  const watchers = await listWatchers(findUserPaths(invocation).watch)
  const { out } = runtime.terminal
  const lines = watchers.length === 0 ? ['Nothing is watched.'] : watchers.map(formatWatcher)
  await out.write(flags.isOn('json') ? `${JSON.stringify({ watchers })}\n` : `${lines.join('\n')}\n`)
  return 0
}

export function formatWatcher(watcher: Watcher): string {
  const { kind, repo, label, schedule, goal_file: file, is_running: isRunning, pid, next_at: next, problem } = watcher
  const what = kind === 'issues' ? `${repo}, label ${label}` : `${schedule}, ${file}`
  const state = isRunning ? `process ${pid}${next === undefined ? '' : `, next at ${next}`}` : 'not running'
  const trouble = problem === undefined ? '' : `; ${problem.message}`
  return toPrintable(`${what}: ${state}${trouble}`)
}
