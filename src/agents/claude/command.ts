/** The command line of claude. */
import { join } from 'node:path'
import { toJsonText } from '../../kit/json/to-json-text.ts'
import type { AgentCommand, AgentRequest } from '../adapter/agent.ts'
import { toAgentEnvironment } from '../adapter/agent-environment.ts'
import { flag, hasText, toolList } from '../adapter/flags.ts'
import { stricterPermission, warnOfMissingApprover, warnOfNoSandbox, warnOfStricter } from '../adapter/permission.ts'

const VARIABLES = {
  DISABLE_AUTOUPDATER: '1',
  DISABLE_TELEMETRY: '1',
  DISABLE_ERROR_REPORTING: '1',
  CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
}

/** Tools that can change files or run programs, now or later. Sub-agents are denied them too. */
const WRITING_TOOLS = [
  ...['Bash', 'PowerShell', 'Monitor', 'REPL', 'Edit', 'Write', 'NotebookEdit'],
  ...['EnterWorktree', 'ExitWorktree', 'CronCreate', 'CronDelete', 'ScheduleWakeup', 'Workflow', 'mcp__*'],
].join()

/** Allowed by name where claude refuses to skip all permission checks. */
const WORKING_TOOLS = [
  ...['Bash', 'Edit', 'Write', 'NotebookEdit', 'Read', 'Glob', 'Grep'],
  ...['WebFetch', 'WebSearch', 'Skill', 'Task', 'Workflow'],
]

const ROOT_WARNING =
  'claude does not skip permission checks for root, so only its own tools are allowed; others, such as those of MCP servers, are denied'

export function toClaudeCommand(request: AgentRequest): AgentCommand {
  const isLiteral = isTakenLiterally(request.prompt)
  const system = toSystemPrompt(request)
  const permission = toPermission(request)
  const inputFlags = isLiteral ? [] : ['--input-format', 'stream-json']
  return {
    argv: [...request.program, '-p', ...inputFlags, ...toFlags(request, { permission, system })],
    env: toAgentEnvironment(request.env, VARIABLES),
    stdin: isLiteral ? request.prompt : `${JSON.stringify(toMessage(request.prompt))}\n`,
    files: system.files,
    warnings: permission.warnings,
  }
}

/**
 * The command of a process that stays up and reads messages. It repeats each message with its id, which tells the result
 * of this message from any other.
 */
export function toWarmClaudeCommand(request: AgentRequest): Pick<AgentCommand, 'argv' | 'env' | 'files'> {
  const system = toSystemPrompt(request)
  const permission = toPermission(request)
  return {
    argv: [
      ...request.program,
      ...['-p', '--input-format', 'stream-json', '--replay-user-messages'],
      ...(request.hasApprover ? ['--permission-prompt-tool', 'stdio'] : []),
      ...toFlags(request, { permission, system }),
    ],
    env: toAgentEnvironment(request.env, VARIABLES),
    files: system.files,
  }
}

type Flags = { flags: readonly string[] }

function toFlags(request: AgentRequest, { permission, system }: { permission: Flags; system: Flags }): string[] {
  return [
    ...['--output-format', 'stream-json', '--verbose'],
    ...(request.wantsDeltas ? ['--include-partial-messages'] : []),
    ...flag('--model', request.model),
    ...flag('--resume', request.resumeId),
    ...permission.flags,
    ...flag('--max-turns', request.maxTurns?.toString()),
    ...system.flags,
    ...toSchemaFlag(request),
    ...(request.isEphemeral ? ['--no-session-persistence'] : []),
    ...request.extra,
    ...flag('--max-budget-usd', request.maxCostUsd?.toFixed(6)),
  ]
}

/**
 * Claude runs `/word` at the start of a prompt as a command of its own, and attaches the file that `@path` names, even
 * outside the working directory or denied to its tools.
 */
function isTakenLiterally(prompt: string): boolean {
  return !prompt.trimStart().startsWith('/') && !/(?<!\w)@/.test(prompt)
}

/**
 * The prompt as a message. Claude looks for commands and files only in the last block of a message, so a prompt that
 * could contain one gets an empty last block; the model gets the prompt unchanged.
 */
export function toMessage(prompt: string) {
  const texts = isTakenLiterally(prompt) ? [prompt] : [prompt, '']
  return { type: 'user', message: { role: 'user', content: texts.map((text) => ({ type: 'text', text })) } }
}

/** Claude takes a schema from its arguments only. */
function toSchemaFlag({ outputSchema }: AgentRequest): string[] {
  return outputSchema === undefined ? [] : ['--json-schema', toJsonText(outputSchema)]
}

/** As a file, because every user of the machine can read arguments. */
function toSystemPrompt({ systemPrompt, isDryRun, scratchDirectory }: AgentRequest) {
  if (!hasText(systemPrompt)) return { flags: [], files: [] }
  if (isDryRun) return { flags: flag('--system-prompt', systemPrompt), files: [] }
  const path = join(scratchDirectory, 'system-prompt.txt')
  return { flags: ['--system-prompt-file', path], files: [{ path, content: systemPrompt }] }
}

function toPermission(request: AgentRequest): { flags: string[]; warnings: string[] } {
  const permission = stricterPermission(request)
  const isRestrictedRoot = permission === 'everything' && request.isRoot && request.env['IS_SANDBOX'] !== '1'
  const allowed = [...toolList(request), ...(isRestrictedRoot ? WORKING_TOOLS : [])]
  const flags = {
    'read-only': ['--disallowedTools', WRITING_TOOLS],
    ask: [],
    edit: ['--permission-mode', 'acceptEdits'],
    everything: isRestrictedRoot ? [] : ['--permission-mode', 'bypassPermissions'],
  }
  return {
    flags: [
      ...(permission === undefined ? [] : flags[permission]),
      ...(allowed.length > 0 ? ['--allowedTools', allowed.join(',')] : []),
    ],
    warnings: [
      ...warnOfMissingApprover('claude', request),
      ...warnOfNoSandbox('claude', request),
      ...warnOfStricter(request),
      ...(isRestrictedRoot ? [ROOT_WARNING] : []),
    ],
  }
}
