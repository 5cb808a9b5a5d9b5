/**
 * Deletes a session that gemini has stored. Gemini has no flag that prevents it, and `gemini --delete-session` takes
 * longer than many prompts, so the files are removed here, as gemini itself would remove them.
 */
import { createHash } from 'node:crypto'
import { open, readdir, readFile, rm } from 'node:fs/promises'
import { join } from 'node:path'
import type { AgentRequest } from '../adapter/agent.ts'
import { objectAt, parseObject, textAt } from '../adapter/json-fields.ts'

/** A project directory has one of these names. */
const SAFE_NAME = /^(?!\.+$)[\w.-]+$/
/** The first line of a session file names the session. */
const FIRST_LINE_BYTES = 4096

/** False if no file of the session was found: then it is stored elsewhere, or not at all. `id` must be a UUID. */
export async function deleteStoredSession(
  id: string,
  { env, workdir }: Pick<AgentRequest, 'env' | 'workdir'>,
): Promise<boolean> {
  const home = env['GEMINI_CLI_HOME'] || env['HOME']
  if (!home) return false
  const root = join(home, '.gemini')
  for (const project of await projectsOf(root, workdir)) {
    if (await deleteFrom(join(root, 'tmp', project), id)) return true
  }
  return false
}

/** The directory of this project first: in most cases it is the only one to be read. */
async function projectsOf(root: string, workdir: string): Promise<string[]> {
  const projects = objectAt(
    parseObject(await readFile(join(root, 'projects.json'), 'utf8').catch(() => '')),
    'projects',
  )
  const name = textAt(projects, workdir)
  const named = [name, createHash('sha256').update(workdir).digest('hex')].filter(
    (each) => each && SAFE_NAME.test(each),
  )
  return [...new Set([...(named as string[]), ...(await namesIn(join(root, 'tmp')))])]
}

async function deleteFrom(project: string, id: string): Promise<boolean> {
  const chats = join(project, 'chats')
  const names = (await namesIn(chats)).filter((name) => isSessionFile(name, id))
  const files = names.map((name) => join(chats, name))
  const own = (await Promise.all(files.map(async (file) => ((await isOf(file, id)) ? [file] : [])))).flat()
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

/** `session-2026-11-15T20-39-68592195.jsonl` has the first eight digits of the id. */
function isSessionFile(name: string, id: string): boolean {
  const end = `-${id.slice(0, 8)}`
  return name.startsWith('session-') && [`${end}.jsonl`, `${end}.json`].some((ending) => name.endsWith(ending))
}

async function isOf(file: string, id: string): Promise<boolean> {
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
