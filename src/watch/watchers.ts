/** The watchers of a server, and how one is opened for an entry of `drive.watch` or for `drover watch`. */

import { resolve } from 'node:path'
import { linkToRun } from '../drive/announce-run.ts'
import type { RunService } from '../drive/service/run-service.ts'
import { findOrigin } from '../drive/start/read-issue.ts'
import { locateGh } from '../forge/gh.ts'
import { GitHub } from '../forge/github-forge.ts'
import { toErrorMessage } from '../kit/fault.ts'
import { readFileBytes } from '../kit/files/read-file.ts'
import type { Log } from '../kit/log.ts'
import type { SearchPlaces } from '../kit/process/find-program.ts'
import { decodeGoal, GOAL_INPUT } from '../runs/text-inputs.ts'
import { discoverWorkspace, repositoryOf } from '../workspace/discover-workspace.ts'
import { locateGit } from '../workspace/git.ts'
import { watchWithoutRepository } from './decide/faults.ts'
import { nextTime } from './decide/schedule.ts'
import { IssueWatch } from './issue-watcher.ts'
import type { Watcher } from './record/watch-record.shape.ts'
import { listWatchers, watcherId } from './record/watch-records.ts'
import { watchSchedule } from './schedule-watcher.ts'
import { runsOfServer, type WatchedRuns } from './watched-runs.ts'
import { WatcherLoop, type WatcherOptions, type WatchTarget } from './watcher.ts'

export type WatchEntry = {
  readonly repository: string
  readonly repo?: string | undefined
  readonly label?: string | undefined
  readonly schedule?: string | undefined
  readonly timezone?: string | undefined
  readonly goal_file?: string | undefined
}

export type WatchPlaces = {
  /** Where `gh` and `git` are looked up, with their environment. */
  readonly places: SearchPlaces
  readonly settings: {
    readonly watch_secs: number
    readonly mention: string
    /** Who may ask. Undefined or empty: everyone with write access. */
    readonly reviewers?: readonly string[]
  }
  /** Where people see a run. */
  readonly linkTo: (runId: string) => string | undefined
  /** Nobody continues here what waits for a person. */
  readonly isAlone?: boolean
  readonly runs: WatchedRuns
} & Pick<WatcherOptions, 'directory' | 'clock' | 'signal' | 'onLook'>

const DEFAULT_LABEL = 'drover'
/** A longer limit of GitHub is waited for between two looks. */
const PATIENCE_MS = 60_000

export type OpenedWatcher = { readonly loop: WatcherLoop; readonly watched: WatchTarget }

/** Throws if the entry cannot be watched: a schedule that is not valid, or a clone without a repository. */
export async function openWatcher(entry: WatchEntry, around: WatchPlaces): Promise<OpenedWatcher> {
  const { places, signal, settings } = around
  const git = locateGit(places)
  const workspace = await discoverWorkspace({ start: entry.repository, git, signal })
  const repository = workspace.worktree_root
  const { schedule: pattern, goal_file: file } = entry
  const common = { ...around, intervalMs: settings.watch_secs * 1000 }
  if (pattern !== undefined && file !== undefined) {
    const { watched, watch } = openSchedule({ ...entry, pattern, file, repository }, around)
    return { watched, loop: new WatcherLoop({ ...common, watched, watch }) }
  }
  const directory = repositoryOf(workspace)
  const origin = entry.repo ?? toName(await findOrigin({ git, workspace, signal }))
  if (origin === undefined) throw watchWithoutRepository({})
  const { watched, watch } = openIssues({ ...entry, repo: origin, repository, budgetDirectory: directory }, around)
  return { watched, loop: new WatcherLoop({ ...common, watched, watch }) }
}

function toName(origin: { owner: string; repo: string } | undefined): string | undefined {
  return origin && `${origin.owner}/${origin.repo}`
}

type ScheduleEntry = Pick<WatchEntry, 'repository' | 'timezone'> & { pattern: string; file: string }

