/** The command line of claude. */
import { join } from 'node:path'
import { toJsonText } from '../../kit/json/write-json.ts'
import type { AgentCommand, AgentRequest } from '../adapter/agent.ts'
import { toAgentEnvironment } from '../adapter/agent-environment.ts'
import { toExactCommands } from '../adapter/allowed-commands.ts'
import { type AttachedFile, isImage } from '../adapter/attached-file.ts'
import { flag, hasText, toolList } from '../adapter/flags.ts'
import {
  type Permission,
  stricterPermission,
  warnOfMissingApprover,
  warnOfNoSandbox,
  warnOfStricter,
} from '../adapter/permission.ts'
import { isTrusted, LONGEST_CALL_SECS, toolServersOf } from '../adapter/tool-server-place.ts'
import { limitSettings } from './user-settings.ts'

const VARIABLES = {
  DISABLE_AUTOUPDATER: '1',
  DISABLE_TELEMETRY: '1',
  DISABLE_ERROR_REPORTING: '1',
  CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
}

const WITHOUT_PROJECT = {
  ...VARIABLES,
  // Claude reads instructions with the settings of the project, or else in directories that were added.
  CLAUDE_CODE_ADDITIONAL_DIRECTORIES_CLAUDE_MD: '1',
}

/** So that the first request to the model has their tools. */
const WITH_SERVERS = { MCP_CONNECTION_NONBLOCKING: 'false' }

/** So that it waits for the client, gets the whole result, and sees all functions with the first request. */
const WITH_CLIENT_TOOLS = {
  MCP_TOOL_TIMEOUT: String(LONGEST_CALL_SECS * 1000),
  MAX_MCP_OUTPUT_TOKENS: '10000000',
  ENABLE_TOOL_SEARCH: 'false',
  ...WITH_SERVERS,
}

/** Claude skips permission checks for root only if it is told that it runs in a sandbox. */
const INSIDE = { IS_SANDBOX: '1' }

/** Tools that can change files or run programs, now or later. Sub-agents are denied them too. */
const WRITING_TOOLS = [
  ...['Bash', 'PowerShell', 'Monitor', 'REPL', 'Edit', 'Write', 'NotebookEdit'],
  ...['EnterWorktree', 'ExitWorktree', 'CronCreate', 'CronDelete', 'ScheduleWakeup', 'Workflow'],
].join()
const ALL_MCP_TOOLS = 'mcp__*'

/** Allowed by name where claude refuses to skip all permission checks. */
const WORKING_TOOLS = [
  ...['Bash', 'Edit', 'Write', 'NotebookEdit', 'Read', 'Glob', 'Grep'],
  ...['WebFetch', 'WebSearch', 'Skill', 'Task', 'Workflow'],
]

/** Always passed: otherwise the user's settings could set another one. */
const MODES: Record<Permission, string> = {
  'read-only': 'default',
  ask: 'default',
  edit: 'acceptEdits',
  everything: 'bypassPermissions',
}

const ROOT_WARNING =
  'claude does not skip permission checks for root, so only its own tools are allowed; others, such as those of MCP servers, are denied'

