/** Where the runs of a repository are kept: whether it is safe there, and whether anything else lies about. */
import { type BigIntStats, lstatSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { Fault } from '../../kit/fault.ts'
import { type Disk, fileKind, realDisk, systemReason } from '../../kit/files/disk.ts'
import { probeDurability } from '../../kit/files/probe-durability.ts'
import { quoteWord } from '../../kit/shell-words.ts'
import { defineCheck, type Finding } from './check.ts'

const DURABILITY = { group: 'Runs', name: 'runstore durability' } as const

export const legacyUnknownResidue = defineCheck({
  code: 'legacy_unknown_residue',
  group: 'Runs',
  name: 'legacy_runstore',
  status: 'warning',
  means: 'Something that is not drover’s lies in the directory that drover has inside the git directory.',
  todo: 'see what it is and move it away; drover neither reads nor deletes it',
})

export const runstoreExposed = defineCheck({
  code: 'runstore_exposed',
  group: 'Runs',
  name: 'runstore access',
  status: 'warning',
  means: 'Other users of the machine may look into the recorded runs.',
  todo: 'take their rights away by chmod 700',
})

export const runstoreDurabilityFull = defineCheck({
  ...DURABILITY,
  code: 'runstore_durability_full',
  status: 'ok',
  means: 'A file was written where runs are kept, forced to the disk with its name, and removed again.',
})

export const runstoreDurabilityLimited = defineCheck({
  ...DURABILITY,
  code: 'runstore_durability_limited',
  status: 'warning',
  means: 'Files are forced to the disk there, but not their names: a power failure can make a new run disappear.',
  todo: 'keep the repository on a local file system if that matters to you',
})

export const runstoreUnwritable = defineCheck({
  ...DURABILITY,
  code: 'runstore_unwritable',
  status: 'error',
  means: 'Nothing can be written where runs are kept, so that no run can be started or go on.',
  todo: 'check the permissions, whether the disk is full, and whether it is read-only',
})

/** What drover itself puts there. */
const OWN_ENTRIES = ['runs', 'hosts']

type Storage = {
  /** The directory of drover, and the one of the runs in it; undefined where there is none, or something else. */
  home: string | undefined
  runs: string | undefined
  /** Something else is where the directory of drover should be, or it cannot be looked into. */
  trouble: string | undefined
  /** Names of what is in it. */
  entries: readonly string[]
  isExposed: boolean
}

export function checkRunStorage(gitCommonDir: string, disk: Disk = realDisk): Finding[] {
  const storage = lookAtStorage(gitCommonDir)
  return [...judgeStorage(storage), probeStorage(storage.runs ?? storage.home ?? gitCommonDir, disk)]
}

function lookAtStorage(gitCommonDir: string): Storage {
  const [home, runs] = [join(gitCommonDir, 'drover'), join(gitCommonDir, 'drover', 'runs')]
  const nothing = { home: undefined, runs: undefined, trouble: undefined, entries: [], isExposed: false }
  try {
    const found = look(home)
    if (found === undefined) return nothing
    if (!found.isDirectory()) return { ...nothing, trouble: `${home} is a ${fileKind(found)}` }
    const entries = readdirSync(home).toSorted()
    const kept = look(runs)
    const isExposed = [found, kept].every((each) => each !== undefined && isOpen(each))
    return { home, runs: kept?.isDirectory() ? runs : undefined, trouble: undefined, entries, isExposed }
  } catch (error) {
    return { ...nothing, trouble: `${home} cannot be looked into: ${systemReason(error)}` }
  }
}

function look(path: string): BigIntStats | undefined {
  return lstatSync(path, { bigint: true, throwIfNoEntry: false })
}

function isOpen({ mode }: BigIntStats): boolean {
  return process.platform !== 'win32' && (mode & 0o077n) !== 0n
}

function judgeStorage({ home, runs, trouble, entries, isExposed }: Storage): Finding[] {
  const strange = entries.filter((name) => !OWN_ENTRIES.includes(name)).map((name) => join(home ?? '', name))
  return [
    ...(trouble === undefined ? [] : [legacyUnknownResidue({ detail: trouble })]),
    ...strange.map((path) => legacyUnknownResidue({ detail: `${path} is not drover's` })),
    ...(isExposed
      ? [runstoreExposed({ detail: `${runs} is open to other users`, todo: `run chmod 700 ${quoteWord(home ?? '')}` })]
      : []),
  ]
}

function probeStorage(directory: string, disk: Disk): Finding {
  try {
    const durability = probeDurability(directory, disk)
    const written = `what is written to ${directory}`
    if (!('limitation' in durability)) {
      return runstoreDurabilityFull({ detail: `${written} survives a power failure`, durability })
    }
    const detail = `${written} may be gone after a power failure (${durability.limitation})`
    return runstoreDurabilityLimited({ detail, durability })
  } catch (error) {
    if (!(error instanceof Fault)) throw error
    const { reason } = error.details as { reason: string }
    return runstoreUnwritable({ detail: `nothing can be written in ${directory}: ${reason}` })
  }
}
