/** Starts runs for the callers of a server, and continues them. */

import type { Program } from '../../agents/adapter/agent.ts'
import { locateAgent } from '../../agents/locate-agents.ts'
import type { WorkspaceIdentity } from '../../contract/workspace-identity.shape.ts'
import { toTimestamp } from '../../kit/clock.ts'
import { atDepth, depthIn } from '../../kit/process/environment-variables.ts'
import { type Caller, type CallerPlace, ownerKey } from '../../prompts/caller.ts'
import { refuseDeepNesting } from '../../prompts/check-permissions.ts'
import type { PromptContext } from '../../prompts/prompt-context.ts'
import { refuseOutside, resolveDirectory } from '../../prompts/workdir-policy.ts'
import { openRunContext, type RunContext, withPinnedGit } from '../../runs/run-context.ts'
import { openOwnWorktree } from '../../runs/run-worktree.ts'
import { discoverWorkspace } from '../../workspace/discover-workspace.ts'
import { type Git, locateGit } from '../../workspace/git.ts'
import type { DriveBegin } from '../drive-rounds.ts'
import { recordOfUser, toRecordedDepth, toRecordedTrace } from '../driven-record-writer.ts'
import {
  driveGoalConflict,
  driveLimitReached,
  driveNotAfter,
  driveNotPermitted,
  driveOptionsRefused,
  issueNotConfirmed,
} from '../faults.ts'
import type { RunGroup } from '../group-totals.ts'
import { lastRound } from '../read-verdict.ts'
import { readDrive } from '../record/drive-journal.ts'
import type { DrivenRecord } from '../record/driven-record.shape.ts'
import { saveDriven } from '../record/driven-records.ts'
import type { Options } from '../record/recorded-options.shape.ts'
import { completeOptions, type GivenOptions, namesOptions, reviewerIn } from '../start/drive-options.ts'
import { findOrigin } from '../start/read-issue.ts'
import { checkAsked, type DriveStart, type DriveTarget, findDrive } from '../start/start-drive.ts'
import { BackgroundDrives, type DrivesOptions } from './background-drives.ts'
import {
  addRequiredChecks,
  chooseApproval,
  chooseRepository,
  refuseAgents,
  refuseForeignIssue,
  refuseModes,
  refuseOptions,
  type ServedSettings,
  toStarter,
} from './client-rules.ts'
import { saveQueued } from './run-queue.ts'

export type StarterOptions = DrivesOptions & {
  readonly settings: ServedSettings
  /** Those for new runs in a repository. */
  readonly settingsFor: (workspace: WorkspaceIdentity) => ServedSettings
  readonly env: Readonly<Record<string, string | undefined>>
  readonly cwd: string
  readonly version: string
  /** Whether the demo agent may take the place of missing agents. */
  readonly isDemo: boolean
  /** How it is started. */
  readonly demoAgent: Program
  /** The context for the agents of a run. */
  readonly contextFor: (by: Caller) => PromptContext
  readonly rights: Rights
}

/** What the one that has started a run may do now; undefined if it may not run agents any more. */
export type Rights = (starter: Caller) => Caller | undefined
/** What another server says about rights. Without it, those that this process knows count. */
export type Named = { readonly rights?: Rights | undefined }

export type DriveStartRequest = {
  /** The id of the new run, if the caller has already chosen one. A run that was started with it before is queued again. */
  readonly runId?: string | undefined
  readonly goal?: string | undefined
  readonly issue?: string | undefined
  readonly issueNumber?: number | undefined
  readonly repository?: string | undefined
  readonly given: GivenOptions
  readonly actions?: number | undefined
  readonly isReviewed: boolean
  /** The text of an ordinary issue is the goal. */
  readonly isIssueGoal: boolean
  /** What a person added to the issue. It becomes a part of the goal. */
  readonly note?: string | undefined
  /** The label of the issue. */
  readonly label?: string | undefined
  /** When the issue was last edited, as the person who asked knew it. */
  readonly issueEdit?: string | undefined
  /** It begins with what `origin` has now. */
  readonly isFromOrigin?: boolean | undefined
  /** It waits in the queue. Undefined: it is driven at once. */
  readonly queue?: (QueuePlace & { readonly after?: string | undefined }) | undefined
}

