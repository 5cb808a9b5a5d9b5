/** What an agent may do. It follows from two modes: when it asks (approval) and where it may write (sandbox). */
import type { AgentRequest, ApprovalMode, SandboxMode } from './agent.ts'
import { PERMISSIONS, type Permission } from './permission-levels.ts'

export type { Permission }

const APPROVAL_PERMISSIONS: Record<ApprovalMode, Permission | undefined> = {
  default: undefined,
  auto: 'edit',
  sandboxed: 'everything',
  none: 'everything',
  always: 'ask',
}

const SANDBOX_PERMISSIONS: Record<SandboxMode, Permission | undefined> = {
  default: undefined,
  'read-only': 'read-only',
  workspace: 'edit',
  full: 'everything',
}

type Modes = Pick<AgentRequest, 'approvalMode' | 'sandboxMode'>

export function permissionOfApproval(mode: ApprovalMode): Permission | undefined {
  return APPROVAL_PERMISSIONS[mode]
}

export function permissionOfSandbox(mode: SandboxMode): Permission | undefined {
  return SANDBOX_PERMISSIONS[mode]
}

/** For agents that have a single scale of modes: the stricter of the two. Undefined: both modes are `default`. */
export function stricterPermission({ approvalMode, sandboxMode }: Modes): Permission | undefined {
  const asked = [permissionOfApproval(approvalMode), permissionOfSandbox(sandboxMode)]
  return PERMISSIONS.find((level) => asked.includes(level))
}

/** Whether the agent changes no files. */
export function isReadOnly(request: AgentRequest): boolean {
  return request.agent.isReadOnly?.(request) ?? stricterPermission(request) === 'read-only'
}

/** In each warning about the approval mode `always` that is not given if someone can be asked. */
export const NO_USER = 'runs without a user to ask'

export function warnOfMissingApprover(
  backend: string,
  { approvalMode, hasApprover }: Modes & Pick<AgentRequest, 'hasApprover'>,
): string[] {
  if (approvalMode !== 'always' || hasApprover) return []
  return [`approval_mode always: ${backend} ${NO_USER}, so everything that needs approval is denied`]
}

/** For agents that have no operating system sandbox. */
export function warnOfNoSandbox(
  backend: string,
  { sandboxMode, boundary }: Modes & Pick<AgentRequest, 'boundary'>,
): string[] {
  if (sandboxMode === 'default' || sandboxMode === 'full' || boundary !== undefined) return []
  return [`sandbox_mode ${sandboxMode} is enforced by ${backend} itself, not by an operating system sandbox`]
}

/** Warns when the two modes contradict each other. */
export function warnOfStricter(modes: Modes): string[] {
  const [approval, sandbox] = [permissionOfApproval(modes.approvalMode), permissionOfSandbox(modes.sandboxMode)]
  if (approval === undefined || sandbox === undefined || approval === sandbox) return []
  const names = [`approval_mode ${modes.approvalMode}`, `sandbox_mode ${modes.sandboxMode}`]
  const [strict, lax] = stricterPermission(modes) === approval ? names : names.toReversed()
  return [`${lax} is ignored: ${strict} is stricter`]
}
