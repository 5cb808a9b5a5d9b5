/** What a client of the server may ask of runs. The user of the server, who has the local socket, may ask for everything. Pure. */
import type { Decider } from '../../agents/adapter/agent.ts'
import { Fault } from '../../kit/fault.ts'
import { userName } from '../../kit/user-name.ts'
import { type Caller, USER } from '../../prompts/caller.ts'
import { findMissingLimit, refuseAboveCeilings, refuseBackend } from '../../prompts/ceilings.ts'
import { type DirectoryCeiling, isInside, refuseOutside } from '../../prompts/workdir-policy.ts'
import type { WorkAct } from '../act/act-on-run.ts'
import { mergeNotPermitted } from '../act/faults.ts'
import { permissionsFor } from '../decide/agent-permissions.ts'
import {
  driveCheckNotAllowed,
  driveChecksRequired,
  driveDeliveryNotAllowed,
  driveIssueNotAllowed,
  driveOfAnother,
  driveRepositoryNotNamed,
  driveRepositoryRequired,
} from '../faults.ts'
import type { DrivenRecord } from '../record/driven-record.shape.ts'
import type { Options } from '../record/recorded-options.shape.ts'
import type { DriveSettings, GivenOptions } from '../start/drive-options.ts'
import type { RunChoice } from './driven-run.shape.ts'

export type ServedSettings = DriveSettings & {
  readonly drive: { readonly repositories: readonly string[]; readonly max_runs: number; readonly parallel: number }
}

type RequiredChecks = { readonly drive: Pick<DriveSettings['drive'], 'checks' | 'require_checks'> }

/** The one that has started a run, with what it was allowed then. */
export function toStarter({ asked_by, api_key, key_id = '', ceilings, budgets }: DrivenRecord): Caller {
  if (asked_by === 'user') return USER
  const key = api_key === undefined ? undefined : { id: key_id, name: api_key }
  return { is: 'client', key, role: 'client', ceilings, budgets }
}

/** The repository that a request is about. `resolve` follows links; undefined if there is no such directory. */
export function chooseRepository(
  wanted: string | undefined,
  { drive }: ServedSettings,
  { resolve, ceilings }: Pick<Caller, 'ceilings'> & { resolve: (path: string) => string | undefined },
): string {
  const repository = wanted === undefined ? onlyRepository(drive, resolve, ceilings?.directories) : resolve(wanted)
  const isNamed =
    wanted === undefined || (repository && drive.repositories.some((each) => resolve(each) === repository))
  if (repository === undefined || !isNamed) throw driveRepositoryNotNamed({ repository: wanted })
  refuseOutside(resolve(repository) ?? repository, ceilings?.directories, resolve)
  return repository
}

/** A key that may work in only one of them need not name it. */
function onlyRepository(
  { repositories }: ServedSettings['drive'],
  resolve: (path: string) => string | undefined,
  ofKey: DirectoryCeiling | undefined,
): string | undefined {
  const usable = repositories.filter((each) => isInside(resolve(each) ?? each, ofKey, resolve))
  const [only, ...others] = usable.length === 0 ? repositories : usable
  if (others.length > 0) throw driveRepositoryRequired({})
  return only
}

/**
 * Commands run on the server, and a pull request is opened with its credentials: the settings name what clients may choose, and
 * those for the repository (`own`) what they may not leave out. `ofRun` are the checks that the run has already.
 */
export function refuseOptions(
  { checks, deliver }: Pick<GivenOptions, 'deliver'> & { readonly checks?: readonly string[] | undefined },
  { drive }: DriveSettings,
  own: RequiredChecks & { readonly ofRun?: readonly string[] } = { drive },
): void {
  const known = [...drive.checks, ...own.drive.checks, ...(own.ofRun ?? [])]
  const command = checks?.find((each) => !known.includes(each))
  if (command !== undefined) throw driveCheckNotAllowed({ command })
  const missing = requiredChecks(own).filter((each) => checks?.includes(each) === false)
  if (missing.length > 0) throw driveChecksRequired({ commands: missing })
  if (deliver === 'pr' && drive.deliver !== 'pr') throw driveDeliveryNotAllowed({})
}

function requiredChecks({ drive }: RequiredChecks): readonly string[] {
  return drive.require_checks ? drive.checks : []
}

/** What a client says for a run that may have been started before its checks were required. */
export function addRequiredChecks(given: GivenOptions, before: Options, settings: RequiredChecks): GivenOptions {
  const required = requiredChecks(settings)
  return required.length === 0
    ? given
    : { ...given, checks: [...new Set([...(given.checks ?? before.checks), ...required])] }
}

