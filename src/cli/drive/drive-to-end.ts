/** Drives a run here, or follows the server that drives it, and reports how it ended: to the caller, to `--notify` and to the targets of the settings. */
import type { Config } from '../../config/config.shape.ts'
import { type AnnouncedRun, announceRun, runNotifyCommand } from '../../drive/announce-run.ts'
import type { Limit } from '../../drive/decide/after-limit.ts'
import { uninterrupted } from '../../drive/drive-context.ts'
import type { DriveBegin, RoundsResult } from '../../drive/drive-rounds.ts'
import type { ProjectTrust } from '../../drive/project-settings.ts'
import { readVerdict, surroundings } from '../../drive/read-verdict.ts'
import type { BaselineRun } from '../../drive/record/drive-state.ts'
import { driveBusy } from '../../drive/record/faults.ts'
import { type GivenOptions, namesOptions } from '../../drive/start/drive-options.ts'
import { driveUserRun, type FoundDrive, lastingWorktree } from '../../drive/start/start-drive.ts'
import { removeDelivered } from '../../drive/start/worktree-of-run.ts'
import { Fault } from '../../kit/fault.ts'
import { SILENT_LOG } from '../../kit/log.ts'
import { parseCheck } from '../../kit/process/run-check.ts'
import { raceTime } from '../../kit/race.ts'
import { USER } from '../../prompts/caller.ts'
import { outlineRun, type RunOutline } from '../../runs/read-status.ts'
import { shortenKnownRunId } from '../../runs/resolve-run-id.ts'
import type { RunContext } from '../../runs/run-context.ts'
import type { InProcessDrover } from '../../service/in-process.ts'
import { toFollowUpBody } from '../../service/run-requests.ts'
import type { Invocation } from '../command.ts'
import { exitCodeOfSignal } from '../interruption.ts'
import { askStatus } from '../local/local-server.ts'
import { callServer } from '../local/server-client.ts'
import { timesFor, verdictIn } from '../output/format-amounts.ts'
import { canAsk } from '../run/ask-person.ts'
import { continueInServer, wasLeftToServer } from '../run/continue-in-server.ts'
import { findUserPaths } from '../settings.ts'
import type { DrivePrinter } from './drive-printer.ts'
import { askAboutLimit, askAboutRun, confirmBaseline } from './drive-questions.ts'
import { endLines } from './end-text.ts'
import { notifyFailed, targetsNotTold } from './faults.ts'
import { attach, isDrivenByServer, toLocalDrive } from './hand-over.ts'

type EndOptions = {
  given: GivenOptions
  isDemo: boolean
  optionsFrom: DriveBegin['optionsFrom']
  notifyCommand: string | undefined
  isInterruptedBy: (error: unknown) => boolean
}

