/** Tells people and programs that a run waits, or how it ended. */
import { titleOfGoal } from '../contract/goal-title.ts'
import type { RunVerdict } from '../contract/run-verdict.shape.ts'
import { toTimestamp } from '../kit/clock.ts'
import { digestFields } from '../kit/digest.ts'
import { Fault } from '../kit/fault.ts'
import { parseCheck } from '../kit/process/run-check.ts'
import { withUtcTimes } from '../kit/wording.ts'
import { type NotifyEvent, type NotifyKind, toSafeData, toSafeText } from '../notify/notify-event.ts'
import { deliverToProgram } from '../notify/tell-target.ts'
import { outlineRun, type RunOutline } from '../runs/read-status.ts'
import type { RunContext } from '../runs/run-context.ts'
import { asOwner } from '../runs/run-worktree.ts'
import { uninterrupted } from './drive-context.ts'
import { lastRound, readVerdict } from './read-verdict.ts'
import type { DriveState } from './record/drive-state.ts'
import type { DrivenRecord } from './record/driven-record.shape.ts'

/** Where the targets of the settings are told. */
export type Announcing = {
  readonly announce: (event: NotifyEvent) => Promise<void>
  /** The address of the console, for links. Empty: it is not known. */
  readonly consoleUrl: () => string
}

export type AnnouncedRun = Pick<DrivenRecord, 'run_id' | 'repository' | 'label' | 'key_id'>

type Notice = {
  readonly run: RunOutline
  readonly drive: DriveState
  readonly verdict: RunVerdict
  readonly question: string | undefined
}

/** The page of the console that shows a run, with its question. */
export function linkToRun(consoleUrl: string, runId: string): string | undefined {
  return consoleUrl === '' ? undefined : `${consoleUrl}/#/runs/${runId}`
}

/** Tells the targets of the settings. Resolves when it cannot be lost any more. */
export async function announceRun(
  runs: RunContext,
  { run_id: runId, repository, label, key_id: keyId }: AnnouncedRun,
  announcing: Announcing,
): Promise<void> {
  const notice = await readNotice(runs, runId)
  const { run, drive, verdict, question } = notice
  const kind = toNotifyKind(verdict, { ...drive, isStopped: run.state === 'stopped' })
  if (kind === undefined) return
  const id = `msg_${digestFields(['drover-notice/v1', run.id, kind, run.updated_at, verdict.reason]).slice(7, 39)}`
  const url = linkToRun(announcing.consoleUrl(), run.id)
  await announcing.announce({
    ...{ id, kind, stream: runId, repository, label, keyId, url },
    at: toTimestamp(runs.clock.now()),
    title: `${verdict.word}: ${toSafeText(titleOfGoal(drive.goal), TITLE_CHARACTERS)}`,
    text: [toSafeText(question ?? withUtcTimes(verdict.reason)), toSafeText(verdict.next ?? '')]
      .filter(Boolean)
      .join('\n'),
    data: toSafeData({ ...toData(notice), repository, label }),
  })
}

const TITLE_CHARACTERS = 100

/** Runs the command of `--notify`, which gets JSON on its standard input. Returns why it failed; undefined if it did not. */
export async function runNotifyCommand(
  command: string,
  places: {
    readonly env: Readonly<Record<string, string | undefined>>
    readonly cwd: string
    readonly runs: RunContext
  },
  runId: string,
): Promise<string | undefined> {
  try {
    const stdin = `${JSON.stringify(toData(await readNotice(places.runs, runId)))}\n`
    return (await deliverToProgram(parseCheck(command), stdin, places))?.problem
  } catch (error) {
    if (error instanceof Fault) return error.message
    throw error
  }
}

function toData({ run, drive, verdict, question }: Notice) {
  return { verdict, run_id: run.id, goal: drive.goal, question, delivered: drive.delivered }
}

/** About the last round of the run. */
async function readNotice(runs: RunContext, firstId: string): Promise<Notice> {
  const drive = lastRound(runs.store, firstId)
  const context = uninterrupted(asOwner(runs, drive.run_id))
  const run = await outlineRun(context, drive.run_id)
  const question = run.state === 'paused' ? run.actions.at(-1)?.outcome?.pause?.question : undefined
  return { run, drive, verdict: await readVerdict(context, { run, drive }), question }
}

/** Which kind of notification a run is worth. Pure. */
const KINDS: Partial<Record<RunVerdict['word'], NotifyKind>> = {
  'waits for you': 'question',
  delivered: 'delivered',
  'delivered, look first': 'delivered',
  merged: 'delivered',
  'nothing to change': 'delivered',
  'not delivered': 'failed',
  'waiting for limit': 'limit',
}

/** Undefined: no one has to know. Who stops a run knows it. */
export function toNotifyKind(
  { word }: Pick<RunVerdict, 'word'>,
  { paused, isStopped = false }: Pick<DriveState, 'paused'> & { readonly isStopped?: boolean },
): NotifyKind | undefined {
  if (isStopped) return undefined
  if (word === 'paused by limit') return paused?.reason === 'agent_limited' ? 'limit' : 'budget'
  return KINDS[word]
}