/** The agent that implements needs the highest modes of a run. By default it may do everything if it is in a sandbox. */
export function refuseModes(options: Pick<Options, 'approval_mode'>, { ceilings }: Pick<Caller, 'ceilings'>): void {
  const approval = options.approval_mode === 'default' ? 'sandboxed' : options.approval_mode
  const { sandbox: _, ...modes } = permissionsFor({ kind: 'implement' }, { approval, isInside: true })
  refuseAboveCeilings(modes, ceilings)
}

/** A caller that continues a run must be allowed to use its agents, also if another one started it. */
export function refuseAgents(
  { backend, review_backend: reviewer, fallback = [] }: Pick<Options, 'backend' | 'review_backend' | 'fallback'>,
  { ceilings }: Pick<Caller, 'ceilings'>,
): void {
  for (const each of [backend, reviewer, ...fallback]) refuseBackend(each, ceilings)
}

/** What a client did not ask for is lowered to what it may ask for, if an agent can then still change files. */
export function chooseApproval(
  given: Options['approval_mode'] | undefined,
  { drive }: { readonly drive: Pick<Options, 'approval_mode'> },
  by: Pick<Caller, 'ceilings'>,
): Options['approval_mode'] {
  const { approval_mode: mode } = drive
  if (given !== undefined || mode === 'auto' || mode === 'always') return given ?? mode
  try {
    refuseModes({ approval_mode: mode }, by)
    return mode
  } catch (error) {
    if (error instanceof Fault) return 'auto'
    throw error
  }
}

/** What a client may do with the work of a run. Branches of the user move only if the operator allows it for the key. */
export function refuseAct(by: Caller, act: WorkAct, settings: DriveSettings): void {
  if (by.is === 'user') return
  if ((act.do === 'merge' || act.do === 'take') && !mayMerge(by)) throw mergeNotPermitted({ key: by.key?.name })
  if (act.do === 'pull_request' && by.isUser !== true) refuseOptions({ deliver: 'pr' }, settings)
}

const ACT_OF: Partial<Record<RunChoice, WorkAct>> = {
  merge: { do: 'merge' },
  take: { do: 'take' },
  'pull-request': { do: 'pull_request' },
}

/** Whether an act that the state of a run allows is offered to the one who asks. */
export function mayChoose(by: Caller, choice: RunChoice, settings: DriveSettings): boolean {
  const act = ACT_OF[choice]
  try {
    if (act !== undefined) refuseAct(by, act, settings)
    return true
  } catch (error) {
    if (error instanceof Fault) return false
    throw error
  }
}

/** The checks that work must have passed before a client merges it. */
export function checksToMerge(by: Caller, settings: RequiredChecks): readonly string[] {
  return by.is === 'user' || by.isUser === true ? [] : requiredChecks(settings)
}

/** The user of the machine may, also in the console. */
export function mayMerge(by: Caller): boolean {
  return by.is === 'user' || by.isUser === true || by.mayMerge === true
}

/** Who acts, for the record. */
export function toActor(by: Caller): Decider {
  if (by.is === 'user') return { via: 'socket', name: userName() }
  return by.key === undefined ? { via: 'none' } : { via: 'key', name: by.key.name, key_id: by.key.id }
}

/**
 * A key must not let an agent do more than it may ask for itself. Agents of the run work with what its starter was allowed when it was
 * last driven, or is allowed `now`.
 */
export function refuseLimited(by: Caller, record: DrivenRecord, now: Pick<Caller, 'ceilings'> = record): void {
  if (isOwnRun(by, record)) return
  const missing = findMissingLimit(by.ceilings, record.ceilings) ?? findMissingLimit(by.ceilings, now.ceilings)
  if (missing !== undefined) throw driveOfAnother({ setting: missing.setting })
}

/** Without keys, all clients are one. */
function isOwnRun(by: Caller, { asked_by: askedBy, api_key: name, key_id: keyId }: DrivenRecord): boolean {
  if (by.is !== 'client' || askedBy !== 'client') return false
  return by.key === undefined ? name === undefined : keyId === by.key.id
}

/** The server reads issues with the credentials of its user. */
export function refuseForeignIssue(url: string, origin: { owner: string; repo: string } | undefined): void {
  const own = origin && `https://github.com/${origin.owner}/${origin.repo}/issues/`.toLowerCase()
  if (own === undefined || !url.toLowerCase().startsWith(own)) throw driveIssueNotAllowed({ url })
}
