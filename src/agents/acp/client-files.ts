/** Files for agents that let the client read and write them. Only files in the directories of the agent, unless everything is allowed. */
import { lstatSync, mkdirSync, statSync } from 'node:fs'
import { realpath } from 'node:fs/promises'
import { basename, dirname, isAbsolute, join, resolve } from 'node:path'
import { errorCode } from '../../kit/fault.ts'
import { readFileText } from '../../kit/files/read-file.ts'
import { replaceFile } from '../../kit/files/write-file.ts'
import type { AgentRequest } from '../adapter/agent.ts'
import { countAt, type JsonRecord, textAt } from '../adapter/json-fields.ts'
import type { Permission } from '../adapter/permission.ts'
import { rootsOf } from '../adapter/surroundings.ts'
import { isInsideAny, isOfGit } from './permissions.ts'

const FILE_LIMIT_BYTES = 10 * 1024 * 1024
const NEW_FILE_MODE = 0o644

type Place = Pick<AgentRequest, 'workdir' | 'additionalDirectories'>

export type ClientPolicy = Place & { permission: Permission | undefined }

export async function readTextFile(params: JsonRecord, policy: ClientPolicy): Promise<JsonRecord> {
  const path = await resolveFile(textAt(params, 'path'), policy)
  const text = readFileText({ path, limitBytes: FILE_LIMIT_BYTES, links: 'follow' })
  return { content: cutLines(text, { from: countAt(params, 'line') ?? 1, count: countAt(params, 'limit') }) }
}

/** Lines count from 1. Pure. */
function cutLines(text: string, { from, count }: { from: number; count: number | undefined }): string {
  const lines = text.split('\n')
  const start = Math.max(from, 1) - 1
  return lines.slice(start, count === undefined ? undefined : start + count).join('\n')
}

export async function writeTextFile(params: JsonRecord, policy: ClientPolicy): Promise<JsonRecord> {
  const { permission } = policy
  if (permission === 'read-only' || permission === 'ask') throw new Error('writing files is not allowed')
  const path = await resolveFile(textAt(params, 'path'), policy)
  if (permission !== 'everything' && isOfGit(path)) throw new Error(`${path} belongs to git`)
  const content = textAt(params, 'content')
  if (content === undefined) throw new Error('content must be text')
  mkdirSync(dirname(path), { recursive: true })
  const mode = statSync(path, { throwIfNoEntry: false })?.mode
  replaceFile({
    path,
    bytes: Buffer.from(content),
    mode: mode === undefined ? NEW_FILE_MODE : mode & 0o777,
    links: 'follow',
  })
  return {}
}

/** The file with links resolved, so that no link leads out of the directories of the agent. It need not exist. */
async function resolveFile(path: string | undefined, policy: ClientPolicy): Promise<string> {
  if (path === undefined || !isAbsolute(path)) throw new Error('the path must be absolute')
  const target = await resolveLinks(path)
  if (policy.permission === 'everything' || isInsideAny(target, await resolveRoots(policy))) return target
  throw new Error(`${path} is not in ${nameRoots(policy)}`)
}

function resolveRoots(place: Place): Promise<string[]> {
  return Promise.all(rootsOf(place).map((root) => realpath(root)))
}

export function nameRoots({ additionalDirectories = [] }: Place): string {
  return additionalDirectories.length === 0 ? 'the working directory' : 'the working directory or an additional one'
}

/** Whether all of these names are in the directories of the agent, with links resolved. */
export async function areInside(names: readonly string[], place: Place): Promise<boolean> {
  const roots = await resolveRoots(place)
  try {
    const targets = names.map((name) => resolveLinks(resolve(place.workdir, name.replace(/^file:\/\//, ''))))
    return (await Promise.all(targets)).every((target) => isInsideAny(target, roots))
  } catch {
    // What cannot be resolved could lead anywhere.
    return false
  }
}

/** Directories above the file need not exist either. */
async function resolveLinks(path: string): Promise<string> {
  try {
    return await realpath(path)
  } catch (error) {
    if (errorCode(error) !== 'ENOENT') throw error
    if (lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink()) throw new Error(`${path} is a link to nothing`)
    return join(await resolveLinks(dirname(path)), basename(path))
  }
}
