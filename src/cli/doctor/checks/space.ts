/** Whether drover can write where it stores things: the directory of the user, and temporary files. */
import { accessSync, constants, statfsSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname } from 'node:path'
import { findPaths } from '../../../config/paths.ts'
import { orUndefined, tryTo } from '../../../kit/fault.ts'
import { systemReason } from '../../../kit/files/disk.ts'
import type { CheckContext } from './doctor-check.ts'
import { defineFindings, type Finding, ok, problem, warning } from './finding.ts'

export const PLACE = defineFindings('Configuration', 'directory', {
  home_writable: ok(
    'The directory of drover, which holds sessions, executions and keys, is writable or can be created.',
  ),
  home_unwritable: problem(
    'The directory of drover is not writable, or cannot be created. Prompts store no sessions, and no server starts.',
    'correct its permissions, or choose another with DROVER_HOME',
  ),
  disk_low: warning(
    'Less than 1 GiB is free on the disk of the directory of drover, or of the temporary files.',
    'free some space; drover sessions clean and drover worktrees list show what drover keeps',
  ),
  disk_full: problem(
    'Less than 64 MiB, or not a single file, is free on the disk of the directory of drover, or of the temporary files.',
    'free some space; agents and drover fail in unexpected ways on a full disk',
  ),
})

const MIB = 1024 * 1024
const FULL_BYTES = 64 * MIB
const LOW_BYTES = 1024 * MIB

export type Space = {
  path: string
  device: number
  freeBytes: number
  /** Undefined: the file system has no limit. */
  freeFiles: number | undefined
}

export function checkSpace({ configEnvironment }: Pick<CheckContext, 'configEnvironment'>): Finding[] {
  const home = findHome(configEnvironment)
  // Another check reports a home that is invalid.
  if (home === undefined) return []
  const places = [home, tmpdir()].flatMap((path) => readSpace(path) ?? [])
  return [assessHome(home), ...assessSpaces(places)]
}

function findHome(environment: CheckContext['configEnvironment']): string | undefined {
  return tryTo(() => findPaths(environment).directory)
}

/** A directory that does not exist yet is created in the nearest one that does. */
function nearestExisting(path: string): string {
  return statSync(path, { throwIfNoEntry: false }) === undefined ? nearestExisting(dirname(path)) : path
}

function assessHome(home: string): Finding {
  try {
    const place = nearestExisting(home)
    if (!statSync(place).isDirectory()) return PLACE.home_unwritable({ detail: `${place} is not a directory` })
    accessSync(place, constants.W_OK | constants.X_OK)
    return PLACE.home_writable({ detail: place === home ? `${home} is writable` : `${home} does not exist yet` })
  } catch (error) {
    return PLACE.home_unwritable({ detail: `${home} is not writable: ${systemReason(error)}` })
  }
}

function readSpace(wanted: string): Space | undefined {
  return orUndefined(() => {
    const path = nearestExisting(wanted)
    const { bavail, bsize, files, ffree } = statfsSync(path)
    return { path, device: statSync(path).dev, freeBytes: bavail * bsize, freeFiles: files === 0 ? undefined : ffree }
  })
}

/** One finding for each disk. Pure. */
export function assessSpaces(places: readonly Space[]): Finding[] {
  const disks = new Map(places.toReversed().map((place) => [place.device, place]))
  return [...disks.values()].toReversed().flatMap(({ path, freeBytes, freeFiles }) => {
    if (freeFiles === 0)
      return [PLACE.disk_full({ detail: `no file can be created on the disk of ${path}: it has no inodes left` })]
    const detail = `${Math.floor(freeBytes / MIB)} MiB are free on the disk of ${path}`
    if (freeBytes < FULL_BYTES) return [PLACE.disk_full({ detail })]
    return freeBytes < LOW_BYTES ? [PLACE.disk_low({ detail })] : []
  })
}
