/**
 * What a linked worktree needs of its repository to commit, as a copy. Git outside would write through links that a command has left
 * there, and would believe objects and branches that it has written. When the command is over, drover takes back objects whose content
 * has the name that they claim, and if none is missing then, plain files of the worktree's git directory and its branch.
 */

import { existsSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { orUndefined } from '../kit/fault.ts'
import { readFileBytes } from '../kit/files/read-file.ts'
import type { Mount, OwnGit } from './sandbox-policy.ts'
import { StagedFolder } from './staged-folder.ts'
import { StagedObjects } from './staged-objects.ts'

export type GitStage = {
  mounts: readonly Mount[]
  bringIn(): void
  /** Returns why nothing was taken, if so: git outside would miss objects. */
  takeBack(): string | undefined
}

/** Where the objects of the repository are inside. */
const OBJECTS = '/run/drover/objects'
/** Others would redirect git, name programs, or keep drover from removing the worktree. */
const FIXED: readonly string[] = ['commondir', 'gitdir', 'config.worktree']
const NOT_TAKEN: readonly string[] = [...FIXED, 'locked']
/** The same of a submodule. One that was there before keeps its own. */
const OF_MODULE = /^modules\/(.+)\/(?:config|config\.worktree|commondir|gitdir|hooks\/.+|info\/attributes)$/s
/** The name of a branch has at most 4096 bytes. */
const LIMIT_BYTES = 8192
const COMMIT = /^(?:[0-9a-f]{40}|[0-9a-f]{64})\n$/

export function stageGit({ directory, commonDirectory, branch }: OwnGit, at: string): GitStage {
  const place = (name: string) => join(at, name)
  for (const folder of ['objects/info', 'objects/pack']) mkdirSync(place(folder), { recursive: true })
  writeFileSync(place('objects/info/alternates'), `${OBJECTS}\n`)
  const modules = listModules(join(directory, 'modules'))
  const own = new StagedFolder(
    { real: directory, staged: place('git') },
    { takes: (path) => (path === 'HEAD' ? isHead(place('git/HEAD'), branch) : isTaken(path, modules)) },
  )
  // An empty file keeps a command from creating one.
  if (!existsSync(place('git/config.worktree'))) writeFileSync(place('git/config.worktree'), '')
  const branches = branch === undefined ? undefined : stageBranch(commonDirectory, branch, place)
  const folders = [own, ...(branches?.folders ?? [])]
  const objects = join(commonDirectory, 'objects')
  const store = new StagedObjects({ staged: place('objects'), real: objects })
  return {
    mounts: [
      { path: OBJECTS, as: 'read', from: objects },
      { path: objects, as: 'write', from: place('objects') },
      // They are not taken back.
      ...['pack', 'info'].map((name): Mount => {
        return { path: join(objects, name), as: 'read', from: place(`objects/${name}`) }
      }),
      { path: directory, as: 'write', from: place('git') },
      ...FIXED.map((name): Mount => ({ path: join(directory, name), as: 'read', from: place(`git/${name}`) })),
      ...(branches?.mounts ?? []),
    ],
    bringIn() {
      for (const folder of folders) folder.bringIn()
    },
    takeBack() {
      const tips = [place('git/HEAD'), ...(branch === undefined ? [] : [place(`refs/${basename(branch)}`)])]
      const problem = store.take(tips.map(readText).flatMap((text) => (COMMIT.test(text) ? [text.trim()] : [])))
      if (problem === undefined) for (const folder of folders) folder.takeBack()
      return problem
    },
  }
}

/** The directory of the branch, with all branches in it, and the log of the branch. */
function stageBranch(commonDirectory: string, branch: string, place: (name: string) => string) {
  const name = basename(branch)
  const [refs, log] = [dirname(join(commonDirectory, branch)), dirname(join(commonDirectory, 'logs', branch))]
  mkdirSync(refs, { recursive: true })
  const hasLogs = existsSync(join(commonDirectory, 'logs'))
  if (hasLogs) mkdirSync(log, { recursive: true })
  const isOwn = (path: string) => path === name
  const takes = (path: string) => isOwn(path) && isCommit(place(`refs/${path}`))
  const folders = [new StagedFolder({ real: refs, staged: place('refs') }, { takes })]
  if (hasLogs) folders.push(new StagedFolder({ real: log, staged: place('log') }, { brings: isOwn, takes: isOwn }))
  const others = readdirSync(place('refs')).filter((each) => each !== name)
  const mounts: Mount[] = [
    { path: refs, as: 'write', from: place('refs') },
    ...others.map((each): Mount => ({ path: join(refs, each), as: 'read', from: place(`refs/${each}`) })),
    ...(hasLogs ? [{ path: log, as: 'write', from: place('log') } as const] : []),
  ]
  return { folders, mounts }
}

function isTaken(path: string, modules: ReadonlySet<string>): boolean {
  const [, module] = OF_MODULE.exec(path) ?? []
  return !NOT_TAKEN.includes(path) && !path.endsWith('.lock') && (module === undefined || !modules.has(module))
}

/** The repositories of submodules. The name of one can have slashes. */
function listModules(directory: string): Set<string> {
  if (!existsSync(directory)) return new Set()
  const files = readdirSync(directory, { recursive: true, encoding: 'utf8' })
  return new Set(files.filter((path) => basename(path) === 'HEAD').map(dirname))
}

/** `HEAD` and a branch can also name another branch, which git outside would then write. */
function isCommit(path: string): boolean {
  return COMMIT.test(readText(path))
}

function isHead(path: string, branch: string | undefined): boolean {
  return isCommit(path) || readText(path) === `ref: ${branch}\n`
}

function readText(path: string): string {
  return orUndefined(() => readFileBytes({ path, limitBytes: LIMIT_BYTES }).toString('utf8')) ?? ''
}
