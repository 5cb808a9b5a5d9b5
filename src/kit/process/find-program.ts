import { accessSync, constants, statSync } from 'node:fs'
import { delimiter, extname, isAbsolute, join, resolve } from 'node:path'

/** Where a program may be looked for. */
export type SearchPlaces = { env: Readonly<Record<string, string | undefined>>; cwd: string }

/**
 * The absolute path of a program: a bare name is looked up in PATH as a shell would, a path is taken as it is. Undefined
 * when there is no executable file of that name.
 */
export function findProgram(name: string, { env, cwd }: SearchPlaces): string | undefined {
  if (name === '') return undefined
  if (isAbsolute(name) || /[\\/]/.test(name)) return withSuffix(resolve(cwd, name), env)
  // An empty entry of PATH means the current directory, and running what happens to lie there is never wanted.
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
    // Most places do not have it, and an exception for each of them costs more than the look.
    if (statSync(path, { throwIfNoEntry: false })?.isFile() !== true) return false
    accessSync(path, constants.X_OK)
    return true
  } catch {
    return false
  }
}
