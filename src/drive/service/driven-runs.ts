/** The driven runs of this machine: starts them, drives them in the background, lists them, changes them. */
import { setTimeout as sleep } from 'node:timers/promises'
import { Fault } from '../../kit/fault.ts'
import { randomIds } from '../../kit/ids.ts'
import { Listeners } from '../../kit/listeners.ts'
import { depthIn } from '../../kit/process/environment-variables.ts'
import { type Caller, ownerKey, USER, visibleKeyId } from '../../prompts/caller.ts'
import { refuseDeepNesting } from '../../prompts/check-permissions.ts'
import { answerQuestion, skipAction } from '../../runs/operations.ts'
import { parseAnswer } from '../../runs/parse-request.ts'
import type { RunContext } from '../../runs/run-context.ts'
import { openOwnWorktree } from '../../runs/run-worktree.ts'
import type { PatchPart } from '../../workspace/worktrees/diff-worktree.ts'
import type { WorkAct } from '../act/act-on-run.ts'
import type { QueuePlace } from '../decide/queue.ts'
import { drivenRunOver, drivenRunWaits, runNotQueued, runQueueFull } from '../faults.ts'
import { joinGroup, type RunGroup } from '../group-totals.ts'
import type { NightReports } from '../night/night-report.shape.ts'
import { lastRound } from '../read-verdict.ts'
import type { DrivenRecord } from '../record/driven-record.shape.ts'
import { saveDriven } from '../record/driven-records.ts'
import { driveBusy } from '../record/faults.ts'
import type { Options } from '../record/recorded-options.shape.ts'
import { stopDriven } from '../stop-driven.ts'
import { type BackgroundDrives, toProblem } from './background-drives.ts'
import { checksToMerge, mayChoose, refuseAct, refuseAgents, refuseLimited, toActor, toStarter } from './client-rules.ts'
import type { DrivenDiff, DrivenRun, DrivenRunPage, RunQueue } from './driven-run.shape.ts'
import { CAN_GO_ON, type DetailedRun, LEFT_BY_SERVER, stateOfDriven, toDrivenDiff, toDrivenRun } from './driven-view.ts'
import { readQueue } from './read-queue.ts'
import { type ChangedRun, type EventSource, followEvents, isFinalState, watchChanges } from './run-changes.ts'
import { moveQueued, RunQueueStarter } from './run-queue.ts'
import { isVisible, type RunListQuery, RunReader } from './run-reader.ts'
import type { FollowedRun, OfAction, RunService, RunWatcher } from './run-service.ts'
import {
  type Access,
  type DriveResumeRequest,
  type DriveStartRequest,
  type MoreWork,
  type Named,
  type PreparedRun,
  RunStarter,
  type StarterOptions,
} from './run-starter.ts'

type OpenedRun = {
  readonly record: DrivenRecord
  /** In the worktree of the run. */
  readonly context: RunContext
  readonly actionId: string
  readonly isDriven: boolean
  readonly options: Options
}

/** How long a request to stop waits for the end of the agent. */
const STOP_MS = 5000
/** For all clients together. */
const MAX_QUEUED = 100

const noResult = () => {}
/** Agents work after a change, or not. */
const [WITH_AGENTS, WITHOUT_AGENTS] = [{ letsAgentsWork: true }, { letsAgentsWork: false }]

export class DrivenRuns implements RunService {
  readonly reader: RunReader
  readonly drives: BackgroundDrives
  readonly starter: RunStarter
  readonly #options: StarterOptions
  readonly #queue: RunQueueStarter
  /** Queued runs of the user, with the environment of their commands. Only records survive this process. */
  readonly #prepared = new Map<string, { by: Caller; run?: PreparedRun }>()
  readonly #changes = new Listeners<ChangedRun>((tell) =>
    watchChanges(this, tell, (error) => this.#options.log.warn({ reason: String(error) }, 'runs could not be watched')),
  )
  #hasContinued = false

  constructor(options: StarterOptions) {
    this.#options = options
    this.starter = new RunStarter(options)
    const { directories, clock, version, log, shutdown } = options
    const { git, drives } = this.starter
    this.drives = drives
    const places = { directory: directories.drivenRuns, git, clock, version }
    this.reader = new RunReader({ ...places, isDrivenHere: (id) => drives.has(id) })
    this.#queue = new RunQueueStarter({
      ...{ ...this.#queuePlaces(), log, shutdown },
      drive: (record) => this.#driveQueued(record),
    })
    drives.onEnd(() => this.#queue.look())
  }

