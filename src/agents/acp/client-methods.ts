/** The files and terminals that drover offers to an agent, and whether a turn may use them. */
import { lstatSync, mkdirSync, statSync } from 'node:fs'
import { realpath } from 'node:fs/promises'
import { basename, dirname, isAbsolute, join, resolve } from 'node:path'
import { errorCode } from '../../kit/fault.ts'
import { readFileText } from '../../kit/files/read-file.ts'
import { replaceFile } from '../../kit/files/write-file.ts'
import type { AcpProfile, ToolKind } from '../adapter/acp-profile.ts'
import type { AgentRequest, Denial } from '../adapter/agent.ts'
import { isAllowedCommand } from '../adapter/allowed-commands.ts'
import { countAt, type JsonRecord, objectAt, objectsAt, textAt, textsAt } from '../adapter/json-fields.ts'
import type { Permission } from '../adapter/permission.ts'
import { rootsOf } from '../adapter/surroundings.ts'
import type { ClientTerminals } from './client-terminals.ts'
import { isInsideAny, isOfGit, type Verdict } from './permissions.ts'
import { readToolPaths } from './tool-calls.ts'

type Options = {
  client: AcpProfile['client']
  terminals: ClientTerminals
  workdir: string
  permission: Permission | undefined
  /** Asks the user about a call, if there is one. The signal is aborted when the agent takes its request back. */
  ask(call: JsonRecord, signal: AbortSignal): Promise<Verdict>
  onDenied(denial: Denial): void
} & Pick<AgentRequest, 'allowedCommands' | 'additionalDirectories'>

type ClientMethod = (params: JsonRecord, signal: AbortSignal) => Promise<JsonRecord>
type Need = NonNullable<Denial['needs']>
type Use = { need: Need; call: JsonRecord; signal: AbortSignal }

/** Covers a use whose path or command it names. If the call named none, it covers every use of its kind. */
type Grant = { need: Need; names: readonly string[]; isForSession: boolean }

/** What an allowed tool call may ask of the client. Calls of other kinds, such as fetching, need nothing of it. */
const NEEDS: Readonly<Partial<Record<ToolKind, Need>>> = {
  edit: 'edit',
  delete: 'edit',
  move: 'edit',
  execute: 'everything',
}

export class ClientMethods {
  readonly #options: Options
  readonly #methods: Readonly<Record<string, ClientMethod | undefined>>
  /** What the user has allowed and the agent has not used yet. */
  // Stryker disable next-line ArrayDeclaration: a text has no need, so it grants nothing
  #grants: readonly Grant[] = []
  #isOver = false

  constructor(options: Options) {
    const { client, terminals } = options
    this.#options = options
    this.#methods = {
      ...(client?.files && {
        'fs/read_text_file': (params: JsonRecord) => readTextFile(params, options),
        'fs/write_text_file': async (params: JsonRecord, signal: AbortSignal) =>
          writeTextFile(params, await this.#write(params, signal)),
      }),
      ...(client?.terminal && {
        'terminal/create': async (params: JsonRecord, signal: AbortSignal) =>
          terminals.create(params, await this.#run(params, signal)),
        'terminal/output': (params: JsonRecord) => terminals.output(params),
        'terminal/wait_for_exit': (params: JsonRecord) => terminals.waitForExit(params),
        'terminal/kill': (params: JsonRecord) => terminals.kill(params),
        'terminal/release': (params: JsonRecord) => terminals.release(params),
      }),
    }
  }

  /** Only the methods that the agent was offered; undefined for others. */
  answer(method: string, params: JsonRecord, signal: AbortSignal): Promise<JsonRecord> | undefined {
    const answer = Object.hasOwn(this.#methods, method) ? this.#methods[method] : undefined
    if (answer === undefined || !this.#isOver) return answer?.(params, signal)
    return Promise.reject(new Error('the turn is over'))
  }

  /** Nothing is started or written any more. */
  close(): void {
    this.#isOver = true
  }

  /** The user has decided about a tool call. If it is allowed, the agent may write its file or run its command once. */
  grant(call: JsonRecord, { kind, verdict }: { kind: ToolKind; verdict: Verdict }): void {
    const need = NEEDS[kind]
    if (verdict === 'deny' || need === undefined) return
    const command = textAt(objectAt(call, 'rawInput'), 'command')
    const names = need === 'edit' ? readToolPaths(call) : command === undefined ? [] : [command]
    this.#grants = [...this.#grants, { need, names, isForSession: verdict === 'allow_session' }]
  }

  /** A grant for the session covers all that need the same. Another one is used up. */
  #useGrant(need: Need, name: string): boolean {
    const { workdir } = this.#options
    const used = this.#grants.find((grant) => {
      const { names, isForSession } = grant
      if (grant.need !== need) return false
      if (isForSession || names.length === 0) return true
      const isSameFile = (path: string) => resolve(workdir, path) === resolve(workdir, name)
      return names.some((each) => (need === 'edit' ? isSameFile(each) : name.includes(each)))
    })
    if (used === undefined) return false
    if (!used.isForSession) this.#grants = this.#grants.filter((grant) => grant !== used)
    return true
  }

  #write(params: JsonRecord, signal: AbortSignal): Promise<ClientPolicy> {
    const path = textAt(params, 'path')
    return this.#policyFor({ need: 'edit', call: { kind: 'edit', title: 'write', rawInput: { path } }, signal })
  }

  async #run(params: JsonRecord, signal: AbortSignal): Promise<ClientPolicy> {
    const command = [textAt(params, 'command'), ...textsAt(params, 'args')].join(' ')
    const { permission } = this.#options
    // With other variables it may be another command.
    const isPlain = objectsAt(params, 'env').length === 0
    if (permission === 'edit' && isPlain && isAllowedCommand(withoutShell(params) ?? command, this.#options))
      return { ...this.#options, permission: undefined }
    const call = { kind: 'execute', title: command, rawInput: { command } }
    return await this.#policyFor({ need: 'everything', call, signal })
  }

  async #policyFor(use: Use): Promise<ClientPolicy> {
    const { permission } = this.#options
    const isEnough = permission === undefined || permission === 'everything' || permission === use.need
    if (isEnough || !(await this.#isAllowed(use))) return this.#options
    if (this.#isOver) throw new Error('the turn is over')
    return { ...this.#options, permission: undefined }
  }

  async #isAllowed({ need, call, signal }: Use): Promise<boolean> {
    const { permission, ask, onDenied } = this.#options
    const { path, command } = call['rawInput'] as { path?: string; command?: string }
    const name = command ?? path ?? ''
    if (this.#useGrant(need, name)) return true
    const verdict = permission === 'read-only' ? 'deny' : await ask(call, signal)
    this.grant(call, { kind: need === 'edit' ? 'edit' : 'execute', verdict })
    if (this.#useGrant(need, name)) return true
    onDenied({ tool: String(call['kind']), subject: command ?? path, needs: need })
    return false
  }
}

/** The command of `sh -c COMMAND`. */
function withoutShell(params: JsonRecord): string | undefined {
  const [flag = '', command, ...more] = textsAt(params, 'args')
  const isShell = /^(?:(?:\/usr)?\/bin\/)?(?:ba)?sh$/.test(textAt(params, 'command') ?? '')
  return isShell && /^-l?c$/.test(flag) && more.length === 0 ? command : undefined
}

/** Files for agents that let the client read and write them. Only files in the directories of the agent, unless everything is allowed. */
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
