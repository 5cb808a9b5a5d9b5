/** How gemini is asked. */
import { join } from 'node:path'
import type { AgentCommand, AgentRequest } from '../adapter/agent.ts'
import { toAgentEnvironment } from '../adapter/agent-environment.ts'
import { flag, warnOfMissing, withSystemPrompt } from '../adapter/flags.ts'
import {
  type Permission,
  stricterPermission,
  warnOfNobodyToAsk,
  warnOfNoSandbox,
  warnOfStricter,
} from '../adapter/permission.ts'

const SWITCHES = {
  GEMINI_TELEMETRY_ENABLED: 'false',
  // Started a second time by itself, it would not hear our signals.
  GEMINI_CLI_NO_RELAUNCH: 'true',
  // The operator's policy for working directories has decided already.
  GEMINI_CLI_TRUST_WORKSPACE: 'true',
}

const MODES: Record<Permission, string> = {
  'read-only': 'plan',
  ask: 'default',
  edit: 'auto_edit',
  everything: 'yolo',
}

/** Without anybody to ask, gemini approves every plan of its own, and then may do everything: no mode would hold. */
const PLAN_TOOLS = ['enter_plan_mode', 'exit_plan_mode']
const WRITING_TOOLS = ['run_shell_command', 'write_file', 'replace', 'save_memory']

export function toGeminiCommand(request: AgentRequest): AgentCommand {
  const stdin = takeLiterally(withSystemPrompt(request))
  const permission = stricterPermission(request) ?? 'ask'
  const policy = toPolicy(permission, request)
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
    env: toAgentEnvironment(request.env, SWITCHES),
    stdin,
    files: policy.files,
    warnings: [
      ...warnOfNobodyToAsk('gemini', request),
      ...warnOfNoSandbox('gemini', request),
      ...warnOfStricter(request),
      ...warnOfMissing('gemini', request, { maxTurns: true }),
    ],
  }
}

/** Gemini has no way to keep no session; it must run in the same directory to find the session again. */
export function toGeminiCleanUp(sessionId: string, { program, env }: AgentRequest): AgentCommand {
  return {
    argv: [...program, ...flag('--delete-session', sessionId)],
    env: toAgentEnvironment(env, SWITCHES),
    stdin: '',
    files: [],
    warnings: [],
  }
}

/**
 * Gemini runs `/word` at the start as a command of its own, and puts files that match what follows an `@`, in a mail
 * address too, into the prompt. Neither happens after a line break and a backslash, and both reach the model.
 */
function takeLiterally(prompt: string): string {
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
