/**
 * Puts refs, settings and hooks of a repository back to what they were before the attempts in which they changed. What has changed
 * again since is left as it is, and so is all that nothing ties to an agent, and all files of the user.
 */
import { lstatSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { digest } from '../kit/digest.ts'
import { tryToRead } from '../kit/fault.ts'
import { readFileBytes } from '../kit/files/read-file.ts'
import { replaceFile } from '../kit/files/write-file.ts'
import { askGit, type Git, gitErrorLine } from '../workspace/git.ts'
import type { RepositoryChange } from '../workspace/repository-state.ts'
import { type Recording, readDriveState, record } from './drive-context.ts'
import { parseState, readState } from './guard-repository.ts'
import type { DriveState } from './record/drive-state.ts'

export type ChangeToRestore = RepositoryChange & {
  readonly attempt: number
  /** Digest of the saved state before the attempt. */
  readonly state: string
}

export type RestoredChange = { readonly change: ChangeToRestore; readonly problem?: string }

/** Only the names of the first are saved, and only digests of the second. */
const NEVER_RESTORED: ReadonlySet<RepositoryChange['what']> = new Set(['file', 'user_config'])

/** The latest first: an earlier attempt may have changed the same ref. */
export function changesToRestore({ attempts }: Pick<DriveState, 'attempts'>): ChangeToRestore[] {
  return attempts.toReversed().flatMap(({ attempt, repository_changed: found }) => {
    const changes = found?.changes.filter(({ what, note }) => note === undefined && !NEVER_RESTORED.has(what)) ?? []
    return changes.map((change) => ({ ...change, attempt, state: found?.state ?? '' }))
  })
}

type Place = Pick<Recording, 'runs' | 'runId' | 'journal'>

export async function restoreRepository(context: Recording): Promise<RestoredChange[]> {
  const done: RestoredChange[] = []
  for (const change of changesToRestore(readDriveState(context))) {
    const problem = await restore(context, change)
    done.push({ change, ...(problem !== undefined && { problem }) })
  }
  const restored = done.filter(({ problem }) => problem === undefined)
  if (restored.length > 0) {
    const names = restored.map(({ change: { attempt, name } }) => ({ attempt, name }))
    record(context, 'repository_restored', { restored: names })
  }
  return done
}

/** Undefined if it is as before; otherwise why not. */
async function restore(context: Place, change: ChangeToRestore): Promise<string | undefined> {
  if (change.what === 'ref') return await restoreRef(context, change)
  if (change.what === 'head') return await restoreHead(context, change)
  return restoreFile(context, change)
}

const CHANGED_AGAIN = 'it has changed again since'

async function restoreRef({ runs }: Place, { name, before, after }: ChangeToRestore): Promise<string | undefined> {
  if (before?.startsWith('ref: ') || after?.startsWith('ref: ')) return 'it names another ref; use git symbolic-ref'
  const none = '0'.repeat((before ?? after ?? '').length)
  // Git changes the ref only if it still has the value after the attempt.
  const args = ['update-ref', '--no-deref', '-m', 'drover: restored', name, before ?? none, after ?? none] as const
  return await tryGit(runs.git, { directory: runs.workspace.git_common_dir, args })
}

async function restoreHead(context: Place, { before = '', after }: ChangeToRestore): Promise<string | undefined> {
  const { place } = readDriveState(context)
  if (place.kind === 'in_place') return 'the agents worked in this worktree'
  const { pinned: _, ...git } = context.runs.git
  const directory = place.repository
  const [, branch] = /^ref: (.+)$/.exec(before) ?? []
  const current = await askGit(git, {
    directory,
    args: ['rev-parse', '--symbolic-full-name', 'HEAD'],
    signal: forever(),
  })
  const isAsAfter = after?.endsWith(current.stdout.toString('utf8').trim()) === true
  if (!isAsAfter && /^ref: /.test(after ?? '')) return CHANGED_AGAIN
  const args =
    branch === undefined
      ? (['update-ref', '--no-deref', 'HEAD', before] as const)
      : (['symbolic-ref', 'HEAD', branch] as const)
  return await tryGit(git, { directory, args })
}

async function tryGit(
  git: Git,
  command: { directory: string; args: readonly [string, ...string[]] },
): Promise<string | undefined> {
  const { code, stderr } = await askGit(git, { ...command, signal: forever() })
  if (code === 0) return undefined
  return /but expected|reference already exists|unable to resolve/.test(stderr) ? CHANGED_AGAIN : gitErrorLine(stderr)
}

function forever(): AbortSignal {
  return new AbortController().signal
}

function restoreFile(context: Place, { name, after, attempt, state }: ChangeToRestore): string | undefined {
  const path = join(context.runs.workspace.git_common_dir, name)
  const saved = readState(context, state, attempt)
  if (saved === undefined) return 'the state before the attempt is gone, or was changed'
  if (digestOf(path) !== after) return CHANGED_AGAIN
  const bytes = parseState(saved).files[name]
  if (bytes === undefined) {
    rmSync(path, { force: true })
    return undefined
  }
  const mode = (lstatSync(path, { throwIfNoEntry: false })?.mode ?? (name.startsWith('hooks/') ? 0o755 : 0o644)) & 0o777
  replaceFile({ path, bytes: Buffer.from(bytes, 'base64'), mode, links: 'follow' })
  return undefined
}

const FILE_LIMIT_BYTES = 1024 * 1024

/** As the comparison of two states computes it. */
function digestOf(path: string): string | undefined {
  return tryToRead(() =>
    digest(readFileBytes({ path, limitBytes: FILE_LIMIT_BYTES, links: 'follow' }).toString('base64')),
  )
}
