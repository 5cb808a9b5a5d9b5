/** `drover drive`: lets agents do a run, and reports what happens. */
import { resolve } from 'node:path'
import { toWarmLimits } from '../../agents/pool/warm-limits.ts'
import { WarmPool } from '../../agents/pool/warm-pool.ts'
import type { Config } from '../../config/config.shape.ts'
import { withProject } from '../../config/projects/projects.ts'
import type { Limit } from '../../drive/decide/after-limit.ts'
import { uninterrupted } from '../../drive/drive-context.ts'
import type { DriveBegin, RoundsResult } from '../../drive/drive-rounds.ts'
import type { ProjectTrust } from '../../drive/project-settings.ts'
import { readVerdict } from '../../drive/read-verdict.ts'
import type { Options } from '../../drive/record/drive-event.shape.ts'
import { readDrive } from '../../drive/record/drive-journal.ts'
import type { BaselineRun } from '../../drive/record/drive-state.ts'
import { driveBusy } from '../../drive/record/faults.ts'
import { completeOptions, type GivenOptions } from '../../drive/start/drive-options.ts'
import { driveUserRun } from '../../drive/start/drive-user-run.ts'
import { removeDelivered } from '../../drive/start/remove-delivered.ts'
import {
  type DriveStart,
  type DriveTarget,
  type FoundDrive,
  findDrive,
  folderBelow,
} from '../../drive/start/start-drive.ts'
import { Fault } from '../../kit/fault.ts'
import { USER } from '../../prompts/caller.ts'
import { refuseDeepNesting } from '../../prompts/check-permissions.ts'
import { outlineRun, type RunOutline } from '../../runs/read-status.ts'
import { resolveRunId, shortenKnownRunId } from '../../runs/resolve-run-id.ts'
import type { RunContext } from '../../runs/run-context.ts'
import type { InProcessDrover } from '../../service/in-process.ts'
import { toFollowUpBody } from '../../service/run-requests.ts'
import type { Invocation, RunCommand } from '../command.ts'
import { exitCodeOfSignal } from '../interruption.ts'
import { requireServer } from '../local/background-server.ts'
import { callServer } from '../local/server-client.ts'
import { type OpenOptions, openDrover } from '../open/open-drover.ts'
import { chooseProject } from '../project/choose-project.ts'
import { canAsk } from '../run/ask-person.ts'
import { openRuns } from '../run/open-runs.ts'
import { findUserPaths, readSettings } from '../settings.ts'
import { type WorkspaceCommand, withWorkspace } from '../workspace-command.ts'
import { askAboutLimit } from './ask-about-limit.ts'
import { askAboutRun } from './ask-about-run.ts'
import { attach, isDrivenByServer } from './attach.ts'
import { confirmBaseline } from './confirm-baseline.ts'
import { confirmGoal } from './confirm-goal.ts'
import { decideAboutSettings } from './decide-about-settings.ts'
import { detachDrive } from './detach.ts'
import { readDriveFlags, readTotals } from './drive-flags.ts'
import { createJsonDrivePrinter, createTextDrivePrinter, type DrivePrinter } from './drive-printer.ts'
import { findByPullRequest, readTargets } from './drive-target.ts'
import { endLines } from './end-text.ts'
import { followNeedsRun, restoreNeedsRun } from './faults.ts'
import { listDriven } from './list-driven.ts'
import { noteMissingLogins } from './missing-logins.ts'
import { notify, parseNotify } from './notify.ts'
import { queueDrives } from './queue-drives.ts'
import { chooseWanted, moveRunFirst, raiseTotals, type Wanted, withTotals } from './queue-flags.ts'
import { restoreRun } from './restore-run.ts'
import { showQueue } from './show-queue.ts'
import { noteUnseenWork } from './unseen-work.ts'

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
  if (wanted.is === 'moved') return await moveRunFirst(invocation, wanted.runId)
  const target = wanted.is === 'queue' ? wanted.targets[0] : wanted.target
  if (target.is === 'run') command.runId = resolveRunId(context, target.id)
  return await driveWanted(invocation, command, { wanted, target, given, notifyCommand, config, context })
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
  const project = isPrepared ? await chooseProject(invocation, { context, given, config }) : undefined
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
  const askFirst = (started: FoundDrive) => prepareNew({ invocation, config, drover }, started)
  if (wanted.is === 'queue') {
    const queued = { context, config, targets: wanted.targets, given, totals, isDemo, notify: notifyCommand }
    const { review_backend } = completeOptions(withTotals(given, totals), undefined, sources())
    const newOptions = () => ({ ...optionsFrom(), review_backend })
    return await queueDrives(invocation, { ...queued, start: { ...start, newOptions }, onStarted: askFirst })
  }
  // Before anything is created.
  if (flags.isOn('detach')) await requireServer(invocation, config)
  const found = await findDrive(context, { ...start, target })
  command.runId = found.runId
  await noteUnseenWork(found.begin.place, { ...found.context, err: runtime.terminal.err })
  if (found.begin.isNew === true) await askFirst(found)
  if (flags.isOn('detach'))
    return await detachDrive(invocation, { found, given, isDemo, notify: notifyCommand, config })
  const printer = flags.isOn('json')
    ? createJsonDrivePrinter(runtime.terminal)
    : createTextDrivePrinter(runtime.terminal)
  const drive = { invocation, config, drover, context: found.context, printer }
  return await driveToEnd(drive, found, {
    optionsFrom,
    notifyCommand,
    isInterruptedBy: (e) => command.isInterruptedBy(e),
  })
}

