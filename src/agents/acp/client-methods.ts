/** The files and terminals that drover offers to an agent, and whether a turn may use them. */
import { resolve } from 'node:path'
import type { AcpProfile, ToolKind } from '../adapter/acp-profile.ts'
import type { AgentRequest, Denial } from '../adapter/agent.ts'
import { isAllowedCommand } from '../adapter/allowed-commands.ts'
import { type JsonRecord, objectAt, objectsAt, textAt, textsAt } from '../adapter/json-fields.ts'
import type { Permission } from '../adapter/permission.ts'
import { type ClientPolicy, readTextFile, writeTextFile } from './client-files.ts'
import type { ClientTerminals } from './client-terminals.ts'
import type { Verdict } from './permissions.ts'
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