/** Runs the `--notify` program however the drive ends, even with an error. */
export async function driveToEnd(drive: DriveHere, found: FoundDrive, options: EndOptions): Promise<number> {
  const { invocation, printer, config, drover } = drive
  const { context: runs, runId } = found
  const run = { run_id: runId, repository: lastingWorktree(found) }
  const tell = () => notify(invocation, { config, drover, runs, run, command: options.notifyCommand })
  const telling: DrivePrinter = {
    update(update) {
      printer.update(update)
      if (update.is === 'recorded' && update.event.type === 'waiting_for_limit') void tell()
    },
    clearLive: () => printer.clearLive(),
  }
  try {
    const result = await driveIt({ ...drive, printer: telling }, found, options)
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

export type DriveHere = {
  invocation: Invocation
  config: Config
  drover: InProcessDrover
  context: RunContext
  printer: DrivePrinter
}

/** The server drove it, and this command only followed. */
type DrivenHere = RoundsResult & { isAttached?: true }

/** Undefined if the server drives the run, and the person left it. */
async function driveIt(drive: DriveHere, found: FoundDrive, options: EndOptions): Promise<DrivenHere | undefined> {
  const { invocation } = drive
  const { optionsFrom, given, isDemo, notifyCommand: notify } = options
  if (await waitsForAnswer(drive, found, options)) return await followServer(drive, found, options)
  try {
    return await driveHere(drive, found, optionsFrom)
  } catch (error) {
    if (!(await isDrivenByServer(invocation, found.runId, error))) throw error
    const isChanged = namesOptions(given)
    if (isChanged) {
      const body = toLocalDrive(invocation, { found, given, isDemo, notify })
      await callServer(invocation, { method: 'POST', path: '/local/drive', body })
    } else await askServerForMore(invocation, found)
    await sayServerDrives(invocation, isChanged ? 'these options' : 'its own options')
    return await followServer(drive, found, options)
  }
}

/** The run was left to a server that is there, and nothing is wanted but to answer its question and to see how it ends. */
async function waitsForAnswer(
  { invocation, context }: DriveHere,
  { runId, begin }: FoundDrive,
  { given, notifyCommand }: EndOptions,
): Promise<boolean> {
  const isMore = namesOptions(given) || notifyCommand !== undefined || (begin.also ?? []).length > 0
  if (isMore || !canAskIn(invocation) || !wasLeftToServer(invocation, runId)) return false
  const { state, pause_reason: reason } = await outlineRun(context, runId)
  if (state !== 'paused' || reason === undefined || !ASKED.includes(reason)) return false
  return (await askStatus(invocation)) !== undefined
}

const ASKED: readonly string[] = ['decision_required', 'destructive_confirmation_required', 'budget_exhausted']

/** Asks what the run waits for, and lets the server continue it. */
async function followServer(
  drive: DriveHere,
  found: FoundDrive,
  { optionsFrom }: EndOptions,
): Promise<DrivenHere | undefined> {
  const { invocation, context, printer } = drive
  const shown = { runId: found.runId, count: 0 }
  for (;;) {
    const result = await attach(context, { runId: found.runId, shown }, (update) => printer.update(update))
    if (result?.end.is !== 'waits' || !canAskIn(invocation)) return result && { ...result, isAttached: true }
    await printer.clearLive()
    const run = await outlineRun(context, result.runId)
    if (!(await askAboutRun(invocation.runtime, run, context))) return { ...result, isAttached: true }
    if (!(await continueInServer(invocation, result.runId))) return await driveHere(drive, found, optionsFrom)
    await sayServerDrives(invocation, 'its own options')
  }
}

async function sayServerDrives({ runtime }: Invocation, how: string): Promise<void> {
  await runtime.terminal.err.write(
    `drover: the run continues in the background with ${how}. Ctrl-C leaves it running.\n`,
  )
}

/** The server follows the pull request of the run, and does what is wanted in addition. */
async function askServerForMore(invocation: Invocation, { runId, begin }: FoundDrive): Promise<void> {
  const body = toFollowUpBody(begin)
  if ((begin.also ?? []).length === 0 && begin.takesOver !== true) return
  await callServer(invocation, { method: 'POST', path: `/api/v1/runs/${runId}/follow-up`, body })
}

async function driveHere(
  drive: DriveHere,
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

export function readTrust({ invocation, config }: Pick<DriveHere, 'invocation' | 'config'>): ProjectTrust {
  const { trustedSettings: decisions } = findUserPaths(invocation)
  return { use: config.agents.project_settings, decisions }
}

function canAskIn({ flags, runtime }: Invocation): boolean {
  return canAsk(runtime) && !flags.isOn('json')
}

async function reportLeft({ invocation, context }: DriveHere, runId: string): Promise<number> {
  const name = shortenKnownRunId(context, runId)
  await invocation.runtime.terminal.err.write(
    `drover: the run continues in the background; "drover stop ${name}" stops it, "drover drive ${name}" follows it again\n`,
  )
  return exitCodeOfSignal('SIGINT')
}

/** Says how it ended and what to do next. */
async function reportEnd(drive: DriveHere, result: DrivenHere): Promise<number> {
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
  const wasAsked = canAskIn(invocation) && (result.isAttached !== true || end.is === 'waits')
  const shown = verdictIn(
    verdict,
    timesFor(out, () => runtime.clock.now()),
  )
  const { earlier } = surroundings(context.store, state)
  await out.write(`${endLines({ verdict: shown, state, earlier, run, name, wasAsked, kept }, out).join('\n')}\n`)
  return exitCode
}

/** Tells the targets of the settings, the program of `--notify`, and the terminal, how a drive ended. */
const BELL = '\u0007'
/** What is not delivered by then is delivered by the next process that can. */
const DELIVERY_MS = 5000

/** Refuses a command that cannot be run, before anything is paid for. */
export function parseNotify(text: string | undefined): string | undefined {
  if (text !== undefined) parseCheck(text)
  return text
}

type Told = {
  readonly config: Config
  readonly drover: InProcessDrover
  readonly runs: RunContext
  readonly run: AnnouncedRun
  /** Of `--notify`. */
  readonly command: string | undefined
}

/** A failure is only a warning: the run is not affected. */
async function notify({ runtime }: Invocation, told: Told): Promise<void> {
  const { err } = runtime.terminal
  if (err.isTty) await err.write(BELL)
  const warn = async ({ message }: Fault) => await err.write(`drover: warning: ${message}\n`)
  await tellTargets(runtime, told).catch(async (error: unknown) => {
    if (!(error instanceof Fault)) throw error
    await warn(targetsNotTold({ problem: error.message }))
  })
  const { command, runs, run } = told
  if (command === undefined) return
  const problem = await runNotifyCommand(command, { ...runtime, runs }, run.run_id)
  if (problem !== undefined) await warn(notifyFailed({ command, problem }))
}

async function tellTargets({ env, cwd, clock }: Invocation['runtime'], { config, drover, runs, run }: Told) {
  const { targets } = config.notify
  if (targets.length === 0) return
  const { Notifier } = await import('../../notify/notifier.ts')
  const { outbox } = await drover.stores()
  const notifier = new Notifier({ outbox, targets, env, cwd, clock, log: SILENT_LOG })
  const consoleUrl = () => config.server.public_url
  await announceRun(runs, run, { announce: (event) => notifier.announce(event), consoleUrl })
  await raceTime(notifier.flush(), DELIVERY_MS)
}
