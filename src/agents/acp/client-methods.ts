/** The files and terminals that drover offers to an agent, and whether a turn may use them. */
import type { AcpProfile, ToolKind } from '../adapter/acp-profile.ts'
import type { Denial } from '../adapter/agent.ts'
import { type JsonObject, textAt, textsAt } from '../adapter/json-fields.ts'
import type { Permission } from '../adapter/permission.ts'
import { type ClientPolicy, readTextFile, writeTextFile } from './client-files.ts'
import type { ClientTerminals } from './client-terminals.ts'
import type { Verdict } from './permissions.ts'

type Options = {
  client: AcpProfile['client']
  terminals: ClientTerminals
  workdir: string
  permission: Permission | undefined
  /** Asks the user about a call, if there is one. */
  ask(call: JsonObject): Promise<Verdict>
  onDenied(denial: Denial): void
}

type ClientMethod = (params: JsonObject) => Promise<JsonObject>
type Need = NonNullable<Denial['needs']>

export class ClientMethods {
  readonly #options: Options
  readonly #methods: Readonly<Record<string, ClientMethod | undefined>>
  /** What the user has allowed, how many times. */
  readonly #allowed: Record<Need, number> = { edit: 0, everything: 0 }
  #isOver = false

  constructor(options: Options) {
    const { client, terminals, workdir, permission } = options
    this.#options = options
    this.#methods = {
      ...(client?.files && {
        'fs/read_text_file': (params: JsonObject) => readTextFile(params, { workdir, permission }),
        'fs/write_text_file': async (params: JsonObject) => writeTextFile(params, await this.#write(params)),
      }),
      ...(client?.terminal && {
        'terminal/create': async (params: JsonObject) => terminals.create(params, await this.#run(params)),
        'terminal/output': (params: JsonObject) => terminals.output(params),
        'terminal/wait_for_exit': (params: JsonObject) => terminals.waitForExit(params),
        'terminal/kill': (params: JsonObject) => terminals.kill(params),
        'terminal/release': (params: JsonObject) => terminals.release(params),
      }),
    }
  }

  /** Only the methods that the agent was offered; undefined for others. */
  answer(method: string, params: JsonObject): Promise<JsonObject> | undefined {
    const answer = Object.hasOwn(this.#methods, method) ? this.#methods[method] : undefined
    if (answer === undefined || !this.#isOver) return answer?.(params)
    return Promise.reject(new Error('the turn is over'))
  }

  /** Nothing is started or written any more. */
  close(): void {
    this.#isOver = true
  }

  /** The user has allowed a tool call: what the agent then asks of the client belongs to it. */
  grant(kind: ToolKind, verdict: Verdict): void {
    const times = verdict === 'allow_session' ? Number.POSITIVE_INFINITY : 1
    const isEdit = kind === 'edit' || kind === 'delete' || kind === 'move'
    if (verdict !== 'deny') this.#allowed[isEdit ? 'edit' : 'everything'] += times
  }

  #write(params: JsonObject): Promise<ClientPolicy> {
    const path = textAt(params, 'path')
    return this.#policyFor('edit', { kind: 'edit', title: 'write', rawInput: { path } })
  }

  #run(params: JsonObject): Promise<ClientPolicy> {
    const command = [textAt(params, 'command'), ...textsAt(params, 'args')].join(' ')
    return this.#policyFor('everything', { kind: 'execute', title: command, rawInput: { command } })
  }

  async #policyFor(need: Need, call: JsonObject): Promise<ClientPolicy> {
    const { permission, workdir } = this.#options
    const isEnough = permission === undefined || permission === 'everything' || permission === need
    if (isEnough || !(await this.#isAllowed(need, call))) return { permission, workdir }
    if (this.#isOver) throw new Error('the turn is over')
    return { permission: undefined, workdir }
  }

  async #isAllowed(need: Need, call: JsonObject): Promise<boolean> {
    const { permission, ask, onDenied } = this.#options
    if (this.#allowed[need] === 0) {
      const verdict = permission === 'read-only' ? 'deny' : await ask(call)
      this.grant(need === 'edit' ? 'edit' : 'execute', verdict)
    }
    if (this.#allowed[need] > 0) {
      this.#allowed[need] -= 1
      return true
    }
    const { path, command } = call['rawInput'] as { path?: string; command?: string }
    onDenied({ tool: String(call['kind']), subject: command ?? path, needs: need })
    return false
  }
}
