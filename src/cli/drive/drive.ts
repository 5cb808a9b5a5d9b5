/** `drover drive`: lets agents do a run, and reports what happens. */
import { existsSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { backendNames, lacksLogin } from '../../agents/locate-agents.ts'
import { toWarmLimits } from '../../agents/pool/pool-rules.ts'
import { WarmPool } from '../../agents/pool/warm-pool.ts'
import type { Config } from '../../config/config.shape.ts'
import { withProject } from '../../config/projects/projects.ts'
import type { Place } from '../../drive/record/drive-event.shape.ts'
import { readDrive } from '../../drive/record/drive-journal.ts'
import type { DriveState } from '../../drive/record/drive-state.ts'
import type { Options } from '../../drive/record/recorded-options.shape.ts'
import { choosesLimit, completeOptions, type GivenOptions, reviewerIn } from '../../drive/start/drive-options.ts'
import {
  type DriveStart,
  type DriveTarget,
  type FoundDrive,
  findDrive,
  folderBelow,
} from '../../drive/start/start-drive.ts'
import { ignoreFault } from '../../kit/fault.ts'
import { USER } from '../../prompts/caller.ts'
import { refuseDeepNesting } from '../../prompts/check-permissions.ts'
import { backendNotFound } from '../../prompts/faults.ts'
import type { PromptContext } from '../../prompts/prompt-context.ts'
import { resolveRunId } from '../../runs/resolve-run-id.ts'
import type { RunContext } from '../../runs/run-context.ts'
import { askGit, type Git } from '../../workspace/git.ts'
import type { Invocation, RunCommand } from '../command.ts'
import { exitCodeOfSignal } from '../interruption.ts'
import { requireServer } from '../local/background-server.ts'
import { type OpenOptions, openDrover } from '../open/open-drover.ts'
import { chooseProject } from '../project/choose-project.ts'
import { canAsk } from '../run/ask-person.ts'
import { openRuns } from '../run/open-runs.ts'
import { findUserPaths, readSettings } from '../settings.ts'
import type { Channel } from '../terminal.ts'
import { type WorkspaceCommand, withWorkspace } from '../workspace-command.ts'
import { readDriveFlags, readTotals } from './drive-flags.ts'
import { createJsonDrivePrinter, createTextDrivePrinter } from './drive-printer.ts'
import { confirmGoal, decideAboutSettings } from './drive-questions.ts'
import { findByPullRequest, readTargets } from './drive-target.ts'
import { type DriveHere, driveToEnd, parseNotify, readTrust } from './drive-to-end.ts'
import { followNeedsRun, restoreNeedsRun } from './faults.ts'
import { detachDrive } from './hand-over.ts'
import { listDriven } from './list-driven.ts'
import { queueDrives } from './queue-drives.ts'
import { chooseWanted, moveRun, raiseTotals, type Wanted, withTotals } from './queue-flags.ts'
import { restoreRun } from './restore-run.ts'
import { showQueue } from './show-queue.ts'

export const run: RunCommand = (invocation) =>
  withWorkspace(invocation, async (command) => {
    try {
      return await driveTarget(invocation, command)
    } catch (error) {
      if (!command.isInterruptedBy(error)) throw error
      const hint = command.runId === undefined ? '' : `; "drover drive ${command.runId}" continues`
      await invocation.runtime.terminal.err.write(`drover: interrupted before an agent began${hint}\n`)
      return exitCodeOfSignal('SIGINT')
    }
  })

async function driveTarget(invocation: Invocation, command: WorkspaceCommand): Promise<number> {
  const { flags, runtime } = invocation
  if (flags.isOn('list')) return await listDriven(invocation, await openRuns(command, runtime))
  const said = await readTargets(invocation)
  const isFollowing = flags.isOn('take-over') || said.some(({ is }) => is === 'pull_request')
  const given = { ...readDriveFlags(invocation), ...(isFollowing && { follow: true }) }
  const notifyCommand = parseNotify(flags.text('notify'))
  const { config } = await readSettings(invocation)
  if (flags.isOn('queue')) return await showQueue(invocation, config)
  refuseUnknownAgents(given, config)
  refuseDeepNesting({ env: runtime.env, settings: config })
  const context = await openRuns(command, runtime)
  const named: DriveTarget[] = []
  for (const target of said) named.push(await findByPullRequest(target, context))
  refuseNewRuns(invocation, named)
  if (flags.isOn('restore')) {
    command.runId = resolveRunId(context, requireOnlyRun(named))
    return await restoreRun(invocation, context, command.runId)
  }
  const wanted = await chooseWanted(invocation, context, named)
  if (wanted.is === 'moved') return await moveRun(invocation, config, wanted)
  const target = wanted.is === 'queue' ? wanted.targets[0] : wanted.target
  if (target.is === 'run') command.runId = resolveRunId(context, target.id)
  return await driveWanted(invocation, command, { wanted, target, given, notifyCommand, config, context })
}

function refuseUnknownAgents({ backend, review_backend: review, fallback = [] }: GivenOptions, config: Config): void {
  const known = backendNames(config.backends)
  const unknown = [backend, review, ...fallback].find((each) => each !== undefined && !known.includes(each))
  if (unknown !== undefined) throw backendNotFound({ backend: unknown, known })
}

function requireOnlyRun([target, ...others]: readonly DriveTarget[]): string {
  if (target?.is !== 'run' || others.length > 0) throw restoreNeedsRun({})
  return target.id
}

/** Only a run that is there can do something in addition. */
function refuseNewRuns({ flags }: Invocation, named: readonly DriveTarget[]): void {
  const flag = flags.texts('also').length > 0 ? '--also' : flags.isOn('take-over') ? '--take-over' : undefined
  const isRun = named.length <= 1 && named.every(({ is }) => is === 'run')
  if (flag !== undefined && !isRun) throw followNeedsRun({ flag })
}

type WantedDrive = {
  wanted: Exclude<Wanted, { is: 'moved' }>
  /** The first of them. */
  target: DriveTarget
  given: GivenOptions
  notifyCommand: string | undefined
  config: Config
  context: RunContext
}

async function driveWanted(
  invocation: Invocation,
  command: WorkspaceCommand,
  { wanted, target, given, notifyCommand, config, context }: WantedDrive,
): Promise<number> {
  const { flags, runtime } = invocation
  const totals = readTotals(invocation)
  if (command.runId !== undefined) raiseTotals(invocation, command.runId, totals)
  const isPrepared = target.is !== 'run' && !flags.isOn('in-place')
  const mayAsk = mayAskFirst(invocation, { wanted, given })
  const project = isPrepared ? await chooseProject(invocation, { context, given, config, mayAsk }) : undefined
  const settings = withProject(config, project)
  const isDemo = flags.isOn('demo') || isDemoRun(context, command.runId)
  await using drover = openDrover(invocation, {
    config,
    isDemo,
    keep: 'events',
    createPool: poolFor(config, isDemo),
  })
  const sources = () => ({ settings, prompts: drover.runContextFor(USER), isDemo })
  const optionsFrom = (before?: Options) => completeOptions(given, before, sources())
  const sandbox = await drover.machineSandbox()
  const { follow } = given
  const start = toStart(invocation, { context, config, sandbox, follow, newOptions: () => optionsFrom() })
  const askFirst = (started: FoundDrive) => prepareNew({ invocation, config, drover }, started, mayAsk)
  if (wanted.is === 'queue') {
    const queued = { context, config, targets: wanted.targets, given, totals, isDemo, notify: notifyCommand }
    const reviewer = reviewerIn(completeOptions(withTotals(given, totals), undefined, sources()))
    const newOptions = () => ({ ...optionsFrom(), ...reviewer })
    return await queueDrives(invocation, { ...queued, start: { ...start, newOptions }, onStarted: askFirst })
  }
  // Before anything is created.
  if (flags.isOn('detach')) await requireServer(invocation, config)
  const found = withLimitChoice(await findDrive(context, { ...start, target }), given)
  command.runId = found.runId
  await noteUnseenWork(found.begin.place, { ...found.context, err: runtime.terminal.err })
  if (found.begin.isNew === true) await askFirst(found)
  if (flags.isOn('detach'))
    return await detachDrive(invocation, { found, given, isDemo, notify: notifyCommand, config })
  const printer = flags.isOn('json')
    ? createJsonDrivePrinter(runtime.terminal)
    : createTextDrivePrinter(runtime.terminal, runtime.clock)
  const drive = { invocation, config, drover, context: found.context, printer }
  return await driveToEnd(drive, found, {
    ...{ given, isDemo, optionsFrom, notifyCommand },
    isInterruptedBy: (e) => command.isInterruptedBy(e),
  })
}

/** A command with its checks that leaves its runs to the server has said what it wants. */
function mayAskFirst(
  { runtime, flags }: Invocation,
  { wanted, given }: Pick<WantedDrive, 'wanted' | 'given'>,
): boolean {
  const isLeft = flags.isOn('detach') || wanted.is === 'queue'
  return canAsk(runtime) && !flags.isOn('json') && !(isLeft && given.checks !== undefined)
}

function withLimitChoice(found: FoundDrive, given: GivenOptions): FoundDrive {
  return choosesLimit(given) ? { ...found, begin: { ...found.begin, choosesLimit: true } } : found
}

/** What a person decides or should know before the first agent starts. */
async function prepareNew(
  { invocation, config, drover }: Pick<DriveHere, 'invocation' | 'config' | 'drover'>,
  { context, runId }: FoundDrive,
  mayAsk: boolean,
): Promise<void> {
  const { err } = invocation.runtime.terminal
  // Without a terminal, the first attempt says it.
  const drive = err.isTty ? readDrive(context.store, runId) : undefined
  if (drive !== undefined) await noteMissingLogins(drive, { prompts: drover.runContextFor(USER), err })
  await decideAboutSettings(invocation, context, { ...readTrust({ invocation, config }), mayAsk })
}

type Search = { context: RunContext; config: Config; follow: boolean | undefined } & Pick<
  DriveStart,
  'newOptions' | 'sandbox'
>

function toStart(invocation: Invocation, search: Search): Omit<DriveStart, 'target'> {
  const { context, config, newOptions, sandbox, follow } = search
  const { flags, runtime } = invocation
  return {
    newOptions,
    sandbox,
    also: flags.texts('also'),
    takesOver: flags.isOn('take-over'),
    follows: follow,
    actions: flags.integer('actions'),
    defaultActions: config.drive.actions,
    isReviewed: !flags.isOn('no-review'),
    isInPlace: flags.isOn('in-place'),
    folder: folderBelow(context.workspace, resolve(runtime.cwd, flags.text('root') ?? '')),
    worktrees: findUserPaths(invocation).worktrees,
    version: runtime.version(),
    places: runtime,
    confirmGoal: (issue) => confirmGoal(invocation, { ...issue, signal: context.signal }),
  }
}

/** A run that was started with the demo agent continues with it. */
function isDemoRun({ store }: RunContext, runId: string | undefined): boolean {
  return runId !== undefined && readDrive(store, runId)?.options.is_demo === true
}

/** Follow-ups and later actions go to the agent that is up. The demo agent does not stay up. */
function poolFor({ warm }: Config, isDemo: boolean): OpenOptions['createPool'] {
  if (!warm.enabled || isDemo) return undefined
  // A run continues in one session, so a process that waits for a new one would be of no use.
  const limits = toWarmLimits({ ...warm, spares: 0 })
  return (owner) => new WarmPool({ limits, owner, onFailure: () => {}, startsAtOnce: true })
}

/** Tells a person at the terminal that an agent of a new run seems to have no login: the run would pause, perhaps hours later. */
export async function noteMissingLogins(
  { options, is_reviewed: isReviewed }: Pick<DriveState, 'options' | 'is_reviewed'>,
  { prompts, err }: { readonly prompts: Pick<PromptContext, 'locate' | 'env'>; readonly err: Channel },
): Promise<void> {
  const agents = new Set([options.backend, ...(isReviewed === false ? [] : [options.review_backend])])
  for (const backend of agents) {
    const located = prompts.locate(backend)
    if (located === undefined || !lacksLogin(located, prompts.env)) continue
    const { login } = located.agent
    await err.write(`drover: warning: ${backend} has no login that drover can see; to log in, ${login}\n`)
  }
}

type Reading = { git: Git; signal: AbortSignal; err: Channel }

/** Tells the user what agents do not see, because they work in a new worktree of the last commit. */
async function noteUnseenWork(place: Place, { git, signal, err }: Reading): Promise<void> {
  if (place.kind !== 'worktree') return
  if (await hasChanges(place.repository, { git, signal })) {
    await err.write(
      'drover: note: the agents work from the last commit and do not see your uncommitted changes; --in-place works with them\n',
    )
  }
  if (existsSync(join(place.root, '.gitmodules'))) {
    await err.write('drover: note: submodules are empty in the worktree of the agents; --in-place works with yours\n')
  }
}

/** A failure is not reported: the run is started already, and only the note would be missing. */
async function hasChanges(directory: string, { git, signal }: Omit<Reading, 'err'>): Promise<boolean> {
  const args = ['status', '--porcelain', '--ignore-submodules=dirty'] as const
  const listed = await askGit(git, { directory, args, signal }).catch(ignoreFault)
  return listed !== undefined && listed.stdout.length > 0
}
