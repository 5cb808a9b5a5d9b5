/** Checks what a request asks for against the permissions of its caller: modes, and arguments that could override them. */
import type { ApprovalMode, SandboxUse } from '../agents/adapter/agent.ts'
import { checkExtraFlags } from '../agents/extra-flags.ts'
import { requiredLabel } from '../kit/label.ts'
import { depthIn } from '../kit/process/environment-variables.ts'
import { refuseAboveCeilings, refuseBackend } from './ceilings.ts'
import { labelMissing, nestingTooDeep, sandboxRequired } from './faults.ts'
import type { PromptContext } from './prompt-context.ts'
import type { PromptRequest } from './prompt-request.ts'

type Permissions = Pick<PromptContext, 'by' | 'isUnsafeExtraAllowed' | 'locate'>
type Asked = Pick<PromptRequest, 'backend' | 'approval_mode' | 'sandbox_mode'> & { extra?: readonly string[] }

/** `place` is where the prompt is in the request. An unknown backend is refused elsewhere. */
export function checkPermissions(asked: Asked, permissions: Permissions, place = '$'): void {
  const { isUnsafeExtraAllowed } = permissions
  const { ceilings } = permissions.by
  refuseBackend(asked.backend, ceilings)
  refuseAboveCeilings(asked, ceilings, place)
  const agent = permissions.locate(asked.backend)?.agent
  if (agent === undefined) return
  const ceiling = (ceilings?.sandbox ?? ceilings?.approval ?? ceilings?.directories)?.setting
  const options = { agent, isUnsafeAllowed: isUnsafeExtraAllowed, ceiling, place }
  checkExtraFlags(asked.extra ?? [], options)
}

/** A batch with an item that a ceiling forbids is refused as a whole, before any of its items runs. */
export function checkItems(name: string, items: readonly Asked[], permissions: Permissions): void {
  const { isUnsafeExtraAllowed } = permissions
  const { ceilings } = permissions.by
  if (ceilings === undefined) return
  for (const [at, { extra = [], ...item }] of items.entries()) {
    // Without `allow_unsafe_extra`, an argument that is not allowed fails its own item, with or without ceilings.
    checkPermissions({ ...item, extra: isUnsafeExtraAllowed ? extra : [] }, permissions, `$.${name}[${at}]`)
  }
}

/** An agent that calls drover, whose agent calls drover, and so on, would never end. */
export function refuseDeepNesting({ env, settings }: Pick<PromptContext, 'env' | 'settings'>): void {
  const { max_nesting: limit } = settings.server
  const depth = depthIn(env)
  if (depth > limit) throw nestingTooDeep({ depth, limit })
}

type Wishes = {
  /** Of the request. */
  asked: SandboxUse | undefined
  /** Of the settings today. */
  setting: SandboxUse
  /** Of the session that is continued. */
  stored: 'required' | undefined
  approvalMode: ApprovalMode
  /** The name of the ceiling that requires one. */
  ceiling: string | undefined
}

/** Whether the agent runs in a sandbox. Throws a Fault for a request that turns off what is required. Pure. */
export function chooseSandbox({ asked, setting, stored, approvalMode, ceiling }: Wishes): SandboxUse {
  const isOfMode = approvalMode === 'sandboxed'
  const by = ceiling ?? (setting === 'required' ? 'sandbox.mode' : isOfMode ? 'the approval mode sandboxed' : undefined)
  if (by === undefined) return asked ?? stored ?? setting
  if (asked === 'off') throw sandboxRequired({ by })
  return 'required'
}

/** With one machine, no other one can run it. A worker gets only what it may run. */
export function refuseOtherMachine(
  { label: asked, workdir }: { label: string | undefined; workdir: string },
  { settings: { work } }: Pick<PromptContext, 'settings'>,
): void {
  if (asked === undefined && work.required_labels.length === 0) return
  const label = requiredLabel({ label: asked, workdir }, work.required_labels)
  if (label !== undefined && !work.labels.includes(label)) throw labelMissing({ label })
}