  #queuePlaces() {
    const { directories, agentLimits, clock, settings } = this.#options
    const { parallel } = settings.drive
    return { reader: this.reader, directory: directories.drivenRuns, agentLimits, clock, parallel }
  }

  get count(): number {
    return this.starter.count
  }

  /** What the one that has started a run may do now. */
  rightsOf(starter: Caller): Caller | undefined {
    return this.#options.rights(starter)
  }

  /** How many agents are between the user and the agents of the caller, without these. */
  depthOf(by: Caller): number {
    return depthIn(this.#options.contextFor(by).env)
  }

  /** With an id that was used before, it returns that run. */
  async start(by: Caller, request: DriveStartRequest): Promise<DrivenRun> {
    const known = request.runId === undefined ? undefined : this.reader.findHere(request.runId)
    if (known !== undefined) return await this.#read(by, known)
    if (request.queue !== undefined) return await this.#startQueued(by, request, request.queue)
    return await this.starter.reserving(by, async () => this.#read(by, await this.starter.start(by, request)))
  }

  async adopt(by: Caller, run: PreparedRun): Promise<DrivenRun> {
    return await this.starter.reserving(by, async () => this.#read(by, await this.starter.adopt(by, run)))
  }

  async #read(by: Caller, record: DrivenRecord): Promise<DrivenRun> {
    return this.seenBy(by, toDrivenRun(await this.reader.read(record)))
  }

  /** It offers no act that would be refused. */
  seenBy<Run extends DrivenRun>(by: Caller, run: Run): Run {
    return { ...run, choices: run.choices.filter((each) => mayChoose(by, each, this.#options.settings)) }
  }

  async #startQueued(
    by: Caller,
    request: DriveStartRequest,
    queue: NonNullable<DriveStartRequest['queue']>,
  ): Promise<DrivenRun> {
    if (by.is === 'client') this.#refuseFullQueue()
    const after = queue.after === undefined ? undefined : this.reader.find(queue.after, by)
    const isFirst = queue.isFirst && by.is === 'user'
    const group = queue.group && this.#groupOf(by, queue.group)
    const placed = { ...request, queue: { isFirst, after: after?.run_id, group } }
    const record = await this.starter.start(by, placed, after)
    if (by.is === 'user' && by.place !== undefined) this.#prepared.set(record.run_id, { by })
    this.#queue.look()
    return await this.#read(by, record)
  }

  /** Two keys may use the same name. */
  #groupOf(by: Caller, { id, ...limits }: RunGroup): RunGroup {
    const own = `${ownerKey(by)?.id ?? ''}/${id === '' ? randomIds.uuid() : id}`
    return joinGroup(this.#options.directories.drivenRuns, { id: own, ...limits })
  }

  /** Each of them has a worktree already. */
  #refuseFullQueue(): void {
    const queued = this.reader.list(USER).filter((each) => each.queued !== undefined && each.asked_by === 'client')
    if (queued.length >= MAX_QUEUED) throw runQueueFull({ limit: MAX_QUEUED })
  }

  enqueue(by: Caller, run: PreparedRun): void {
    this.#prepared.set(run.runId, { by, run })
    this.#queue.look()
  }

  async queue(by: Caller): Promise<RunQueue> {
    return await readQueue(this.#queuePlaces(), by)
  }

  async report(by: Caller, since: string): Promise<NightReports> {
    return await this.reader.nights(by, since)
  }

  async move(by: Caller, id: string, place: QueuePlace): Promise<DrivenRun> {
    const { record } = await this.#openToChange(id, this.#access(by))
    const before = typeof place === 'object' ? this.reader.find(place.before, by).run_id : undefined
    const keyId = visibleKeyId(by)
    const moved = await moveQueued(this.#queuePlaces(), {
      id: record.run_id,
      place: before === undefined ? place : { before },
      ...(keyId !== undefined && { isOwn: (each: DrivenRecord) => each.key_id === keyId }),
    })
    if (moved === undefined)
      throw runNotQueued({ id: record.queued === undefined ? record.run_id : (before ?? record.run_id) })
    this.#queue.look()
    return await this.#read(by, moved)
  }

  /** A run whose command is known is driven in its environment, as if it had not been queued. */
  async #driveQueued(record: DrivenRecord): Promise<void> {
    const prepared = this.#prepared.get(record.run_id)
    this.#prepared.delete(record.run_id)
    const { by, run } = prepared ?? {}
    await this.continueRun(record, by, run && (() => this.starter.adopt(by ?? USER, run)))
  }

  async show(by: Caller, id: string): Promise<DetailedRun> {
    return this.seenBy(by, await this.reader.detail(await this.reader.read(this.reader.find(id, by))))
  }

  async diff(by: Caller, id: string, part?: PatchPart): Promise<DrivenDiff> {
    const facts = await this.reader.read(this.reader.find(id, by))
    return toDrivenDiff(facts, await this.reader.patch(facts, part))
  }

  watch(by: Caller, { onRun }: RunWatcher): () => void {
    return this.#changes.add(({ record, run }) => {
      if (isVisible(record, by)) onRun(this.seenBy(by, run))
    })
  }

  async list(by: Caller, query: RunListQuery): Promise<DrivenRunPage> {
    const found = await this.reader.page(by, query)
    const { repositories, checks } = this.#options.settings.drive
    const runs = found.slice(0, query.limit).map((run) => this.seenBy(by, run))
    return { runs, ...(found.length > runs.length && { next: runs.at(-1)?.id ?? '' }), repositories, checks }
  }

  async follow(by: Caller, id: string, from: { after: number; signal: AbortSignal }): Promise<FollowedRun> {
    const { run_id: runId } = this.reader.find(id, by)
    const read = async () => await this.reader.read(this.reader.find(runId, by))
    const facts = await read()
    const source: EventSource = {
      clock: this.#options.clock,
      mark: () => this.reader.markOf(facts.record),
      readEvents: async (after) => this.reader.readEvents(facts.record).slice(after),
      readRun: async () => toDrivenRun(await read()),
      changed: () => this.drives.changed(),
    }
    const isOver = isFinalState(toDrivenRun(facts).state) && from.after >= facts.lastSeq
    return { isOver, events: followEvents(source, from) }
  }

  async answer(by: Caller, id: string, { rights, ...given }: OfAction & { text: string } & Named): Promise<DrivenRun> {
    return await this.#answer(id, this.#access(by, rights), {
      ...given,
      confirmDestructive: false,
      scopeSha256: undefined,
    })
  }

  async confirm(
    by: Caller,
    id: string,
    { rights, ...given }: OfAction & { scopeSha256: string } & Named,
  ): Promise<DrivenRun> {
    return await this.#answer(id, this.#access(by, rights), { ...given, confirmDestructive: true, text: '' })
  }

  #access(by: Caller, rights = this.#options.rights): Access {
    return { by, rights }
  }

  async #answer(id: string, access: Access, given: OfAction & Omit<Parameters<typeof parseAnswer>[0], 'actionId'>) {
    return await this.#changeAndDrive(id, access, async ({ record, context, actionId }) => {
      await answerQuestion(context, record.run_id, parseAnswer({ ...given, actionId: given.actionId ?? actionId }))
    })
  }

  async skip(by: Caller, id: string, { rights, ...given }: OfAction & Named): Promise<DrivenRun> {
    return await this.#changeAndDrive(id, this.#access(by, rights), async ({ record, context, actionId }) => {
      await skipAction(context, record.run_id, given.actionId ?? actionId)
    })
  }

  async stop(by: Caller, id: string): Promise<DrivenRun> {
    const { record, context } = await this.#openToChange(id, this.#access(by), WITHOUT_AGENTS)
    await stopDriven(context, record.run_id)
    await Promise.race([this.drives.ended(record.run_id), sleep(STOP_MS, undefined, { ref: false })])
    return await this.#read(by, record)
  }

  async resume(by: Caller, id: string, { given, actions, rights }: DriveResumeRequest & Named): Promise<DrivenRun> {
    return await this.starter.reserving(by, async () => {
      const access = this.#access(by, rights)
      const { record } = await this.#openToChange(id, access)
      const facts = await this.reader.read(record)
      const { choices, waits_for: waits } = toDrivenRun(facts)
      if (!choices.includes('resume')) throw drivenRunWaits({ id: record.run_id, choices })
      const more = actions ?? (waits?.reason === 'budget_exhausted' ? this.#options.settings.drive.actions : undefined)
      await this.starter.goOn(record, access, { given, actions: more, before: facts.drive.options })
      return await this.#read(by, record)
    })
  }

  /** A driver of this server that only watches the pull request is stopped, and another one begins with the new work. */
  async followUp(by: Caller, id: string, { also, takesOver, rights }: MoreWork & Named): Promise<DrivenRun> {
    return await this.starter.reserving(by, async () => {
      const access = this.#access(by, rights)
      const record = this.#findToChange(id, access)
      const context = await this.starter.openRepository(record.repository)
      const last = lastRound(context.store, record.run_id)
      const wanted = { given: {}, actions: undefined, before: last.options, also, takesOver }
      // A request that is refused leaves the driver alone.
      await this.starter.prepare(record, access, wanted)
      const isOurs = this.drives.has(record.run_id)
      if (isOurs && last.delivered !== undefined) {
        await stopDriven(context, last.run_id)
        await this.drives.ended(record.run_id)
      }
      await this.starter.goOn(record, access, wanted)
      return await this.#read(by, record)
    })
  }

  /** Returns the last round. */
  async act(by: Caller, id: string, act: WorkAct): Promise<DrivenRun> {
    const record = this.#findToChange(id, this.#access(by), WITHOUT_AGENTS)
    const { settings, settingsFor, directories, templates, sandbox, env, shutdown: signal } = this.#options
    refuseAct(by, act, settings)
    const context = await this.starter.openRepository(record.repository)
    const runs = { ...context, signal, store: { ...context.store, signal } }
    const { actOnRun } = await import('../act/act-on-run.ts')
    const requiredChecks = checksToMerge(by, settingsFor(context.workspace))
    const places = { worktrees: directories.worktrees, templates, sandbox, env, requiredChecks }
    const acting = actOnRun(runs, { runId: record.run_id, act }, { ...places, who: toActor(by), onUpdate: () => {} })
    // The server waits for it before it exits.
    this.#options.track(acting.then(noResult, noResult))
    const { run_id: last } = await acting
    return await this.#read(by, this.reader.findHere(last) ?? record)
  }

  async continueAll(): Promise<void> {
    this.#hasContinued = true
    const left = this.reader.list(USER).filter(({ is_server_driven: isOurs }) => isOurs)
    await Promise.all(left.map((record) => this.continueRun(record)))
    this.#queue.open()
  }

  async restart(ready: () => Promise<void>): Promise<void> {
    await this.#queue.close()
    await this.drives.interrupt()
    await ready()
    if (this.#hasContinued) await this.continueAll()
  }

  /** `by` is its starter, in its place, and `adopt` drives it for a command that is known. */
  async continueRun(record: DrivenRecord, by = toStarter(record), adopt?: () => Promise<unknown>): Promise<void> {
    const { directories, log } = this.#options
    const facts = await this.reader.tryRead(record)
    const state = facts && toDrivenRun(facts).state
    if (state === 'running') return
    if (facts === undefined || state === undefined || !LEFT_BY_SERVER.includes(state)) {
      const note = () => void saveDriven(directories.drivenRuns, { ...record, is_server_driven: false })
      if (facts === undefined) return note()
      return await this.drives.rest({ context: this.reader.contextFor(record), record }, note)
    }
    try {
      this.starter.requireNamed(by, record.repository)
      const again = { given: {}, actions: undefined, before: facts.drive.options }
      await (adopt?.() ?? this.starter.goOn(record, this.#access(by), again))
      log.info({ run: record.run_id }, 'continues a run')
    } catch (error) {
      // Another process of this user was faster.
      if (error instanceof Fault && error.code === driveBusy.code) return
      log.error({ run: record.run_id, reason: String(error) }, 'cannot continue a run')
      saveDriven(directories.drivenRuns, { ...record, is_server_driven: false, problem: toProblem(error) })
    }
  }

  /** Changes a run, and continues it. If that needs a driver and there are too many, nothing is changed. */
  async #changeAndDrive(id: string, access: Access, change: (opened: OpenedRun) => Promise<void>): Promise<DrivenRun> {
    const opened = await this.#openToChange(id, access)
    refuseAgents(opened.options, access.by)
    const work = async () => {
      await change(opened)
      return await this.#driveOn(opened.record, access)
    }
    return opened.isDriven ? await work() : await this.starter.reserving(access.by, work)
  }

  /** Continues if no process drives the run. */
  async #driveOn(record: DrivenRecord, access: Access): Promise<DrivenRun> {
    const facts = await this.reader.read(record)
    if (CAN_GO_ON.includes(stateOfDriven(facts))) {
      await this.starter.goOn(record, access, { given: {}, actions: undefined, before: facts.drive.options })
    }
    return await this.#read(access.by, record)
  }

  async #openToChange(id: string, access: Access, change = WITH_AGENTS): Promise<OpenedRun> {
    const record = this.#findToChange(id, access, change)
    const facts = await this.reader.read(record)
    const { run, drive } = facts
    if (isFinalState(stateOfDriven(facts))) throw drivenRunOver({ id: run.id, next: drive.next_run_id })
    const context = await openOwnWorktree(await this.starter.openRepository(record.repository), run.id)
    const isDriven = facts.drivenBy !== undefined
    return { record, context, actionId: run.current_action?.action_id ?? 'none', isDriven, options: drive.options }
  }

  #findToChange(id: string, { by, rights }: Access, { letsAgentsWork } = WITH_AGENTS): DrivenRecord {
    const record = this.reader.find(id, by)
    this.starter.requireNamed(by, record.repository)
    refuseDeepNesting(this.#options.contextFor(by))
    if (letsAgentsWork) refuseLimited(by, record, rights(toStarter(record)))
    return record
  }
}
