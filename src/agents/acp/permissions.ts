/** Decides what an agent may do, and answers its requests for permission. Pure. */
import { isAbsolute, normalize, relative, sep } from 'node:path'
import type { AcpProfile, ToolKind } from '../adapter/acp-profile.ts'
import type { AgentRequest } from '../adapter/agent.ts'
import { isAllowedCommand } from '../adapter/allowed-commands.ts'
import { type JsonRecord, objectsAt, textAt } from '../adapter/json-fields.ts'
import type { Permission } from '../adapter/permission.ts'
import { rootsOf } from '../adapter/surroundings.ts'
import { TOOL_SERVER } from '../adapter/tool-server-place.ts'
import { readToolInput, readToolKind, readToolName, readToolPaths } from './tool-calls.ts'

const READING: readonly ToolKind[] = ['read', 'search']
const EDITING: readonly ToolKind[] = ['edit', 'delete', 'move']

export type PermissionFacts = {
  /** The tool call, with everything that was reported about it before. */
  call: JsonRecord
  /** What the user allows; undefined: the agent's own settings apply, and what it asks for is denied. */
  permission: Permission | undefined
  workdir: string
  /** A ceiling limits the caller: what is outside of the agent's directories may belong to others, such as the files of drover. */
  isLimited: boolean
  profile: Pick<AcpProfile, 'kinds'>
} & Pick<AgentRequest, 'additionalDirectories' | 'allowedCommands' | 'clientTools'> & {
    /** The MCP servers whose tools it may use without asking. */
    trusted?: readonly string[]
  }

/** What drover decides without a user. `staysInside`: no link leads a path of the call out of its directories. */
export function decideAlone(facts: PermissionFacts & { staysInside: boolean }): 'allow' | 'deny' | 'ask' {
  if (isOfClient(facts) || isOfServer(facts) || (facts.staysInside && isAllowed(facts))) return 'allow'
  return facts.permission === 'read-only' ? 'deny' : 'ask'
}

/** A function of the client, which runs it. Agents write its name with that of the server around it, and know no kind of it. */
function isOfClient({ call, clientTools = [], profile }: PermissionFacts): boolean {
  if (readToolKind(call, profile) !== 'other') return false
  const names = [readToolName(call) ?? '', textAt(call, 'title') ?? '']
  return names.some((text) => text.includes(TOOL_SERVER) && clientTools.some(({ name }) => text.includes(name)))
}

/**
 * A tool of an MCP server that needs no approval. Agents begin its name with that of the server, as in `docs_search` or
 * `mcp__docs__search`. The rest of a title may be the model's own words.
 */
function isOfServer({ call, trusted = [], profile }: PermissionFacts): boolean {
  if (readToolKind(call, profile) !== 'other') return false
  const name = (readToolName(call) ?? '').replace(/^mcp_+/, '')
  return trusted.some((server) => name.startsWith(server) && /^(?:_|\.|\/|: )[\w.-]+$/.test(name.slice(server.length)))
}

function isAllowed({ call, permission, isLimited, profile, allowedCommands, ...place }: PermissionFacts): boolean {
  if (permission === 'everything') return true
  const kind = readToolKind(call, profile)
  const paths = readToolPaths(call)
  const areInside = paths.every((path) => isInsideAny(path, rootsOf(place)))
  // A search without a path is one in the working directory. A file to read that is not named could be any.
  if (isLimited && kind === 'read' && paths.length === 0) return false
  if (kind === 'execute') return permission === 'edit' && areInside && runsOnly(call, { allowedCommands })
  if (READING.includes(kind)) return areInside || (permission !== 'edit' && !isLimited)
  return permission === 'edit' && EDITING.includes(kind) && areInside && !paths.some(isOfGit)
}

/** A command with other variables may be another one. */
function runsOnly(call: JsonRecord, allowed: Pick<AgentRequest, 'allowedCommands'>): boolean {
  const input = readToolInput(call)
  const command = textAt(input, 'command')
  return command !== undefined && input?.['env'] === undefined && isAllowedCommand(command, allowed)
}

/** What is written there decides what git runs, for every agent that comes after. Some file systems ignore the case of names. */
export function isOfGit(path: string): boolean {
  return path.split(sep).some((name) => name.toLowerCase() === '.git')
}

/** Compares names only. Links are resolved by the caller. Agents also name files by `file:` and `~`. */
export function isInside(name: string, workdir: string): boolean {
  const path = name.replace(/^file:\/\//, '')
  if (/^(?:~|[a-z][a-z0-9+.-]+:)/i.test(path)) return false
  if (!isAbsolute(path)) return !normalize(path).split(sep).includes('..')
  const way = relative(workdir, path)
  return way !== '..' && !way.startsWith(`..${sep}`) && !isAbsolute(way)
}

export function isInsideAny(name: string, roots: readonly string[]): boolean {
  return roots.some((root) => isInside(name, root))
}

export type Verdict = 'allow' | 'allow_session' | 'deny'

const KINDS: Record<Verdict, readonly string[]> = {
  allow: ['allow_once', 'allow_always'],
  allow_session: ['allow_always', 'allow_once'],
  deny: ['reject_once', 'reject_always'],
}

/**
 * The answer to `session/request_permission`. The first option of a kind is taken: some agents have a second one that
 * changes the mode too. An agent that offers no option to refuse is told that the request is cancelled.
 */
export function answerPermission(params: JsonRecord, verdict: Verdict): JsonRecord {
  const options = objectsAt(params, 'options')
  const option = KINDS[verdict]
    .map((kind) => options.find((each) => textAt(each, 'kind') === kind))
    .find((each) => each !== undefined)
  const optionId = textAt(option, 'optionId')
  return optionId === undefined ? CANCELLED : { outcome: { outcome: 'selected', optionId } }
}

export const CANCELLED: JsonRecord = { outcome: { outcome: 'cancelled' } }
