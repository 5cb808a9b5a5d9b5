/** The command line of codex. */
import { join } from 'node:path'
import { toJsonText } from '../../kit/json/write-json.ts'
import type { AgentCommand, AgentRequest } from '../adapter/agent.ts'
import { toAgentEnvironment } from '../adapter/agent-environment.ts'
import { isDocument, isImage, placeFiles, toScratchFiles, withFileNames } from '../adapter/attached-file.ts'
import { flag, hasText, warnOfMissing, withSystemPrompt } from '../adapter/flags.ts'
import { isObject } from '../adapter/json-fields.ts'
import { NO_USER, type Permission, permissionOfApproval, permissionOfSandbox } from '../adapter/permission.ts'
import { isTrusted, LONGEST_CALL_SECS, TOOL_SERVER, toolServersOf } from '../adapter/tool-server-place.ts'

const VARIABLES = {}
/** Config, because codex has no environment variables for it. */
const SETTINGS = ['check_for_update_on_startup=false', 'analytics.enabled=false', 'feedback.enabled=false']

/**
 * Codex has no setting for some of its tools: `apply_patch`, which its sandbox denies then, `request_user_input`, which `codex exec` denies, and
 * `tool_search`, which only searches.
 */
const NO_TOOLS = [
  ...['shell_tool', 'unified_exec', 'view_image', 'goals', 'tool_suggest', 'skill_search', 'apps', 'multi_agent'].map(
    (feature) => `features.${feature}=false`,
  ),
  'web_search="disabled"',
]

const SANDBOXES: Record<Permission, string> = {
  'read-only': 'read-only',
  ask: 'read-only',
  edit: 'workspace-write',
  everything: 'danger-full-access',
}

/**
 * Codex takes every prompt literally, except that naming an installed skill (`$name`) adds the text of the skill. Flags
 * must come before `resume`, which accepts few itself.
 */
export function toCodexCommand(request: AgentRequest): AgentCommand {
  const stdin = withInstructions(request)
  const schema = toSchemaFile(request)
  const attached = placeFiles(request, () => true)
  return {
    argv: [
      ...request.program,
      'exec',
      // It takes every word after it up to the next flag.
      ...attached.filter(isImage).flatMap(({ path }) => ['--image', path]),
      '--json',
      ...SETTINGS.flatMap((setting) => ['-c', setting]),
      // The operator's policy for working directories has decided about trust already.
      '--skip-git-repo-check',
      ...toSandboxFlags(request),
      ...flag('--model', request.model),
      ...schema.flags,
      ...(request.isEphemeral ? ['--ephemeral'] : []),
      ...request.extra,
      ...toProjectFlags(request),
      ...toDirectoryFlags(request),
      ...toToolServers(request),
      ...(request.withoutTools ? NO_TOOLS.flatMap((setting) => ['-c', setting]) : []),
      ...(request.isLimited ? ['--ignore-rules'] : []),
      ...(request.resumeId === undefined ? [] : ['resume', request.resumeId]),
      '-',
    ],
    env: toAgentEnvironment(request, VARIABLES),
    stdin,
    files: [...schema.files, ...toScratchFiles(attached, request)],
    warnings: [...warnOfApproval(request), ...warnOfMissing('codex', request, { maxTurns: true, verbose: true })],
  }
}

/** The command of a process that stays up. What a turn may do is sent with the turn. */
export function toAppServerCommand(request: AgentRequest): Pick<AgentCommand, 'argv' | 'env' | 'files'> {
  const settings = SETTINGS.flatMap((setting) => ['-c', setting])
  return {
    argv: [
      ...request.program,
      ...['app-server', ...settings, ...request.extra],
      ...[...toProjectFlags(request), ...toDirectoryFlags(request), ...toServerProfiles(request)],
    ],
    env: toAgentEnvironment(request, VARIABLES),
    files: [],
  }
}

/**
 * Codex reads the settings of a project that it trusts, and trusts it when it may write there. Rules of the user let commands
 * run outside of the sandbox.
 */