/** What a person decides or should know before the first agent starts. */
async function prepareNew(
  { invocation, config, drover }: Pick<Drive, 'invocation' | 'config' | 'drover'>,
  { context, runId }: FoundDrive,
): Promise<void> {
  const { err } = invocation.runtime.terminal
  // Without a terminal, the first attempt says it.
  const drive = err.isTty ? readDrive(context.store, runId) : undefined
  if (drive !== undefined) await noteMissingLogins(drive, { prompts: drover.runContextFor(USER), err })
  await decideAboutSettings(invocation, context, readTrust({ invocation, config }))
}

type EndOptions = {
  optionsFrom: DriveBegin['optionsFrom']
  notifyCommand: string | undefined
  isInterruptedBy: (error: unknown) => boolean
}

/** Runs the `--notify` program however the drive ends, even with an error. */
async function driveToEnd(drive: Drive, found: FoundDrive, options: EndOptions): Promise<number> {
  const { invocation, printer } = drive
  const tell = () => notify(invocation, { command: options.notifyCommand, runs: found.context }, found.runId)
  const telling: DrivePrinter = {
    update(update) {
      printer.update(update)
      if (update.is === 'recorded' && update.event.type === 'waiting_for_limit') void tell()
    },
    clearLive: () => printer.clearLive(),
  }
  try {
    const result = await driveIt({ ...drive, printer: telling }, found, options.optionsFrom)
    await printer.clearLive()
    if (result === undefined) return await reportLeft(drive, found.runId)
    const exitCode = await reportEnd(drive, result)
    await tell()
    return exitCode
  } catch (error) {
    await printer.clearLive()
    const isEnd = error instanceof Fault && error.code !== driveBusy.code && !options.isInterruptedBy(error)
    if (isEnd) await tell()
    throw error
  } finally {
    await printer.clearLive()
  }
}

type Search = { context: RunContext; config: Config; follow: boolean | undefined } & Pick<
  DriveStart,
  'newOptions' | 'sandbox'
>