type QueuePlace = {
  /** Before all others. */
  readonly isFirst: boolean
  /** The runs that it is queued together with. */
  readonly group?: RunGroup | undefined
}

type Sources = { prompts: PromptContext; settings: ServedSettings; isDemo?: boolean | undefined }

export type DriveResumeRequest = Pick<DriveStartRequest, 'given' | 'actions'>

/** What a delivered run has to do in addition. */
export type MoreWork = Partial<Pick<DriveBegin, 'also' | 'takesOver'>>

/** Who asks, and what starters of runs may do now. */
export type Access = { readonly by: Caller; readonly rights: Rights }

/** `before` are the options that the run was last driven with. */
type Continuation = DriveResumeRequest & MoreWork & { readonly before: Options }

/** A run that the user has started or looked up on the command line, and leaves to the server. */
export type PreparedRun = {
  readonly runId: string
  readonly repository: string
  readonly begin: Omit<DriveBegin, 'optionsFrom'>
  readonly given: GivenOptions
  readonly isDemo: boolean
  /** The command of `--notify`. */
  readonly notify: string | undefined
}

export class RunStarter {
  readonly #options: StarterOptions
  readonly git: Git
  readonly drives: BackgroundDrives
  /** Those that are about to be driven. */
  #starting = 0

  constructor(options: StarterOptions) {
    this.#options = options
    this.git = locateGit(options)
    this.drives = new BackgroundDrives(options)
  }

  /** The number of runs that are driven now. */
  get count(): number {
    return this.drives.count + this.#starting
  }

