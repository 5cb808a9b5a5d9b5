/**
 * Builds in a folder beside `dist`, and then moves each file into place. A server of the clone that reads `dist` meanwhile finds
 * every file, and two builds at once wait for each other.
 */
import { mkdirSync, readdirSync, renameSync, rmdirSync, rmSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { withLock } from '../src/kit/files/lock.ts'

/** A build takes seconds, on a slow machine a minute. */
const WAIT_MS = 10 * 60_000
/** What only the bundle of a clone has. It tells by itself whether it still holds. */
const KEPT: readonly string[] = ['inputs.json']
/** The page names other files, so it comes after them. */
const LAST = join('console', 'page.html')

type Build = {
  root: string
  /** Writes into a folder. */
  write: (folder: string) => Promise<void>
  /** What a build before has left is removed. */
  isWhole: boolean
}

export async function publishBuild({ root, write, isWhole }: Build): Promise<void> {
  await oneAtATime(root, async () => await replace(root, { write, isWhole }))
}

/** Waits until no other process builds in the clone. */
export async function oneAtATime<T>(root: string, work: () => Promise<T>): Promise<T> {
  return await withLock({ path: join(root, '.build.lock'), mode: 'exclusive', waitMs: WAIT_MS }, work)
}

/** Only with the lock. */
export async function replace(root: string, { write, isWhole }: Omit<Build, 'root'>): Promise<void> {
  const [dist, folder] = [join(root, 'dist'), join(root, '.build')]
  rmSync(folder, { recursive: true, force: true })
  try {
    await write(folder)
    const built = filesIn(folder)
    for (const name of built.toSorted((one, other) => Number(one === LAST) - Number(other === LAST))) {
      mkdirSync(dirname(join(dist, name)), { recursive: true })
      renameSync(join(folder, name), join(dist, name))
    }
    if (isWhole) removeOthers(dist, [...built, ...KEPT])
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

function removeOthers(dist: string, wanted: readonly string[]): void {
  for (const name of filesIn(dist)) if (!wanted.includes(name)) rmSync(join(dist, name), { force: true })
  for (const each of readdirSync(dist, { recursive: true, withFileTypes: true }).toReversed()) {
    const path = join(each.parentPath, each.name)
    if (each.isDirectory() && readdirSync(path).length === 0) rmdirSync(path)
  }
}

function filesIn(folder: string): string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((each) => !each.isDirectory())
    .map((each) => relative(folder, join(each.parentPath, each.name)))
}