function openSchedule({ pattern, timezone, file, repository }: ScheduleEntry, { runs, clock }: WatchPlaces) {
  const schedule = { pattern, timezone }
  nextTime(schedule, clock.now())
  const path = resolve(repository, file)
  const readGoal = async () => decodeGoal(readFileBytes({ path, limitBytes: GOAL_INPUT.limitBytes }))
  const watched: WatchTarget = {
    ...{ id: watcherId(repository, pattern, path), kind: 'schedule', repository, schedule: pattern, goal_file: path },
    ...(timezone !== undefined && { timezone }),
  }
  return { watched, watch: watchSchedule({ schedule, repository, readGoal, runs, clock }) }
}

function openIssues(
  { repo, label = DEFAULT_LABEL, repository, budgetDirectory }: WatchEntry & { repo: string; budgetDirectory: string },
  { runs, places, settings, linkTo, directory, signal, isAlone = false }: WatchPlaces,
) {
  const [owner = '', name = ''] = repo.split('/')
  const id = watcherId(repo.toLowerCase())
  const watched: WatchTarget = { id, kind: 'issues', repository, repo, label }
  const gh = locateGh(places)
  const watch = new IssueWatch(id, {
    openForge: () =>
      new GitHub({ repository: { host: gh.host, owner, repo: name }, gh, signal, patienceMs: PATIENCE_MS }),
    ...{
      label,
      name: settings.mention,
      people: settings.reviewers ?? [],
      repository,
      runs,
      directory,
      isAlone,
      budgetDirectory,
    },
    intervalMs: settings.watch_secs * 1000,
    linkTo,
  })
  return { watched, watch }
}

export type WatchersOptions = Omit<WatchPlaces, 'onLook' | 'runs' | 'linkTo'> & {
  readonly publicUrl: string
  readonly runs: RunService
  readonly budgets: Parameters<typeof runsOfServer>[0]['budgets']
  readonly entries: readonly WatchEntry[]
  readonly log: Log
  /** The server waits for it before it exits. */
  readonly track: (watcher: Promise<void>) => void
}

type Looked = Parameters<WatchPlaces['onLook']>[0]

export class Watchers {
  readonly #options: WatchersOptions
  readonly #open: OpenedWatcher[] = []

  constructor(options: WatchersOptions) {
    this.#options = options
  }

  /** Starts all of them. One that fails does not stop the others. */
  async start(): Promise<void> {
    const { entries, log, track, publicUrl } = this.#options
    const around = {
      ...this.#options,
      runs: runsOfServer(this.#options),
      linkTo: (runId: string) => linkToRun(publicUrl, runId),
      onLook: (looked: Looked) => this.#note(looked),
    }
    for (const entry of entries) {
      try {
        const opened = await openWatcher(entry, around)
        this.#open.push(opened)
        track(opened.loop.run().catch((error: unknown) => this.#refuse(entry, error)))
      } catch (error) {
        this.#refuse(entry, error)
      }
    }
    if (entries.length > 0) log.info({ count: this.#open.length }, 'watches repositories and schedules')
  }

  /** Looks at a repository at once. Returns whether it is watched here. */
  poke(repo: string): boolean {
    const found = this.#open.filter(({ watched }) => watched.repo?.toLowerCase() === repo.toLowerCase())
    for (const { loop } of found) loop.poke()
    return found.length > 0
  }

  async list(): Promise<Watcher[]> {
    return await listWatchers(this.#options.directory)
  }

  #note({ record, started, said }: Looked): void {
    const { log } = this.#options
    const what = record.repo ?? record.schedule
    if (said !== undefined) log.warn({ what, problem: said, again_at: record.next_at }, 'a watcher takes nothing now')
    for (const run of started) log.info({ what, run }, 'a watcher has queued a run')
  }

  #refuse({ repository }: WatchEntry, error: unknown): void {
    this.#options.log.error({ repository, reason: toErrorMessage(error) }, 'a watcher has ended')
  }
}
