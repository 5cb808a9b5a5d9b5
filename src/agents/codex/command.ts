/** How codex is asked. */
import type { AgentCommand, AgentRequest } from '../adapter/agent.ts'
import { toAgentEnvironment } from '../adapter/agent-environment.ts'
import { flag, warnOfMissing, withSystemPrompt } from '../adapter/flags.ts'
import { ofApproval, ofSandbox, type Permission, warnOfNobodyToAsk } from '../adapter/permission.ts'

/** Codex has no environment variables for these. */
const SWITCHES = ['check_for_update_on_startup=false', 'analytics.enabled=false', 'feedback.enabled=false']

const SANDBOXES: Record<Permission, string> = {
  'read-only': 'read-only',
  ask: 'read-only',
  edit: 'workspace-write',
  everything: 'danger-full-access',
}

/**
 * The prompt is taken literally, whatever it starts with; naming an installed skill (`$name`) adds the skill's text to
 * it. The flags have to come before `resume`, which knows few of them.
 */
export function toCodexCommand(request: AgentRequest): AgentCommand {
  const stdin = withSystemPrompt(request)
  return {
    argv: [
      ...request.program,
      'exec',
      '--json',
      ...SWITCHES.flatMap((setting) => ['-c', setting]),
      // The operator's policy for working directories has decided already what codex would ask about.
      '--skip-git-repo-check',
      ...['-s', toSandbox(request)],
      ...flag('--model', request.model),
      ...(request.isEphemeral ? ['--ephemeral'] : []),
      ...request.extra,
      ...(request.resumeId === undefined ? [] : ['resume', request.resumeId]),
      '-',
    ],
    env: toAgentEnvironment(request.env, {}),
    stdin,
    files: [],
    warnings: [
      ...warnOfNobodyToAsk('codex', request),
      ...warnOfMissing('codex', request, { maxTurns: true, verbose: true }),
    ],
  }
}

/** Always said, because codex trusts a directory for good once it was allowed to write there. */
function toSandbox({ approvalMode, sandboxMode }: AgentRequest): string {
  return SANDBOXES[ofSandbox(sandboxMode) ?? ofApproval(approvalMode) ?? 'read-only']
}
