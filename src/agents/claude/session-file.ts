/**
 * The file in which claude keeps a session, `projects/DIRECTORY/ID.jsonl` in its config directory. With it, claude continues the
 * session on another machine, in a directory of the same path.
 */
import { readdir, readFile, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { ensurePrivateDirectory } from '../../kit/files/private-directory.ts'
import { replaceFile } from '../../kit/files/write-file.ts'
import type { AgentRequest, SessionFile } from '../adapter/agent.ts'

/** A longer session stays on its machine. */
const MAX_BYTES = 32 * 1024 * 1024
/** Claude makes the name from the path of the working directory. */
const SAFE_NAME = /^[A-Za-z0-9-]{1,255}$/

type Where = Pick<AgentRequest, 'env' | 'workdir'>

/** Undefined if there is no such file, or if it is too long. `id` must be a UUID. */
export async function readSessionFile(id: string, where: Where): Promise<SessionFile | undefined> {
  const projects = projectsDirectory(where)
  if (projects === undefined) return undefined
  for (const directory of await listDirectories(projects, where)) {
    const path = join(projects, directory, `${id}.jsonl`)
    const found = await stat(path).catch(() => undefined)
    if (found?.isFile() !== true) continue
    return found.size > MAX_BYTES ? undefined : { directory, bytes: await readFile(path) }
  }
  return undefined
}

/** What this machine had of the session before is older, so it is replaced. */
export function writeSessionFile(id: string, { directory, bytes }: SessionFile, where: Where): void {
  const projects = projectsDirectory(where)
  if (projects === undefined || !SAFE_NAME.test(directory)) throw new Error('claude has no directory for sessions here')
  const path = join(projects, directory)
  ensurePrivateDirectory({ path })
  replaceFile({ path: join(path, `${id}.jsonl`), bytes, mode: 0o600 })
}

function projectsDirectory({ env }: Where): string | undefined {
  const home = env['HOME']
  const root = env['CLAUDE_CONFIG_DIR'] || (home && join(home, '.claude'))
  return root ? join(root, 'projects') : undefined
}

/** The directory of the sessions of a working directory, unless its name is too long. */
export function toProjectName(workdir: string): string {
  return workdir.replace(/[^A-Za-z0-9]/g, '-')
}

/** The likely directory first. */
async function listDirectories(projects: string, { workdir }: Where): Promise<string[]> {
  const likely = toProjectName(workdir)
  const all = await readdir(projects).catch(() => [])
  return [likely, ...all.filter((name) => name !== likely)].filter((name) => SAFE_NAME.test(name))
}