function toProjectFlags({ ignoresProject, isLimited, workdir }: AgentRequest): string[] {
  const limits = ['sandbox_workspace_write.writable_roots=[]', 'sandbox_workspace_write.network_access=false']
  const settings = [
    // Otherwise settings count that stand above the working directory.
    'project_root_markers=[]',
    `projects={${JSON.stringify(workdir)}={trust_level="untrusted"}}`,
    'skills.include_instructions=false',
    ...(isLimited ? limits : []),
  ]
  return ignoresProject ? settings.flatMap((setting) => ['-c', setting]) : []
}

/** In its sandbox, codex reads everywhere. These replace what the settings of the user add. */
function toDirectoryFlags({ additionalDirectories = [] }: AgentRequest): string[] {
  if (additionalDirectories.length === 0) return []
  return ['-c', `sandbox_workspace_write.writable_roots=${JSON.stringify(additionalDirectories)}`]
}

/** Of the functions of the client, several can be called at once. */
const CLIENT_SETTINGS = { tool_timeout_sec: LONGEST_CALL_SECS, supports_parallel_tool_calls: true }

/** Codex asks no one, so it calls no tool that needs approval. */
function toToolServers(request: AgentRequest): string[] {
  return toolServersOf(request).flatMap(({ name: server, ...start }) => {
    const approval = isTrusted(server, request) ? { default_tools_approval_mode: 'approve' } : {}
    const settings = { ...start, ...(server === TOOL_SERVER && CLIENT_SETTINGS), ...approval }
    const entries = Object.entries(settings).map(([name, value]) => `${name}=${JSON.stringify(value)}`)
    return entries.flatMap((entry) => ['-c', `mcp_servers.${server}.${entry}`])
  })
}

/**
 * The profiles that drover defines, by what each one is based on. They replace the modes of the sandbox where the agent must not
 * read some files: the modes can read everything.
 */
const PROFILES: Readonly<Record<string, string>> = {
  'drover-read-only': ':read-only',
  'drover-workspace': ':workspace',
}
const PROFILES_OF_MODES: Readonly<Record<string, string>> = {
  'read-only': 'drover-read-only',
  'workspace-write': 'drover-workspace',
}

/** Undefined: the mode counts. */
export function profileFor(request: AgentRequest): string | undefined {
  return request.closedFiles.length === 0 ? undefined : PROFILES_OF_MODES[toSandbox(request)]
}

/** Codex ignores profiles if it gets `-s`. Versions without profiles use `sandbox_mode`. */
function toSandboxFlags(request: AgentRequest): string[] {
  const [sandbox, profile] = [toSandbox(request), profileFor(request)]
  if (profile === undefined) return ['-s', sandbox]
  return [...toProfileFlags(request, [profile]), '-c', `sandbox_mode="${sandbox}"`, ...useProfile(profile)]
}

/** Each turn names a profile. Codex does not start with profiles and without a default. */
function toServerProfiles(request: AgentRequest): string[] {
  if (request.closedFiles.length === 0) return []
  return [...toProfileFlags(request, Object.keys(PROFILES)), ...useProfile('drover-read-only')]
}

function useProfile(profile: string): string[] {
  return ['-c', `default_permissions="${profile}"`]
}

function toProfileFlags(request: AgentRequest, names: readonly string[]): string[] {
  const { closedFiles, additionalDirectories = [] } = request
  const closed = closedFiles.map((path) => `${JSON.stringify(path)}="deny"`)
  const added = additionalDirectories.map((path) => `${JSON.stringify(path)}="write"`)
  return names.flatMap((name) => {
    const files = [...(name === PROFILES_OF_MODES['workspace-write'] ? added : []), ...closed].join(',')
    return ['-c', `permissions.${name}={extends="${PROFILES[name]}",filesystem={${files}}}`]
  })
}

/**
 * Codex reads no instructions in a project that it does not trust. This is how it passes them on itself. They must not end where the
 * project says so: what follows is the prompt of the user.
 */
