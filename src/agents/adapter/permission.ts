/** What an agent may do, from what was asked for in two ways: how it asks (approval) and where it may act (sandbox). */
import type { AgentRequest, ApprovalMode, SandboxMode } from './agent.ts'

/** From the strictest on. `ask`: what needs approval is denied, for nobody is there to give it. */
const LEVELS = ['read-only', 'ask', 'edit', 'everything'] as const
export type Permission = (typeof LEVELS)[number]

const OF_APPROVAL: Record<Exclude<ApprovalMode, 'default'>, Permission> = {
  auto: 'edit',
  none: 'everything',
  always: 'ask',
}

const OF_SANDBOX: Record<Exclude<SandboxMode, 'default'>, Permission> = {
  'read-only': 'read-only',
  workspace: 'edit',
  full: 'everything',
}

type Modes = Pick<AgentRequest, 'approvalMode' | 'sandboxMode'>

export function ofApproval(mode: ApprovalMode): Permission | undefined {
  return mode === 'default' ? undefined : OF_APPROVAL[mode]
}

export function ofSandbox(mode: SandboxMode): Permission | undefined {
  return mode === 'default' ? undefined : OF_SANDBOX[mode]
}

/** For agents whose modes are one scale: the stricter of the two that were asked for. Undefined: neither was. */
export function stricterPermission({ approvalMode, sandboxMode }: Modes): Permission | undefined {
  const asked = [ofApproval(approvalMode), ofSandbox(sandboxMode)]
  return LEVELS.find((level) => asked.includes(level))
}

export function warnOfNobodyToAsk(backend: string, { approvalMode }: Modes): string[] {
  if (approvalMode !== 'always') return []
  return [`approval_mode always: nobody can be asked while ${backend} runs here, so what needs approval is denied`]
}

/** For agents without a sandbox of the operating system. */
export function warnOfNoSandbox(backend: string, { sandboxMode }: Modes): string[] {
  if (sandboxMode === 'default' || sandboxMode === 'full') return []
  return [
    `sandbox_mode ${sandboxMode}: ${backend} keeps to it by its own rules; no sandbox of the operating system holds it`,
  ]
}

/** When both were asked for and cannot both be had. */
export function warnOfStricter(modes: Modes): string[] {
  const [approval, sandbox] = [ofApproval(modes.approvalMode), ofSandbox(modes.sandboxMode)]
  if (approval === undefined || sandbox === undefined || approval === sandbox) return []
  const said = [`approval_mode ${modes.approvalMode}`, `sandbox_mode ${modes.sandboxMode}`]
  const [strict, lax] = stricterPermission(modes) === approval ? said : said.toReversed()
  return [`${lax} gives way to ${strict}, which is stricter`]
}
