/** The files of drover that an agent must not read under a ceiling: they hold texts and keys of others. */
import { readdirSync, realpathSync } from 'node:fs'
import { basename, dirname, join, relative, sep } from 'node:path'
import { workdirNotAllowed } from './faults.ts'

/** `open` are directories in the closed ones in which agents work. */
export type PrivateFiles = { closed: readonly string[]; open: readonly string[] }

const CLOSED = 'holds files of drover, which agents must not read under a ceiling'

/** What to close for an agent in this directory, with links resolved. Throws a Fault if the directory itself is closed. */
export function closeFiles({ closed, open }: PrivateFiles, workdir: string): string[] {
  const real = closed.map(resolveLinks)
  const isOpen = open.map(resolveLinks).some((directory) => isWithin(workdir, directory))
  if (!isOpen && real.some((path) => isWithin(workdir, path))) {
    throw workdirNotAllowed({ workdir, problem: CLOSED })
  }
  const all = [...new Set(real.flatMap((path) => (isWithin(workdir, path) ? besideWay(path, workdir) : [path])))]
  return all.filter((path) => !all.some((other) => other !== path && isWithin(path, other)))
}

/** Throws a Fault for a directory that the agent is given too, if it is closed. */
export function refuseClosed(closedFiles: readonly string[], directory: string): void {
  if (!closedFiles.some((path) => isWithin(directory, path))) return
  throw workdirNotAllowed({ workdir: directory, problem: CLOSED })
}

/**
 * Throws a Fault if closed files are in a directory of an agent that only its own rules keep from reading them: some of
 * its tools read everything there.
 */
export function refuseAround(closedFiles: readonly string[], workdir: string): void {
  if (!closedFiles.some((path) => isWithin(path, workdir))) return
  const problem = 'has files of drover in it, which agents must not read under a ceiling; choose a directory in it'
  throw workdirNotAllowed({ workdir, problem })
}

/** Everything in the directory, except on the way from it to the working directory. */
function besideWay(directory: string, workdir: string): string[] {
  const [next] = relative(directory, workdir).split(sep)
  if (next === undefined || next === '') return []
  const others = namesIn(directory).filter((name) => name !== next)
  return [...others.map((name) => join(directory, name)), ...besideWay(join(directory, next), workdir)]
}

function namesIn(directory: string): string[] {
  try {
    return readdirSync(directory).sort()
  } catch {
    return []
  }
}

/** The file need not exist yet. */
function resolveLinks(path: string): string {
  try {
    return realpathSync(path)
  } catch {
    return dirname(path) === path ? path : join(resolveLinks(dirname(path)), basename(path))
  }
}

function isWithin(path: string, directory: string): boolean {
  return path === directory || path.startsWith(`${directory}${sep}`)
}