function withInstructions(request: AgentRequest): string {
  const { surroundings, resumeId, workdir } = request
  const asked = withSystemPrompt(request) + askForObject(request)
  const prompt = withFileNames(asked, placeFiles(request, isDocument))
  if (!hasText(surroundings?.instructions) || resumeId !== undefined) return prompt
  const instructions = surroundings.instructions.replace(/<(?=\s*\/\s*INSTRUCTIONS)/gi, '&lt;')
  return `# AGENTS.md instructions for ${workdir}\n\n<INSTRUCTIONS>\n${instructions}\n</INSTRUCTIONS>\n\n${prompt}`
}

const ONE_OBJECT =
  '\n\nAnswer with one JSON object and nothing else: no text before or after it, and no code fence around it.'

/** The model service of codex refuses a schema that leaves properties open, so the prompt asks for the object. */
function askForObject({ outputSchema }: AgentRequest): string {
  if (outputSchema === undefined || isClosed(outputSchema)) return ''
  if (outputSchema['properties'] === undefined) return ONE_OBJECT
  return `${ONE_OBJECT} It must match this JSON Schema:\n${toJsonText(outputSchema)}`
}

/** Every object in it says that it has all of its properties and no others. */
function isClosed(schema: unknown): boolean {
  if (Array.isArray(schema)) return schema.every(isClosed)
  if (!isObject(schema)) return true
  const { properties, required, additionalProperties: others } = schema
  const names = isObject(properties) ? Object.keys(properties) : []
  const isObjectSchema = schema['type'] === 'object' || isObject(properties)
  const listed: readonly unknown[] = Array.isArray(required) ? required : []
  if (isObjectSchema && !(others === false && names.every((name) => listed.includes(name)))) return false
  return Object.values(schema).every(isClosed)
}

/** The schema that codex gets. */
export function schemaFor({ outputSchema }: AgentRequest): AgentRequest['outputSchema'] {
  return isClosed(outputSchema) ? outputSchema : undefined
}

function toSchemaFile(request: AgentRequest) {
  const { isDryRun, scratchDirectory } = request
  const outputSchema = schemaFor(request)
  if (outputSchema === undefined) return { flags: [], files: [] }
  const path = join(isDryRun ? '<scratch>' : scratchDirectory, 'output-schema.json')
  return { flags: ['--output-schema', path], files: isDryRun ? [] : [{ path, content: toJsonText(outputSchema) }] }
}

/** Always passed, because codex trusts a directory permanently once it was allowed to write there. */
export function toSandbox({ approvalMode, sandboxMode, boundary, withoutTools }: AgentRequest): string {
  // Its own sandbox cannot be set up inside of another. If it may not write, the files are mounted so.
  if (boundary !== undefined) return SANDBOXES.everything
  if (withoutTools) return SANDBOXES['read-only']
  return SANDBOXES[permissionOfSandbox(sandboxMode) ?? permissionOfApproval(approvalMode) ?? 'read-only']
}

const WRITES: Record<Permission, string> = {
  'read-only': 'nowhere',
  ask: 'nowhere',
  edit: 'only in the working directory and in temporary directories',
  everything: 'everywhere',
}

/** Codex asks no one while it runs: its sandbox alone decides. */
function warnOfApproval({ approvalMode, sandboxMode, hasApprover }: AgentRequest): string[] {
  if (approvalMode === 'always' && hasApprover) return []
  const [approval, sandbox] = [permissionOfApproval(approvalMode), permissionOfSandbox(sandboxMode)]
  if (approval === undefined || approval === sandbox) return []
  if (sandbox !== undefined) {
    const reason = `codex cannot ask, and sandbox_mode ${sandboxMode} lets it write ${WRITES[sandbox]}`
    return [`approval_mode ${approvalMode} is ignored: ${reason}`]
  }
  if (approvalMode !== 'always') return []
  return [`approval_mode always: codex ${NO_USER}, so it may write nowhere`]
}
