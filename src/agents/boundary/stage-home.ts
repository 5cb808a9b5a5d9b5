/**
 * A home directory for an agent inside of a boundary. Agents replace their files by renaming, which a mounted file does not allow, so
 * they get copies. Of these, only a refreshed login is taken back, and only if it is a file where it was.
 */
import {
  closeSync,
  constants,
  copyFileSync,
  existsSync,
  fstatSync,
  lstatSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmdirSync,
  rmSync,
} from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { errorCode, orUndefined } from '../../kit/fault.ts'
import { replaceFile } from '../../kit/files/write-file.ts'
import { isWithin, type Stage } from '../../sandbox/sandbox-policy.ts'
import type { BoundaryNeeds } from '../adapter/boundary-needs.ts'

export type StagedHome = {
  stages: readonly Stage[]
  /** Keeps the logins that the agent has refreshed, and removes what it has left among its sessions besides files. */
  endTurn(): void
  /** Removes directories for sessions that were made for it and are empty. Call it when nothing runs inside any more. */
  close(): void
}

const LOGIN_LIMIT_BYTES = 1024 * 1024
const PRIVATE_DIRECTORY = { recursive: true, mode: 0o700 } as const

/** `directory` is empty, has no links in its path, and belongs to this agent alone. */
export function stageHome(needs: BoundaryNeeds, { home, directory }: { home: string; directory: string }): StagedHome {
  const outside = needs.directories.filter((path) => !isWithin(path, [home]))
  const stages = [home, ...outside].map((path, at): Stage => ({ path, from: join(directory, String(at)) }))
  const place = (path: string) => {
    const stage = stages.findLast((each) => isWithin(path, [each.path]))
    return stage === undefined ? undefined : join(stage.from, relative(stage.path, path))
  }
  const since = Date.now()
  for (const { from } of stages) mkdirSync(from, PRIVATE_DIRECTORY)
  const ownInHome = needs.directories.filter((path) => isWithin(path, [home]))
  for (const path of ownInHome) mkdirSync(place(path) ?? path, PRIVATE_DIRECTORY)
  const made = needs.kept.map(holdDirectory)
  for (const path of needs.copied) copyIn(path, place(path))
  const logins = needs.logins.flatMap((path) => {
    const staged = place(path)
    return staged === undefined ? [] : [{ path, staged, known: copyIn(path, staged) }]
  })
  return {
    stages,
    endTurn() {
      for (const login of logins) login.known = keepLogin(login)
      for (const path of needs.kept) removeLinks(path, since)
    },
    close() {
      for (const release of made) release()
    },
  }
}

/** How many agents of this process have a directory, and the outermost one that was made for them. */
const held = new Map<string, { count: number; first: string | undefined }>()

/** An agent that stores no session would not have made it. */
function holdDirectory(path: string): () => void {
  const first = mkdirSync(path, PRIVATE_DIRECTORY)
  const entry = held.get(path) ?? { count: 0, first }
  entry.count += 1
  held.set(path, entry)
  return () => {
    entry.count -= 1
    if (entry.count > 0) return
    held.delete(path)
    if (entry.first !== undefined) removeEmpty(path, entry.first)
  }
}

/** From the innermost one outwards. */
function removeEmpty(path: string, first: string): void {
  try {
    rmdirSync(path)
    if (path !== first) removeEmpty(dirname(path), first)
  } catch {
    // It is used, or gone.
  }
}

/** The clock of a file system lags behind. */
const CLOCK_MS = 1000

/**
 * The agent would write through them if it resumes a session outside. Those that were there before stay. Other processes of the
 * agent may remove files meanwhile.
 */
function removeLinks(folder: string, since: number): void {
  for (const entry of existsSync(folder) ? readdirSync(folder, { withFileTypes: true }) : []) {
    const path = join(folder, entry.name)
    if (entry.isDirectory()) removeLinks(path, since)
    else if (!entry.isFile() && isNewer(path, since - CLOCK_MS)) rmSync(path, { force: true })
  }
}

function isNewer(path: string, since: number): boolean {
  return (lstatSync(path, { throwIfNoEntry: false })?.ctimeMs ?? 0) > since
}

/** The content of the copy; undefined if there is no such file. */
function copyIn(path: string, staged: string | undefined): string | undefined {
  if (staged === undefined) return undefined
  try {
    mkdirSync(dirname(staged), PRIVATE_DIRECTORY)
    copyFileSync(path, staged, constants.COPYFILE_EXCL)
    return readFileSync(staged, 'utf8')
  } catch (error) {
    if (errorCode(error) === 'ENOENT' || errorCode(error) === 'EISDIR') return undefined
    throw error
  }
}

type Login = {
  path: string
  staged: string
  /** What the agent was given, or has been taken back from it. */
  known: string | undefined
}

/** A login that others have refreshed meanwhile is newer, and stays. */
function keepLogin({ path, staged, known }: Login): string | undefined {
  const now = readStaged(staged)
  if (now === undefined || now === known || orUndefined(() => readFileSync(path, 'utf8')) !== known) return known
  mkdirSync(dirname(path), PRIVATE_DIRECTORY)
  replaceFile({ path, bytes: Buffer.from(now), mode: 0o600, links: 'follow' })
  return now
}

/** The agent may have put a link or a pipe there, or have moved its directory: then nothing is read. */
function readStaged(path: string): string | undefined {
  try {
    // Most agents have no such file, and an exception for each turn would cost more than this look.
    if (lstatSync(path, { throwIfNoEntry: false })?.isFile() !== true) return undefined
    const descriptor = openSync(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK)
    try {
      const found = fstatSync(descriptor)
      const isInPlace = found.isFile() && readlinkSync(`/proc/self/fd/${descriptor}`) === path
      return isInPlace && found.size <= LOGIN_LIMIT_BYTES ? readFileSync(descriptor, 'utf8') : undefined
    } finally {
      closeSync(descriptor)
    }
  } catch {
    return undefined
  }
}
