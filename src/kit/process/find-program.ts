import { accessSync, constants, statSync } from 'node:fs'
import { delimiter, extname, isAbsolute, join, resolve } from 'node:path'

/** Where to search for a program. */
export type SearchPlaces = { env: Readonly<Record<string, string | undefined>>; cwd: string }

/**
 * The absolute path of a program: a bare name is searched in PATH as a shell does, a path is used directly. Undefined if
 * there is no such executable file.
 */
export function findProgram(name: string, { env, cwd }: SearchPlaces): string | undefined {
  if (name === '') return undefined
  if (isAbsolute(name) || /[\\/]/.test(name)) return withSuffix(resolve(cwd, name), env)
  // Skips empty and relative entries of PATH: they would run a program from the current directory.
  const directories = (env['PATH'] ?? env['Path'] ?? '').split(delimiter).filter((directory) => isAbsolute(directory))
  for (const directory of directories) {
    const found = withSuffix(join(directory, name), env)
    if (found !== undefined) return found
  }
  return undefined
}

function withSuffix(path: string, env: SearchPlaces['env']): string | undefined {
  if (process.platform !== 'win32' || extname(path) !== '') return isExecutable(path) ? path : undefined
  const suffixes = (env['PATHEXT'] ?? '.EXE;.CMD').split(';')
  return suffixes.map((suffix) => path + suffix.toLowerCase()).find(isExecutable)
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
