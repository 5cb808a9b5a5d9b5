import type { AgentEvent, AgentRequest, ApprovalMode, Denial, SandboxMode } from './agent.ts'
import { isObject, isShallow, textAt } from './json-fields.ts'
import { type Permission, permissionOfApproval, permissionOfSandbox } from './permission.ts'

type ToolCall = { id: string | undefined; name: string | undefined; input?: unknown }
type ToolOutcome = {
  id: string | undefined
  name?: string | undefined
  output?: string | undefined
  failure?: string | undefined
}

/** The tool calls of one run. A result refers to its call by id alone, so the calls are remembered here. */
export class ToolLog {
  readonly #calls = new Map<string, { name: string; subject: string | undefined }>()

  get isEmpty(): boolean {
    return this.#calls.size === 0
  }

  /** The denial of a call that was reported before. */
  denialOf({ id, name }: Pick<ToolCall, 'id' | 'name'>, needs?: Denial['needs']): Denial {
    const call = this.#calls.get(id ?? '')
    return { tool: call?.name ?? name ?? 'unknown', subject: call?.subject, needs }
  }

  use({ id, name = 'unknown', input }: ToolCall): AgentEvent {
    if (id !== undefined) this.#calls.set(id, { name, subject: readSubject(input) })
    return {
      type: 'tool_use',
      content: {
        ...(id !== undefined && { tool_id: id }),
        tool_name: name,
        // A deeper value could not be serialized again.
        ...(input !== undefined && isShallow(input) && { input }),
      },
    }
  }

  /** For agents that report a call several times, or only its end: the event is returned the first time alone. */
  announce(call: ToolCall): AgentEvent[] {
    return call.id !== undefined && this.#calls.has(call.id) ? [] : [this.use(call)]
  }

  result({ id, name, output, failure }: ToolOutcome): AgentEvent {
    return {
      type: 'tool_result',
      content: {
        ...(id !== undefined && { tool_id: id }),
        tool_name: this.#calls.get(id ?? '')?.name ?? name ?? 'unknown',
        ...(output !== undefined && { output }),
        ...(failure !== undefined && { is_error: true, error_message: failure }),
      },
    }
  }
}

type Needed = NonNullable<Denial['needs']>

const SHOWN_CALLS = 3
const SUBJECT_LENGTH = 60

/**
 * Tool calls that the agent's own policy denied. An agent that was denied something still ends with success. One sentence
 * about all denied calls, with the mode that allows them. Empty if there are none.
 */
export function warnOfDenials(denials: readonly Denial[], request: AgentRequest): string[] {
  if (denials.length === 0) return []
  const shown = denials.slice(0, SHOWN_CALLS).map(formatDenial)
  const more = denials.length > SHOWN_CALLS ? [`${denials.length - SHOWN_CALLS} more`] : []
  const count = denials.length === 1 ? '1 tool call was denied' : `${denials.length} tool calls were denied`
  return [[`${count}: ${[...shown, ...more].join(', ')}`, ...adviceFor(denials, request)].join('; ')]
}

function formatDenial({ tool, subject }: Denial): string {
  const text = subject?.replace(/\s+/g, ' ').trim()
  if (!text) return tool
  return `${tool} (${text.length > SUBJECT_LENGTH ? `${text.slice(0, SUBJECT_LENGTH).toWellFormed()}…` : text})`
}

const ALLOWING = {
  edit: { approval: 'auto', sandbox: 'workspace' },
  everything: { approval: 'none', sandbox: 'full' },
} as const

/** Names the modes that have to change: approval, sandbox or both. None if the agent has all permissions already. */
function adviceFor(denials: readonly Denial[], request: AgentRequest): string[] {
  const { backend, approvalMode, sandboxMode } = request
  const sandbox = permissionOfSandbox(sandboxMode)
  const approval = permissionOfApproval(approvalMode)
  const has = backend === 'codex' ? [sandbox ?? approval] : [sandbox, approval]
  const needed = neededFor(denials, has)
  const isAsked = backend === 'codex' ? sandbox === undefined : true
  // Inside of a boundary, that is enough: no mode has to be above it.
  const isEnough = request.boundary !== undefined && sandboxMode !== 'read-only' && approvalMode !== 'sandboxed'
  if (isEnough && needed === 'everything') return [`allow with ${approvalAdvice('sandboxed')}`]
  const modes = [
    ...(isAsked && isBelow(approval, needed) ? [approvalAdvice(ALLOWING[needed].approval)] : []),
    ...(sandbox !== undefined && isBelow(sandbox, needed) ? [sandboxAdvice(ALLOWING[needed].sandbox)] : []),
  ]
  return modes.length === 0 ? [] : [`allow with ${modes.join(' and ')}`]
}

/** The console and programs have no flags. */
export const approvalAdvice = (mode: ApprovalMode) => `the approval mode ${mode} (--approval ${mode})`
const sandboxAdvice = (mode: SandboxMode) => `the sandbox mode ${mode} (--access ${mode})`

function neededFor(denials: readonly Denial[], has: readonly (Permission | undefined)[]): Needed {
  const next: Needed = has.some((permission) => isBelow(permission, 'edit')) ? 'edit' : 'everything'
  return denials.some(({ needs = next }) => needs === 'everything') ? 'everything' : 'edit'
}

/** Without a mode an agent asks, and there is no one to ask. */
function isBelow(permission: Permission = 'ask', needed: Needed): boolean {
  if (permission === 'everything') return false
  return needed === 'everything' || permission !== 'edit'
}

/** The part of a tool's input that says what the call is about. */
export function readSubject(input: unknown): string | undefined {
  return isObject(input) ? textAt(input, 'command', 'file_path', 'path', 'notebook_path', 'url') : undefined
}
