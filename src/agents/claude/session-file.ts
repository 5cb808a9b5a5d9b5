/**
 * The file in which claude keeps a session, `projects/DIRECTORY/ID.jsonl` in its config directory. With it, claude continues the
 * session on another machine, in a directory of the same path.
 */
import { open, readdir, readFile, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { ensurePrivateDirectory } from '../../kit/files/private-directory.ts'
import { replaceFile } from '../../kit/files/write-file.ts'
import type { AgentRequest, SessionFile } from '../adapter/agent.ts'
import { type JsonRecord, objectAt, parseObject } from '../adapter/json-fields.ts'

/** A longer session stays on its machine. */
const MAX_BYTES = 32 * 1024 * 1024
/** Claude makes the name from the path of the working directory. */
const SAFE_NAME = /^[A-Za-z0-9-]{1,255}$/

type Where = Pick<AgentRequest, 'env' | 'workdir'>

/** Undefined if there is no such file, or if it is too long. */
export async function readSessionFile(id: string, where: Where): Promise<SessionFile | undefined> {
  const found = await findSessionFile(id, where)
  if (found === undefined || found.size > MAX_BYTES) return undefined
  return { directory: found.directory, bytes: await readFile(found.path) }
}

async function findSessionFile(id: string, where: Where) {
  const projects = projectsDirectory(where)
  if (projects === undefined || !SAFE_NAME.test(id)) return undefined
  for (const directory of await listDirectories(projects, where)) {
    const path = join(projects, directory, `${id}.jsonl`)
    const found = await stat(path).catch(() => undefined)
    if (found?.isFile() === true) return { directory, path, size: found.size }
  }
  return undefined
}

/** The costs are near the end, unless claude was killed. */
const END_BYTES = [64 * 1024, MAX_BYTES]
const COSTS = '\n{"type":"cost-state",'

/**
 * What claude has counted in a session, with the names of a result. A process that resumes the session includes it in its results.
 * Undefined for releases whose processes count from zero.
 */
export async function readSessionCounts(id: string, where: Where): Promise<JsonRecord | undefined> {
  const found = await findSessionFile(id, where)
  // Without the counts, the cost of the turn is too high: that is no reason not to run it.
  return found && (await readCosts(found).catch(() => undefined))
}

async function readCosts(found: { path: string; size: number }): Promise<JsonRecord | undefined> {
  await using file = await open(found.path)
  for (const bytes of END_BYTES) {
    const end = Buffer.alloc(Math.min(bytes, found.size))
    await file.read(end, 0, end.length, found.size - end.length)
    const at = end.lastIndexOf(COSTS) + 1
    if (at > 0) return toCounts(parseObject(end.toString('utf8', at, end.indexOf('\n', at))))
    if (end.length === found.size) return undefined
  }
  return undefined
}

function toCounts(costs: JsonRecord | undefined): JsonRecord | undefined {
  return costs && { total_cost_usd: costs['totalCostUSD'], modelUsage: objectAt(costs, 'modelUsage') }
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