  /** A limit for clients; the user of the server decides alone. */
  async reserving<T>(by: Caller, work: () => Promise<T>): Promise<T> {
    const limit = this.#options.settings.drive.max_runs
    if (by.is === 'client' && this.drives.working + this.#starting >= limit) throw driveLimitReached({ limit })
    this.#starting += 1
    try {
      return await work()
    } finally {
      this.#starting -= 1
    }
  }

  /** Returns when the new run is driven, or queued. `after` is the run whose branch it starts on. */
  async start(by: Caller, request: DriveStartRequest, after?: DrivenRecord): Promise<DrivenRecord> {
    const prompts = this.#promptsFor(by)
    const { settings, settingsFor, directories, env } = this.#options
    const wanted = checkTarget(request)
    const context = await this.openRepository(this.#repositoryFor(by, request.repository))
    const ofRepository = settingsFor(context.workspace)
    if (by.is === 'client') refuseOptions(request.given, settings, ofRepository)
    const target = findStarted(context, request.runId) ?? wanted
    if (after !== undefined && after.git_common_dir !== context.workspace.git_common_dir)
      throw driveNotAfter({ run_id: after.run_id, problem: 'it is in another repository' })
    if (by.is === 'client' && target.is === 'issue') refuseForeignIssue(target.url, await findOrigin(context))
    const approval_mode = chooseApproval(request.given.approval_mode, settings, by)
    const place = placeOf(by)
    const sources = { prompts, settings: ofRepository, isDemo: place?.isDemo }
    const optionsFrom = this.#optionsFrom({ ...request.given, approval_mode }, sources)
    const found = await findDrive(context, {
      ...this.#startOf(target, () => {
        const options = optionsFrom(undefined)
        refuseModes(options, by)
        const { id: _, ...caps } = request.queue?.group ?? { id: '' }
        // Its agents must report what is limited for all together.
        return { ...options, ...reviewerIn(this.#optionsFrom({ ...request.given, ...caps }, sources)(undefined)) }
      }),
      ...(place !== undefined && { places: place }),
      runId: request.runId,
      actions: request.actions,
      isReviewed: request.isReviewed,
      note: request.note,
      ...{ issueEdit: request.issueEdit, isFromOrigin: request.isFromOrigin },
      isQueued: request.queue !== undefined,
      after: request.queue?.after,
      confirmGoal: async ({ url }) => {
        if (!request.isIssueGoal) throw issueNotConfirmed({ url })
      },
    })
    const key = ownerKey(by)
    const record: DrivenRecord = {
      version: 1,
      run_id: found.runId,
      repository: context.workspace.worktree_root,
      git_common_dir: context.workspace.git_common_dir,
      asked_by: by.is,
      ...(key !== undefined && { api_key: key.name, key_id: key.id }),
      ...toRecordedLimits(by),
      ...toRecordedDepth(prompts.env),
      ...toRecordedTrace(by),
      ...(request.label !== undefined && { label: request.label }),
      is_server_driven: true,
      ...(request.queue?.group !== undefined && { group: request.queue.group }),
      created_at: toTimestamp(this.#options.clock.now()),
    }
    if (request.queue !== undefined)
      return await saveQueued(directories.drivenRuns, { record, isFirst: request.queue.isFirst })
    saveDriven(directories.drivenRuns, record)
    await this.drives.launch({ record, context: found.context, begin: { ...found.begin, optionsFrom }, prompts, env })
    return record
  }

  /** Returns when the run is driven. One that only waits here gets another driver, with the options of the command. */
  async adopt(by: Caller, { runId, repository, begin, given, isDemo, notify }: PreparedRun): Promise<DrivenRecord> {
    const { settings, directories } = this.#options
    const prompts = this.#options.contextFor(by)
    const { env } = prompts
    const context = withPinnedGit(await openOwnWorktree(await this.openRepository(repository), runId))
    const record = {
      ...recordOfUser(directories.drivenRuns, { runId, repository, context, env }),
      is_server_driven: true,
      ...(notify !== undefined && { notify }),
    }
    const optionsFrom = (before?: Options) => completeOptions(given, before, { settings, prompts, isDemo })
    if (this.drives.has(runId) && namesOptions(given)) {
      const { waiting, delivered, options, run_id: last } = lastRound(context.store, runId)
      if (waiting === undefined && delivered === undefined) throw driveOptionsRefused({ run_id: last })
      // Whatever is wrong with them is said before its driver is interrupted.
      optionsFrom(options)
      await this.drives.interruptRun(runId)
    }
    await this.drives.launch({ record, context, begin: { ...begin, optionsFrom }, prompts, env })
    return record
  }

  /** Returns when the run is driven. */
  async goOn(record: DrivenRecord, access: Access, wanted: Continuation): Promise<void> {
    const { starter, prompts, context, optionsFrom, place } = await this.prepare(record, access, wanted)
    const { before, actions, also, takesOver } = wanted
    const start = this.#startOf({ is: 'run', id: record.run_id }, () => optionsFrom(before))
    const found = await findDrive(context, { ...start, actions, also, takesOver })
    const begin = { ...found.begin, optionsFrom }
    const noted = { ...record, ...toRecordedLimits(starter), ...toRecordedDepth(prompts.env) }
    const { env } = place ?? this.#options
    await this.drives.launch({ record: noted, context: found.context, begin, prompts, env })
  }

  /** Changes nothing. Throws a Fault if the run must not be driven like that. */
  async prepare(record: DrivenRecord, { by, rights }: Access, { given, before, also = [] }: Continuation) {
    checkAsked(also)
    const place = placeOf(by)
    const starter = { ...requireRights(rights, toStarter(record)), ...(place !== undefined && { place }) }
    const own = asDeepAs(record, this.#promptsFor({ ...starter, depth: by.depth }))
    const isDemo = place?.isDemo ?? this.#options.isDemo
    const prompts = isDemo === before.is_demo ? own : this.#withAgents(own, { ...place, isDemo: before.is_demo })
    const { settings, settingsFor } = this.#options
    refuseOutside(resolveDirectory(record.repository) ?? record.repository, starter.ceilings?.directories)
    const context = await this.openRepository(record.repository)
    const ofRepository = settingsFor(context.workspace)
    if (by.is === 'client') refuseOptions(given, settings, { ...ofRepository, ofRun: before.checks })
    const wanted = by.is === 'client' ? addRequiredChecks(given, before, ofRepository) : given
    const optionsFrom = this.#optionsFrom(wanted, { prompts, settings })
    refuseAgents(optionsFrom(before), by)
    for (const each of [starter, by]) refuseModes(optionsFrom(before), each)
    return { starter, prompts, context, optionsFrom, place }
  }

  requireNamed(by: Caller, repository: string): void {
    const isLimited = by.is === 'client' && by.isUser !== true
    if (isLimited) chooseRepository(repository, this.#options.settings, { ...by, resolve: resolveDirectory })
  }

  async openRepository(start: string): Promise<RunContext> {
    const { clock, version } = this.#options
    const { signal } = new AbortController()
    const workspace = await discoverWorkspace({ start, git: this.git, signal })
    return openRunContext({ workspace, git: this.git, clock, signal, version })
  }

  #startOf(target: DriveTarget, newOptions: DriveStart['newOptions']): DriveStart {
    const { settings, directories, version, env, cwd, sandbox } = this.#options
    return {
      target,
      actions: undefined,
      defaultActions: settings.drive.actions,
      isReviewed: true,
      isInPlace: false,
      worktrees: directories.worktrees,
      version,
      places: { env, cwd },
      newOptions,
      sandbox,
      confirmGoal: async () => {},
    }
  }

  #optionsFrom(given: GivenOptions, { isDemo = this.#options.isDemo, ...sources }: Sources): DriveBegin['optionsFrom'] {
    return (before) => completeOptions(given, before, { ...sources, isDemo: before?.is_demo ?? isDemo })
  }

  /** A run of the demo agent continues with it, and another one without it, whatever server continues it. */
  #withAgents(prompts: PromptContext, { isDemo, ...place }: Partial<CallerPlace>): PromptContext {
    const { settings, demoAgent, env, cwd } = { ...this.#options, ...place }
    const demo = isDemo === true ? demoAgent : undefined
    return { ...prompts, locate: (backend) => locateAgent(backend, { env, cwd, backends: settings.backends, demo }) }
  }

  #promptsFor(by: Caller): PromptContext {
    const prompts = this.#options.contextFor(by)
    refuseDeepNesting(prompts)
    return prompts
  }

  #repositoryFor(by: Caller, wanted: string | undefined): string {
    if (by.is === 'user' && wanted !== undefined) return wanted
    return chooseRepository(wanted, this.#options.settings, { ...by, resolve: resolveDirectory })
  }
}

/** Where the command of the user runs whose run it is, if it is known. */
function placeOf(by: Caller) {
  return by.is === 'user' ? by.place : undefined
}

/** A process that was killed may have started the run, and not recorded who drives it. */
function findStarted({ store }: RunContext, runId: string | undefined): DriveTarget | undefined {
  return runId === undefined || readDrive(store, runId) === undefined ? undefined : { is: 'run', id: runId }
}

function requireRights(rights: Rights, starter: Caller): Caller {
  const now = rights(starter)
  if (now === undefined) throw driveNotPermitted({ key: ownerKey(starter)?.name })
  return now
}

/** The agents of a run are as deep as when it was started, also if another client lets it continue. */
function asDeepAs({ depth = 0 }: DrivenRecord, prompts: PromptContext): PromptContext {
  const nested = { ...prompts, env: atDepth(prompts.env, Math.max(depth, depthIn(prompts.env))) }
  refuseDeepNesting(nested)
  return nested
}

/** A worker that continues the run later does not know the key. */
function toRecordedLimits({ is, ceilings = {}, budgets = [] }: Caller): Pick<DrivenRecord, 'ceilings' | 'budgets'> {
  return is === 'client' ? { ceilings, budgets: [...budgets] } : {}
}

function checkTarget({ goal, issue, issueNumber }: DriveStartRequest): DriveTarget {
  if ([goal, issue, issueNumber].filter((each) => each !== undefined).length !== 1) throw driveGoalConflict({})
  if (goal !== undefined) return { is: 'goal', goal }
  return issueNumber === undefined ? { is: 'issue', url: issue ?? '' } : { is: 'own_issue', number: issueNumber }
}
