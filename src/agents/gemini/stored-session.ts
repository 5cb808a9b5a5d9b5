/**
 * Reads and deletes a session that gemini has stored. Gemini has no flag that prevents it, and `gemini --delete-session` takes
 * longer than many prompts, so the files are removed here, as gemini itself would remove them.
 */

import { createHash } from 'node:crypto'
import { open, readdir, readFile, rm } from 'node:fs/promises'
import { join } from 'node:path'
import type { AgentRequest, Usage } from '../adapter/agent.ts'
import { objectAt, parseObject, textAt } from '../adapter/json-fields.ts'
import { addUsage } from '../adapter/token-usage.ts'
import { toUsage } from './result.ts'

type Place = Pick<AgentRequest, 'env' | 'workdir'>

/** A project directory has one of these names. */
const SAFE_NAME = /^(?!\.+$)[\w.-]+$/
/** The first line of a session file names the session. */
const FIRST_LINE_BYTES = 4096

/** False if no file of the session was found: then it is stored elsewhere, or not at all. `id` must be a UUID. */
export async function deleteStoredSession(id: string, place: Place): Promise<boolean> {
  for (const project of await listProjects(place)) if (await deleteFrom(project, id)) return true
  return false
}

/**
 * Counts the tokens of one turn: over its protocol, gemini reports neither those of its cache nor those of its thinking. It
 * stores them with each message. Undefined if nothing was stored.
 */
export async function countStoredTokens(id: string, request: Place): Promise<() => Promise<Usage | undefined>> {
  const before = (await readSession(id, request))?.length ?? 0
  return async () => {
    const text = await readSession(id, request)
    return text === undefined ? undefined : sumTokens(text.slice(before))
  }
}

/** The last line about a message counts. Pure. */
export function sumTokens(lines: string): Usage | undefined {
  const tokens = new Map<string, Usage>()
  for (const line of lines.split('\n')) {
    const message = parseObject(line)
    const counts = objectAt(message, 'tokens')
    const id = textAt(message, 'id')
    if (id !== undefined && counts !== undefined) tokens.set(id, toUsage(counts))
  }
  return tokens.size === 0 ? undefined : [...tokens.values()].reduce(addUsage)
}

async function readSession(id: string, place: Place): Promise<string | undefined> {
  for (const project of await listProjects(place)) {
    const [file] = await sessionFiles(join(project, 'chats'), id)
    if (file !== undefined) return await readFile(file, 'utf8').catch(() => undefined)
  }
  return undefined
}

/** The directory of this project first: in most cases it is the only one to be read. */
async function listProjects({ env, workdir }: Place): Promise<string[]> {
  const home = env['GEMINI_CLI_HOME'] || env['HOME']
  if (!home) return []
  const root = join(home, '.gemini')
  const projects = objectAt(
    parseObject(await readFile(join(root, 'projects.json'), 'utf8').catch(() => '')),
    'projects',
  )
  const name = textAt(projects, workdir)
  const named = [name, createHash('sha256').update(workdir).digest('hex')].filter(
    (each) => each && SAFE_NAME.test(each),
  )
  const names = new Set([...(named as string[]), ...(await namesIn(join(root, 'tmp')))])
  return [...names].map((each) => join(root, 'tmp', each))
}

async function deleteFrom(project: string, id: string): Promise<boolean> {
  const chats = join(project, 'chats')
  const own = await sessionFiles(chats, id)
  if (own.length === 0) return false
  // What the session has stored beside its transcript, and the transcripts of its sub-agents.
  const others = [
    join(chats, id),
    join(project, id),
    join(project, 'logs', `session-${id}.jsonl`),
    join(project, 'tool-outputs', `session-${id}`),
  ]
  await Promise.all([...own, ...others].map((path) => rm(path, { recursive: true, force: true })))
  return true
}

async function sessionFiles(chats: string, id: string): Promise<string[]> {
  const names = (await namesIn(chats)).filter((name) => isSessionFile(name, id))
  const files = names.map((name) => join(chats, name))
  return (await Promise.all(files.map(async (file) => ((await hasSession(file, id)) ? [file] : [])))).flat()
}

/** `session-2026-11-15T20-39-68592195.jsonl` has the first eight digits of the id. */
function isSessionFile(name: string, id: string): boolean {
  const end = `-${id.slice(0, 8)}`
  return name.startsWith('session-') && [`${end}.jsonl`, `${end}.json`].some((ending) => name.endsWith(ending))
}

async function hasSession(file: string, id: string): Promise<boolean> {
  const handle = await open(file, 'r').catch(() => undefined)
  if (handle === undefined) return false
  try {
    const { buffer, bytesRead } = await handle.read(Buffer.alloc(FIRST_LINE_BYTES), 0, FIRST_LINE_BYTES, 0)
    return buffer.toString('utf8', 0, bytesRead).includes(`"${id}"`)
  } finally {
    await handle.close()
  }
}

async function namesIn(directory: string): Promise<string[]> {
  return await readdir(directory).catch(() => [])
}
