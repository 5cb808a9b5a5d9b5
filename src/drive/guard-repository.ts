/**
 * Compares the repository of a run before and after each attempt. What has changed meanwhile is recorded: the agent may have done
 * it, or a person who works there too.
 */
import { join } from 'node:path'
import { findRun } from '../journal/run-store.ts'
import { type Digest, digest } from '../kit/digest.ts'
import { ignoreFault, tryTo } from '../kit/fault.ts'
import { readFileBytes } from '../kit/files/read-file.ts'
import { replaceFile } from '../kit/files/write-file.ts'
import { encodeUtf8 } from '../kit/utf8.ts'
import { discoverWorkspace } from '../workspace/discover-workspace.ts'
import { compareRepositories, observeRepository, type RepositoryState } from '../workspace/repository-state.ts'
import { findRecordAt } from '../workspace/worktree-records.ts'
import { attributeChanges } from './attribute-changes.ts'
import { type DriveContext, type Recording, readDriveState, record } from './drive-context.ts'

/** Larger than a state with 100,000 refs. */
const STATE_LIMIT_BYTES = 64 * 1024 * 1024
/** Kept in a record. The serious ones come first. */
const MAX_CHANGES = 1000

type Place = Pick<DriveContext, 'runs' | 'runId' | 'journal'>

export type RepositoryBefore = { readonly digest: Digest; readonly bytes: Uint8Array }

/** The state of the repository before an attempt. It is saved, for a driver that comes after this one was killed. */
export async function saveRepositoryState(context: Place): Promise<RepositoryBefore> {
  const bytes = encodeUtf8(JSON.stringify(await observe(context)))
  replaceFile({ path: statePath(context), bytes, mode: 0o600 })
  return { digest: digest(bytes), bytes }
}

/** Records what has changed since. Without `saved`, the state is that which a killed driver has saved. */
export async function noteRepositoryChanges(context: Recording, number: number, saved?: RepositoryBefore) {
  const before = saved ?? readSaved(context, number)
  if (before === undefined) return
  const [saw, sees] = [parseState(before.bytes), await observe(context)]
  const all = compareRepositories(saw, sees, ownBranches(context))
  // After a kill, a person may have worked for days before the run continues.
  const found = saved === undefined ? all.filter(({ what }) => what !== 'file' && what !== 'head') : all
  if (found.length === 0) return
  const changes = await attributeChanges(context, found, { number, saw, sees })
  if (changes.length === 0) return
  replaceFile({ path: statePath(context, number), bytes: before.bytes, mode: 0o600 })
  record(context, 'repository_changed', {
    attempt: number,
    state: before.digest,
    changes: changes.slice(0, MAX_CHANGES),
    count: changes.length,
  })
}

async function observe(context: Place): Promise<RepositoryState> {
  const { git, workspace } = context.runs
  const { place, options } = readDriveState(context)
  const { signal } = new AbortController()
  const { git_common_dir: gitCommonDir } = workspace
  const filters = findRecordAt(workspace.worktree_root)?.filters
  const asked = { ...git, ...(filters !== undefined && { filters }) }
  const user = place.kind === 'in_place' ? undefined : await findUserTree(asked, place.repository)
  return await observeRepository({ gitCommonDir, git: asked, user, copied: options.copy, signal })
}

async function findUserTree(git: DriveContext['runs']['git'], start: string) {
  const { pinned: _, ...unpinned } = git
  return await discoverWorkspace({ start, git: unpinned, signal: new AbortController().signal }).catch(ignoreFault)
}

/** The branches that the agents of the run may move. */
function ownBranches(context: Place): Set<string> {
  const { place } = readDriveState(context)
  return new Set(place.kind === 'in_place' ? branchIn(context.runs.workspace.git_dir) : [place.branch])
}

/** The branch that is checked out: agents that work in place may commit on it. */
function branchIn(gitDir: string): string[] {
  const bytes = tryTo(() => readFileBytes({ path: join(gitDir, 'HEAD'), limitBytes: 4096 }))
  return /^ref: refs\/heads\/(.+)$/m.exec(bytes?.toString('utf8') ?? '')?.slice(1) ?? []
}

function readSaved(context: Place, number: number): RepositoryBefore | undefined {
  const attempt = readDriveState(context).attempts.find((each) => each.attempt === number)
  if (attempt?.repository === undefined) return undefined
  const bytes = readState(context, attempt.repository)
  return bytes && { digest: digest(bytes), bytes }
}

/** The saved state with this digest; undefined if it is gone or was changed. */
export function readState(context: Place, expected: string, number?: number): Uint8Array | undefined {
  const bytes = tryTo(() => readFileBytes({ path: statePath(context, number), limitBytes: STATE_LIMIT_BYTES }))
  return bytes !== undefined && digest(bytes) === expected ? bytes : undefined
}

export function parseState(bytes: Uint8Array): RepositoryState {
  return JSON.parse(Buffer.from(bytes).toString('utf8'))
}

function statePath({ runs, runId }: Place, number?: number): string {
  const name = number === undefined ? 'repository.json' : `repository-${number}.json`
  return join(findRun(runs.store, runId).path, name)
}
