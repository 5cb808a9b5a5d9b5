/**
 * What a request and a process must have in common for the process to be reused. `place` says who asks for what: a process of
 * another place belongs to something else. `stamp` says in what state the files are: a process of another stamp is out of date.
 */

import { readFileSync, realpathSync, statSync } from 'node:fs'
import { digestFields } from '../../kit/digest.ts'
import type { Environment } from '../../kit/process/child-environment.ts'
import type { AgentRequest } from '../adapter/agent.ts'
import { isObject } from '../adapter/json-fields.ts'
import { isReadOnly } from '../adapter/permission.ts'
import type { ConfigFile, WarmBackend } from './warm-backends.ts'

export type PoolKey = { place: string; stamp: string }

/** Undefined: the request needs a separate process. `client` is the id of the API key, empty without one. */
export function toPoolKey(request: AgentRequest, backend: WarmBackend, client: string): PoolKey | undefined {
  const fixed = backend.fixedParts(request)
  if (fixed === undefined) return undefined
  const { program, workdir, additionalDirectories = [], env, ignoresProject, isLimited } = request
  const place = ['drover-warm-place/v2', request.backend, client, workdir, environmentDigest(env)]
  const settings = isLimited ? 'limited' : ignoresProject ? 'user' : 'user and project'
  const files = program.filter((part) => part.startsWith('/')).map(fileStamp)
  const configs = backend.configFiles(request).map(configStamp)
  return {
    place: digestFields([
      ...[...place, settings, boundaryPart(request), JSON.stringify(additionalDirectories)],
      ...[String(program.length), ...program, ...fixed],
    ]),
    stamp: digestFields(['drover-warm-stamp/v1', directoryStamp(workdir), ...files, ...configs]),
  }
}

/** A process belongs to the boundary that it was started in. */
function boundaryPart(request: AgentRequest): string {
  const { boundary } = request
  if (boundary === undefined) return ''
  const { worktree, repositories, droverHome, hidden, settings, caches, programs } = boundary
  const mounts = [worktree, repositories.fixed, droverHome, hidden, settings, caches, programs]
  return JSON.stringify([...mounts, request.closedFiles, isReadOnly(request)])
}

/** What every shell counts up or remembers; no agent depends on it. */
const PASSING: readonly string[] = ['_', 'SHLVL', 'OLDPWD']
/** All prompts over HTTP have the same environment. */
const environmentDigests = new WeakMap<Environment, string>()

function environmentDigest(env: Environment): string {
  const known = environmentDigests.get(env)
  // Stryker disable next-line ConditionalExpression: it only saves time
  if (known !== undefined) return known
  const pairs = Object.keys(env)
    .filter((name) => !PASSING.includes(name))
    .sort()
    .map((name) => `${name}=${env[name] ?? ''}`)
  const result = digestFields(['drover-warm-environment/v1', ...pairs.map((pair) => Buffer.from(pair, 'utf8'))])
  // Stryker disable next-line CallExpression: it only saves time
  environmentDigests.set(env, result)
  return result
}

/** A program is often a link to a file whose name has its version. */
function fileStamp(path: string): string {
  try {
    const real = realpathSync(path)
    const { size, mtimeMs, ino } = statSync(real)
    return `${real} ${size} ${mtimeMs} ${ino}`
  } catch {
    return 'missing'
  }
}

function directoryStamp(path: string): string {
  try {
    const { dev, ino } = statSync(path)
    return `${dev} ${ino}`
  } catch {
    return 'missing'
  }
}

/** The fields of files that are watched, until the file changes. */
const watched = new Map<string, { stamp: string; fields: string }>()

function configStamp({ path, fields }: ConfigFile): string {
  const stamp = fileStamp(path)
  if (fields === undefined || stamp === 'missing') return stamp
  const known = watched.get(path)
  // Stryker disable next-line ConditionalExpression: it only saves time
  if (known?.stamp === stamp) return known.fields
  const values = readFields(path, fields)
  // Stryker disable next-line CallExpression: it only saves time
  watched.set(path, { stamp, fields: values })
  return values
}

function readFields(path: string, fields: readonly string[]): string {
  try {
    const value: unknown = JSON.parse(readFileSync(path, 'utf8'))
    return JSON.stringify(isObject(value) ? fields.map((field) => value[field] ?? null) : null)
  } catch {
    return 'unreadable'
  }
}
