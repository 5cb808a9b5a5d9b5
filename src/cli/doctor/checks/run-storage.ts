/** The directory that stores the runs of a repository: is it private, durable and free of other files? */
import { type BigIntStats, lstatSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { Fault } from '../../../kit/fault.ts'
import { type Disk, fileKind, isOpenToOthers, realDisk, systemReason } from '../../../kit/files/disk.ts'
import { probeDurability } from '../../../kit/files/write-file.ts'
import { quoteWord } from '../../../kit/shell-words.ts'
import { inWorktree } from './doctor-check.ts'
import { defineFindings, type Finding, ok, problem, warning } from './finding.ts'

export const LEGACY = defineFindings('Runs', 'legacy_runstore', {
  legacy_unknown_residue: warning(
    'Drover’s directory inside the git directory contains something that drover did not create.',
    'inspect it and move it away; drover neither reads nor deletes it',
  ),
})

export const ACCESS = defineFindings('Runs', 'runstore access', {
  runstore_exposed: warning(
    'Other users of this machine can read the stored runs.',
    'remove their permissions with chmod 700',
  ),
})

export const DURABILITY = defineFindings('Runs', 'runstore durability', {
  runstore_durability_full: ok(
    'A test file was written to the run storage and synced together with its directory, then removed.',
  ),
  runstore_durability_limited: warning(
    'Files are synced to the disk, but directories are not: a power failure can make a new run disappear.',
    'keep the repository on a local file system if that matters to you',
  ),
  runstore_unwritable: problem(
    'The run storage is not writable, so no run can be started or continued.',
    'check the permissions, whether the disk is full, and whether it is read-only',
  ),
})

/** What drover itself creates there. */
const OWN_ENTRIES = ['runs', 'hosts']

type Storage = {
  /** Drover's directory and the one of the runs inside; undefined if missing or not a directory. */
  home: string | undefined
  runs: string | undefined
  /** Why drover's directory cannot be used. */
  problem: string | undefined
  /** The names in drover's directory. */
  entries: readonly string[]
  isExposed: boolean
}

export const checkRunStorage = inWorktree(({ git_common_dir }) => assessRunStorage(git_common_dir))

export function assessRunStorage(gitCommonDir: string, disk: Disk = realDisk): Finding[] {
  const storage = inspectStorage(gitCommonDir)
  return [...assessDirectory(storage), probeStorage(storage.runs ?? storage.home ?? gitCommonDir, disk)]
}

function inspectStorage(gitCommonDir: string): Storage {
  const [home, runs] = [join(gitCommonDir, 'drover'), join(gitCommonDir, 'drover', 'runs')]
  const nothing = { home: undefined, runs: undefined, problem: undefined, entries: [], isExposed: false }
  try {
    const found = tryStat(home)
    if (found === undefined) return nothing
    if (!found.isDirectory()) return { ...nothing, problem: `${home} is a ${fileKind(found)}` }
    const entries = readdirSync(home).toSorted()
    const stored = tryStat(runs)
    const isExposed = [found, stored].every((each) => each !== undefined && isOpenToOthers(each))
    return { home, runs: stored?.isDirectory() ? runs : undefined, problem: undefined, entries, isExposed }
  } catch (error) {
    return { ...nothing, problem: `${home} cannot be read: ${systemReason(error)}` }
  }
}

function tryStat(path: string): BigIntStats | undefined {
  return lstatSync(path, { bigint: true, throwIfNoEntry: false })
}

function assessDirectory({ home, runs, problem, entries, isExposed }: Storage): Finding[] {
  const strange = entries.filter((name) => !OWN_ENTRIES.includes(name)).map((name) => join(home ?? '', name))
  return [
    ...(problem === undefined ? [] : [LEGACY.legacy_unknown_residue({ detail: problem })]),
    ...strange.map((path) => LEGACY.legacy_unknown_residue({ detail: `${path} was not created by drover` })),
    ...(isExposed
      ? [
          ACCESS.runstore_exposed({
            detail: `${runs} is accessible to other users`,
            todo: `run chmod 700 ${quoteWord(home ?? '')}`,
          }),
        ]
      : []),
  ]
}

function probeStorage(directory: string, disk: Disk): Finding {
  try {
    const durability = probeDurability(directory, disk)
    const files = `files in ${directory}`
    if (!('limitation' in durability)) {
      return DURABILITY.runstore_durability_full({ detail: `${files} survive a power failure`, durability })
    }
    const detail = `${files} may be lost in a power failure (${durability.limitation})`
    return DURABILITY.runstore_durability_limited({ detail, durability })
  } catch (error) {
    if (!(error instanceof Fault)) throw error
    const { reason } = error.details as { reason: string }
    return DURABILITY.runstore_unwritable({ detail: `${directory} is not writable: ${reason}` })
  }
}
