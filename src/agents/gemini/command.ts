/** The command line of gemini. */
import { dirname, join } from 'node:path'
import { type AgentCommand, type AgentRequest, NATIVE_BACKENDS } from '../adapter/agent.ts'
import { toAgentEnvironment } from '../adapter/agent-environment.ts'
import { placeFiles, toScratchFiles } from '../adapter/attached-file.ts'
import { directoriesUnsupported } from '../adapter/faults.ts'
import { flag, warnOfMissing, withSystemPrompt } from '../adapter/flags.ts'
import {
  type Permission,
  stricterPermission,
  warnOfMissingApprover,
  warnOfNoSandbox,
  warnOfStricter,
} from '../adapter/permission.ts'
import { isTrusted, toolServersOf } from '../adapter/tool-server-place.ts'
import { policyFor } from './policy.ts'
import { toPrivateHome, UNTRUSTED, VARIABLES } from './private-home.ts'

const MODES: Record<Permission, string> = {
  'read-only': 'plan',
  ask: 'default',
  edit: 'auto_edit',
  everything: 'yolo',
}

export function toGeminiCommand(request: AgentRequest): AgentCommand {
  const attached = placeFiles(request, () => true)
  const stdin = [escapePrompt(withSystemPrompt(request)), ...attached.map(({ path }) => `@${path}`)].join('\n\n')
  const permission = stricterPermission(request) ?? 'ask'
  const policy = toPolicy(permission, { request, canAsk: false })
  const home = toHome(request)
  // Gemini writes reports about errors there, with the whole conversation.
  const temporaryDirectory = join(request.scratchDirectory, 'tmp')
  return {
    argv: [
      ...request.program,
      ...['-o', 'stream-json'],
      // Gemini has no other mode in a directory that it does not trust. Its policy says the same.
      ...['--approval-mode', request.ignoresProject ? 'default' : MODES[permission]],
      ...policy.flags,
      ...flag('--model', request.model),
      ...flag('--resume', request.resumeId),
      ...toDirectories(request).flatMap((directory) => ['--include-directories', directory]),
      ...(attached[0] === undefined ? [] : ['--include-directories', dirname(attached[0].path)]),
      ...(request.isVerbose ? ['--debug'] : []),
      ...request.extra,
    ],
    ...home,
    env: { ...home.env, TMPDIR: temporaryDirectory },
    stdin,
    files: [...policy.files, ...home.files, ...toScratchFiles(attached, request)],
    temporaryDirectory,
    warnings: [
      ...warnOfMissingApprover('gemini', request),
      ...warnOfNoSandbox('gemini', request),
      ...warnOfStricter(request),
      ...warnOfMissing('gemini', request, { maxTurns: true }),
    ],
  }
}

/** Gemini takes a comma as the end of a name. */
function toDirectories({ additionalDirectories = [] }: AgentRequest): readonly string[] {
  if (!additionalDirectories.some((directory) => directory.includes(','))) return additionalDirectories
  throw directoriesUnsupported({
    backend: 'gemini',
    problem: 'takes no additional directory with a comma in its name',
    able: NATIVE_BACKENDS.filter((name) => name !== 'gemini'),
  })
}

/** The process that stays up. Modes and prompts are sent to it later; the policy is fixed. */
export function toGeminiAcpCommand(request: AgentRequest, sessionId: string): Omit<AgentCommand, 'stdin' | 'warnings'> {
  const temporaryDirectory = join(request.scratchDirectory, 'tmp')
  const policy = toPolicy(stricterPermission(request) ?? 'ask', { request, canAsk: true })
  const home = toHome(request)
  return {
    argv: [
      ...request.program,
      '--acp',
      ...flag('--session-id', sessionId),
      ...policy.flags,
      ...flag('--model', request.model),
    ],
    ...home,
    env: { ...home.env, TMPDIR: temporaryDirectory },
    files: [...policy.files, ...home.files],
    temporaryDirectory,
  }
}

/** Gemini always stores a session. To delete it, gemini must run in the same directory. */
export function toGeminiCleanUp(sessionId: string, request: AgentRequest): AgentCommand {
  return {
    argv: [...request.program, ...flag('--delete-session', sessionId)],
    env: toAgentEnvironment(request, request.ignoresProject ? UNTRUSTED : VARIABLES),
    stdin: '',
    files: [],
    warnings: [],
  }
}

/**
 * Gemini runs `/word` at the start as its own command, and replaces `@path` by files, in mail addresses too. A line
 * break before the slash and a backslash before the at sign prevent that; both reach the model.
 */
function escapePrompt(prompt: string): string {
  const escaped = prompt.replace(/(?<!\\)@(?=\S)/g, '\\@')
  if (escaped !== prompt) return `(In this message \\@ stands for a plain at sign.)\n\n${escaped}`
  return prompt.startsWith('/') ? `\n${prompt}` : prompt
}

function toHome(request: AgentRequest): Pick<AgentCommand, 'env' | 'files' | 'links'> {
  const isPrivate = request.ignoresProject || toolServersOf(request).length > 0
  if (isPrivate && !request.isDryRun) return toPrivateHome(request)
  return { env: toAgentEnvironment(request, request.ignoresProject ? UNTRUSTED : VARIABLES), files: [] }
}

function toPolicy(permission: Permission, { request, canAsk }: { request: AgentRequest; canAsk: boolean }) {
  const names = toolServersOf(request).map(({ name }) => name)
  const trusted = names.filter((name) => isTrusted(name, request))
  const content = policyFor(permission, { ...request, trusted, canAsk })
  if (content === '') return { flags: [], files: [] }
  const path = join(request.isDryRun ? '<scratch>' : request.scratchDirectory, 'gemini-policy.toml')
  return { flags: ['--admin-policy', path], files: request.isDryRun ? [] : [{ path, content }] }
}