function toStart(
  invocation: Invocation,
  { context, config, newOptions, sandbox, follow }: Search,
): Omit<DriveStart, 'target'> {
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

type Drive = {
  invocation: Invocation
  config: Config
  drover: InProcessDrover
  context: RunContext
  printer: DrivePrinter
}

/** The server drove it, and this command only followed. */
type DrivenHere = RoundsResult & { isAttached?: true }

/** Undefined if the server drives the run, and the person left it. */
async function driveIt(
  drive: Drive,
  found: FoundDrive,
  optionsFrom: DriveBegin['optionsFrom'],
): Promise<DrivenHere | undefined> {
  const { invocation, context, printer } = drive
  try {
    return await driveHere(drive, found, optionsFrom)
  } catch (error) {
    if (!(await isDrivenByServer(invocation, found.runId, error))) throw error
    const { err } = invocation.runtime.terminal
    await askServerForMore(invocation, found)
    await err.write('drover: the run continues in the background with its own options. Ctrl-C leaves it running.\n')
    const result = await attach(context, found.runId, (update) => printer.update(update))
    return result && { ...result, isAttached: true }
  }
}

/** The server follows the pull request of the run, and does what is wanted in addition. */
async function askServerForMore(invocation: Invocation, { runId, begin }: FoundDrive): Promise<void> {
  const body = toFollowUpBody(begin)
  if ((begin.also ?? []).length === 0 && begin.takesOver !== true) return
  await callServer(invocation, { method: 'POST', path: `/api/v1/runs/${runId}/follow-up`, body })
}

async function driveHere(
  drive: Drive,
  found: FoundDrive,
  optionsFrom: DriveBegin['optionsFrom'],
): Promise<RoundsResult> {
  const { invocation, drover, printer } = drive
  const { flags, runtime } = invocation
  const { out, err } = runtime.terminal
  const ask = async (run: RunOutline, there: RunContext) => {
    await printer.clearLive()
    return await askAboutRun(runtime, run, there)
  }
  const askBaseline = async (failed: readonly BaselineRun[]) => {
    await printer.clearLive()
    return await confirmBaseline(runtime, failed, found.context.signal)
  }
  const askLimit = async (limit: Limit, next: string | undefined) => {
    await printer.clearLive()
    return await askAboutLimit(runtime, { limit, next }, found.context.signal)
  }
  return await driveUserRun(found, {
    optionsFrom,
    prompts: drover.runContextFor(USER),
    env: runtime.env,
    wantsDeltas: flags.isOn('json') || out.canRedraw,
    projectTrust: readTrust(drive),
    directories: findUserPaths(invocation),
    onUpdate: (update) => printer.update(update),
    onNoteFailure: ({ message }) => void err.write(`drover: warning: ${message}\n`),
    sandbox: await drover.machineSandbox(),
    templates: { home: findUserPaths(invocation).templates, maxBytes: drive.config.drive.template_max_bytes },
    agentLimits: findUserPaths(invocation).agentLimits,
    ...(canAskIn(invocation) && { ask, confirmBaseline: askBaseline, askAboutLimit: askLimit }),
  })
}

function readTrust({ invocation, config }: Pick<Drive, 'invocation' | 'config'>): ProjectTrust {
  const { trustedSettings: decisions } = findUserPaths(invocation)
  return { use: config.agents.project_settings, decisions }
}

function canAskIn({ flags, runtime }: Invocation): boolean {
  return canAsk(runtime) && !flags.isOn('json')
}

async function reportLeft({ invocation, context }: Drive, runId: string): Promise<number> {
  const name = shortenKnownRunId(context, runId)
  await invocation.runtime.terminal.err.write(
    `drover: the run continues in the background; "drover stop ${name}" stops it, "drover drive ${name}" follows it again\n`,
  )
  return exitCodeOfSignal('SIGINT')
}

/** Says how it ended and what to do next. */
async function reportEnd(drive: Drive, result: DrivenHere): Promise<number> {
  const { invocation, context } = drive
  const { flags, runtime } = invocation
  const { end, state, runId } = result
  const kept =
    end.is === 'ended' && result.isAttached !== true
      ? await removeDelivered(findUserPaths(invocation).worktrees, context, state)
      : undefined
  const { out } = runtime.terminal
  const name = shortenKnownRunId(context, runId)
  const run = await outlineRun(uninterrupted(context), runId)
  const named = flags.isOn('json') ? runId : name
  const verdict = await readVerdict(uninterrupted(context), { run, drive: state, name: named })
  const wasInterrupted = end.is === 'interrupted' && result.isAttached !== true
  const exitCode = (wasInterrupted ? undefined : verdict.exit_code) ?? exitCodeOfSignal('SIGINT')
  if (flags.isOn('json')) {
    const ended = { type: 'result', run_id: runId, verdict, exit_code: exitCode, delivered: state.delivered }
    await out.write(`${JSON.stringify(ended)}\n`)
    return exitCode
  }
  const wasAsked = canAskIn(invocation) && result.isAttached !== true
  await out.write(`${endLines({ verdict, state, run, name, wasAsked, kept }, out).join('\n')}\n`)
  return exitCode
}
