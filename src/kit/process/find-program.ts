import { accessSync, constants, statSync } from 'node:fs'
import { delimiter, isAbsolute, join, resolve } from 'node:path'

/** Where to search for a program. */
export type SearchPlaces = { env: Readonly<Record<string, string | undefined>>; cwd: string }

/**
 * The absolute path of a program: a bare name is searched in PATH as a shell does, a path is used directly. Undefined if
 * there is no such executable file.
 */
export function findProgram(name: string, { env, cwd }: SearchPlaces): string | undefined {
  if (name === '') return undefined
  if (name.includes('/')) return isExecutable(resolve(cwd, name)) ? resolve(cwd, name) : undefined
  // Skips empty and relative entries of PATH: they would run a program from the current directory.
  const directories = (env['PATH'] ?? '').split(delimiter).filter((directory) => isAbsolute(directory))
  for (const directory of directories) {
    const path = join(directory, name)
    if (isExecutable(path)) return path
  }
  return undefined
}

function isExecutable(path: string): boolean {
  try {
    // Most directories do not have the program, and an exception for each would cost more than this check.
    if (statSync(path, { throwIfNoEntry: false })?.isFile() !== true) return false
    accessSync(path, constants.X_OK)
    return true
  } catch {
    return false
  }
}

/** Versions of other programs: parse and compare. Pure. */
export type Version = readonly [major: number, minor: number, patch: number]

/** The first version in the output of a program: `git version 2.39.5 (Apple Git-154)`, `codex-cli 0.166.0`, `v24.21.0`. */
export function findVersion(text: string): Version | undefined {
  const [, major, minor, patch = '0'] = /(\d+)\.(\d+)(?:\.(\d+))?/.exec(text) ?? []
  return major === undefined ? undefined : [Number(major), Number(minor), Number(patch)]
}

export function isOlder(one: Version, other: Version): boolean {
  const at = one.findIndex((part, index) => part !== other[index])
  return at !== -1 && Number(one[at]) < Number(other[at])
}

export function formatVersion(version: Version): string {
  return version.join('.')
}
