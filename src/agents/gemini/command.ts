/** The command line of gemini. */
import { join } from 'node:path'
import type { AgentCommand, AgentRequest } from '../adapter/agent.ts'
import { toAgentEnvironment } from '../adapter/agent-environment.ts'
import { flag, warnOfMissing, withSystemPrompt } from '../adapter/flags.ts'
import {
  type Permission,
  stricterPermission,
  warnOfMissingApprover,
  warnOfNoSandbox,
  warnOfStricter,
} from '../adapter/permission.ts'

const VARIABLES = {
  GEMINI_TELEMETRY_ENABLED: 'false',
  // A relaunched gemini does not receive our signals.
  GEMINI_CLI_NO_RELAUNCH: 'true',
  // The operator's policy for working directories has decided about trust already.
  GEMINI_CLI_TRUST_WORKSPACE: 'true',
}

const MODES: Record<Permission, string> = {
  'read-only': 'plan',
  ask: 'default',
  edit: 'auto_edit',
  everything: 'yolo',
}

/** Gemini approves its own plans when there is no one to ask, and may then do everything, whatever the mode. */
const PLAN_TOOLS = ['enter_plan_mode', 'exit_plan_mode']
const WRITING_TOOLS = ['run_shell_command', 'write_file', 'replace', 'save_memory']

export function toGeminiCommand(request: AgentRequest): AgentCommand {
  const stdin = escapePrompt(withSystemPrompt(request))
  const permission = stricterPermission(request) ?? 'ask'
  const policy = toPolicy(permission, request)
  // Gemini writes reports about errors there, with the whole conversation.
  const temporaryDirectory = join(request.scratchDirectory, 'tmp')
  return {
    argv: [
      ...request.program,
      ...['-o', 'stream-json'],
      ...['--approval-mode', MODES[permission]],
      ...policy.flags,
      ...flag('--model', request.model),
      ...flag('--resume', request.resumeId),
      ...(request.isVerbose ? ['--debug'] : []),
      ...request.extra,
    ],
    env: { ...toAgentEnvironment(request.env, VARIABLES), TMPDIR: temporaryDirectory },
    stdin,
    files: policy.files,
    temporaryDirectory,
    warnings: [
      ...warnOfMissingApprover('gemini', request),
      ...warnOfNoSandbox('gemini', request),
      ...warnOfStricter(request),
      ...warnOfMissing('gemini', request, { maxTurns: true }),
    ],
  }
}

/** The process that stays up. Modes and prompts are sent to it later; the policy is fixed. */
export function toGeminiAcpCommand(request: AgentRequest, sessionId: string): Omit<AgentCommand, 'stdin' | 'warnings'> {
  const temporaryDirectory = join(request.scratchDirectory, 'tmp')
  const policy = toPolicy(stricterPermission(request) ?? 'ask', request)
  return {
    argv: [
      ...request.program,
      '--acp',
      ...flag('--session-id', sessionId),
      ...policy.flags,
      ...flag('--model', request.model),
    ],
    env: { ...toAgentEnvironment(request.env, VARIABLES), TMPDIR: temporaryDirectory },
    files: policy.files,
    temporaryDirectory,
  }
}

/** Gemini always stores a session. To delete it, gemini must run in the same directory. */
export function toGeminiCleanUp(sessionId: string, { program, env }: AgentRequest): AgentCommand {
  return {
    argv: [...program, ...flag('--delete-session', sessionId)],
    env: toAgentEnvironment(env, VARIABLES),
    stdin: '',
    files: [],
    warnings: [],
  }
}

/**
 * Gemini runs `/word` at the start as a command of its own, and replaces `@path` by files, in mail addresses too. A line
 * break before the slash and a backslash before the at sign prevent that; both reach the model.
 */
function escapePrompt(prompt: string): string {
  const escaped = prompt.replace(/(?<!\\)@(?=\S)/g, '\\@')
  if (escaped !== prompt) return `(In this message \\@ stands for a plain at sign.)\n\n${escaped}`
  return prompt.startsWith('/') ? `\n${prompt}` : prompt
}

function toPolicy(permission: Permission, { isDryRun, scratchDirectory }: AgentRequest) {
  if (permission === 'everything') return { flags: [], files: [] }
  const path = join(isDryRun ? '<scratch>' : scratchDirectory, 'gemini-policy.toml')
  const content = permission === 'read-only' ? READ_ONLY_POLICY : denyRule(PLAN_TOOLS)
  const files = isDryRun ? [] : [{ path, content }]
  return { flags: ['--admin-policy', path], files }
}

function denyRule(tools: readonly string[]): string {
  const names = tools.map((tool) => JSON.stringify(tool)).join(', ')
  return `[[rule]]\ntoolName = [${names}]\ndecision = "deny"\npriority = 999\n`
}

const READ_ONLY_POLICY = [
  denyRule([...PLAN_TOOLS, ...WRITING_TOOLS]),
  '[[rule]]\ntoolName = "*"\nmcpName = "*"\ndecision = "deny"\npriority = 999\n',
].join('\n')