export function toClaudeCommand(request: AgentRequest): AgentCommand {
  const isLiteral = isTakenLiterally(request.prompt) && (request.attachments ?? []).length === 0
  const system = toSystemPrompt(request)
  const permission = toPermission(request)
  const settings = toSettings(request)
  const tools = toToolServer(request)
  const inputFlags = isLiteral ? [] : ['--input-format', 'stream-json']
  return {
    argv: [...request.program, '-p', ...inputFlags, ...toFlags(request, { permission, system, settings, tools })],
    env: toEnvironment(request),
    stdin: isLiteral ? request.prompt : `${JSON.stringify(toMessage(request))}\n`,
    files: [...system.files, ...settings.files, ...tools.files],
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
  const settings = toSettings(request)
  return {
    argv: [
      ...request.program,
      ...['-p', '--input-format', 'stream-json', '--replay-user-messages'],
      ...(request.hasApprover ? ['--permission-prompt-tool', 'stdio'] : []),
      ...toFlags(request, { permission, system, settings, tools: toToolServer(request) }),
    ],
    env: toEnvironment(request),
    files: [...system.files, ...settings.files],
  }
}

type Flags = { flags: readonly string[] }

function toFlags(
  request: AgentRequest,
  { permission, system, settings, tools }: Record<'permission' | 'system' | 'settings' | 'tools', Flags>,
): string[] {
  // Claude takes a schema from its arguments only.
  return [
    ...['--output-format', 'stream-json', '--verbose'],
    // Without it, a long thought or file looks like silence.
    ...(request.wantsDeltas || request.silenceMs ? ['--include-partial-messages'] : []),
    ...flag('--model', request.model),
    ...flag('--resume', request.resumeId),
    ...permission.flags,
    ...flag('--max-turns', request.maxTurns?.toString()),
    ...system.flags,
    ...tools.flags,
    ...(request.additionalDirectories ?? []).flatMap((directory) => ['--add-dir', directory]),
    ...(request.outputSchema === undefined ? [] : ['--json-schema', toJsonText(request.outputSchema)]),
    ...(request.isEphemeral ? ['--no-session-persistence'] : []),
    ...request.extra,
    ...flag('--max-budget-usd', request.maxCostUsd?.toFixed(6)),
    // The last ones count.
    ...settings.flags,
  ]
}

/** Which settings claude reads. Under a ceiling, those of the user that allow nothing; otherwise all of the user, or all. */
function toSettings(request: AgentRequest): { flags: string[]; files: AgentCommand['files'] } {
  const { ignoresProject, isLimited, workdir, isDryRun, scratchDirectory } = request
  if (!ignoresProject) return { flags: [], files: [] }
  const common = ['--strict-mcp-config', '--add-dir', workdir]
  if (!isLimited) return { flags: [...common, '--setting-sources', 'user'], files: [] }
  const path = join(isDryRun ? '<scratch>' : scratchDirectory, 'claude-settings.json')
  const content = JSON.stringify(limitSettings(request.surroundings?.userSettings ?? {}, request.closedFiles))
  return {
    flags: [...common, '--setting-sources=', '--settings', path],
    files: isDryRun ? [] : [{ path, content }],
  }
}

/** With functions of a client, it has only these servers. Without tools, it has no others either, nor if it may only read. */
function toToolServer(request: AgentRequest): { flags: string[]; files: AgentCommand['files'] } {
  const none = request.withoutTools ? ['--tools', '', '--strict-mcp-config'] : []
  const servers = toolServersOf(request)
  if (servers.length === 0) return { flags: none, files: [] }
  const path = join(request.isDryRun ? '<scratch>' : request.scratchDirectory, 'claude-tools.json')
  const content = JSON.stringify({ mcpServers: Object.fromEntries(servers.map(({ name, ...start }) => [name, start])) })
  const isStrict = request.clientTools !== undefined || stricterPermission(request) === 'read-only'
  const flags = ['--mcp-config', path, ...(isStrict ? ['--strict-mcp-config'] : []), ...none]
  return { flags, files: request.isDryRun ? [] : [{ path, content }] }
}

function toEnvironment(request: AgentRequest): AgentCommand['env'] {
  const variables = request.ignoresProject ? WITHOUT_PROJECT : VARIABLES
  const servers = toolServersOf(request).length === 0 ? {} : WITH_SERVERS
  const tools = request.clientTools === undefined ? servers : WITH_CLIENT_TOOLS
  const env = toAgentEnvironment(request, { ...variables, ...tools })
  return request.boundary === undefined ? env : { ...env, ...INSIDE }
}

/**
 * Claude runs `/word` at the start of a prompt as its own command, and attaches the file that `@path` names, even
 * outside the working directory or denied to its tools.
 */
function isTakenLiterally(prompt: string): boolean {
  return !prompt.trimStart().startsWith('/') && !/(?<!\w)@/.test(prompt)
}

/**
 * The prompt as a message. Claude looks for commands and files only in the last block of a message, so a prompt that
 * could contain one gets an empty last block; the model gets the prompt unchanged.
 */
export function toMessage({ prompt, attachments = [] }: Pick<AgentRequest, 'prompt' | 'attachments'>) {
  const texts = isTakenLiterally(prompt) ? [prompt] : [prompt, '']
  const content = [...attachments.map(toBlock), ...texts.map((text) => ({ type: 'text', text }))]
  return { type: 'user', message: { role: 'user', content } }
}

function toBlock(file: AttachedFile): object {
  const { mediaType, data } = file
  return { type: isImage(file) ? 'image' : 'document', source: { type: 'base64', media_type: mediaType, data } }
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
  const isInside = request.boundary !== undefined || request.env['IS_SANDBOX'] === '1'
  const isRestrictedRoot = permission === 'everything' && request.isRoot && !isInside
  const commands = permission === 'edit' ? toExactCommands(request).map((command) => `Bash(${command})`) : []
  const servers = toolServersOf(request)
  const denied = servers.length > 0 ? WRITING_TOOLS : `${WRITING_TOOLS},${ALL_MCP_TOOLS}`
  const trusted = servers.filter(({ name }) => isTrusted(name, request)).map(({ name }) => `mcp__${name}`)
  const allowed = [...toolList(request), ...(isRestrictedRoot ? WORKING_TOOLS : []), ...commands, ...trusted]
  const mode = permission === 'everything' && isRestrictedRoot ? 'default' : MODES[permission ?? 'ask']
  // Without a mode of drover, that of the user's settings counts, unless a ceiling limits it.
  const hasMode = permission !== undefined || request.isLimited
  return {
    flags: [
      ...(hasMode ? ['--permission-mode', mode] : []),
      ...(permission === 'read-only' ? ['--disallowedTools', denied] : []),
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
