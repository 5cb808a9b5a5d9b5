/** The agents that can stay up, and what is fixed for the life of their process. */

import { join } from 'node:path'
import { withParents } from '../../kit/git/find-worktree.ts'
import { isRestricted } from '../acp/agent.ts'
import { startAcpAgent } from '../acp/run-acp-agent.ts'
import { type AgentRequest, NATIVE_BACKENDS, type NativeBackend } from '../adapter/agent.ts'
import { isDocument } from '../adapter/attached-file.ts'
import { toWarmClaudeCommand } from '../claude/command.ts'
import { claudeHome } from '../claude/user-settings.ts'
import { startClaude } from '../claude/warm-agent.ts'
import { toSandbox } from '../codex/command.ts'
import { codexHome } from '../codex/surroundings.ts'
import { startCodex } from '../codex/warm-agent.ts'
import { geminiHome } from '../gemini/private-home.ts'
import { geminiParts, startGemini } from '../gemini/warm-agent.ts'
import type { StartAgent } from '../warm/long-lived-agent.ts'

/** A file that the agent reads when it starts. Of a file that the agent itself writes to, only some fields matter. */
export type ConfigFile = { path: string; fields?: readonly string[] }

export type WarmBackend = {
  start: StartAgent
  /** One process is one session; otherwise it takes any number, one after the other. */
  isOneSession: boolean
  /** Each prompt can carry the trace that it is part of. */
  getsTrace?: true
  /** It continues sessions that another process has begun. */
  loadsSessions: boolean
  /** While a process has a session in memory, no other process of the agent can continue it. */
  locksSessions?: true
  /**
   * What cannot be changed while the process runs, besides program, directory and environment. Undefined: the request
   * needs a separate process.
   */
  fixedParts(request: AgentRequest): readonly string[] | undefined
  /** What a session keeps while its process has it in memory. */
  sessionParts(request: AgentRequest): readonly string[]
  configFiles(request: AgentRequest): readonly ConfigFile[]
}

const claude: WarmBackend = {
  start: startClaude,
  isOneSession: true,
  loadsSessions: true,
  // The system prompt and the settings are in files whose names are different for each process.
  fixedParts: (request) => {
    // Claude compares a limit with the costs of all turns of a process.
    if (request.maxCostUsd !== undefined || hasLongEcho(request)) return undefined
    const { argv } = toWarmClaudeCommand({
      ...request,
      ...{ resumeId: undefined, systemPrompt: undefined, scratchDirectory: '' },
    })
    return [...argv.slice(request.program.length), request.systemPrompt ?? '']
  },
  sessionParts: () => [],
  configFiles: ({ env, workdir }) => {
    const home = claudeHome(env)
    const user = env['CLAUDE_CONFIG_DIR'] ? join(home, '.claude.json') : join(env['HOME'] ?? '', '.claude.json')
    return [
      { path: user, fields: ['mcpServers', 'primaryApiKey', 'oauthAccount', 'env'] },
      ...['settings.json', 'settings.local.json', '.credentials.json', 'CLAUDE.md'].map((name) => ({
        path: join(home, name),
      })),
      ...['.claude/settings.json', '.claude/settings.local.json'].map((name) => ({ path: join(workdir, name) })),
      // Claude reads these in every directory above, too.
      ...withParents(workdir).flatMap((directory) =>
        ['.mcp.json', 'CLAUDE.md', 'CLAUDE.local.md', '.claude/CLAUDE.md'].map((name) => ({
          path: join(directory, name),
        })),
      ),
    ]
  },
}

/** A process that stays up repeats each message in a frame, which must not be too long to be read. */
const ECHO_LIMIT = 6 * 1024 * 1024

function hasLongEcho({ attachments = [] }: AgentRequest): boolean {
  return attachments.reduce((sum, { data }) => sum + data.length, 0) > ECHO_LIMIT
}

const codex: WarmBackend = {
  start: startCodex,
  isOneSession: false,
  loadsSessions: true,
  locksSessions: true,
  // The flags of `codex exec` are not those of `codex app-server`. Only the former can leave out the rules of the user.
  fixedParts: ({ extra, isLimited, surroundings, closedFiles, attachments = [] }) =>
    extra.length > 0 || attachments.some(isDocument) || (isLimited && surroundings?.homeEntries.includes('rules'))
      ? undefined
      : closedFiles,
  sessionParts: (request) => [toSandbox(request), request.hasApprover ? 'asks' : '', request.model ?? ''],
  configFiles: ({ env, workdir }) => {
    const home = codexHome(env)
    const own = ['config.toml', 'auth.json', 'AGENTS.md', '.credentials.json'].map((name) => ({
      path: join(home, name),
    }))
    return [...own, { path: join(workdir, 'AGENTS.md') }, { path: join(workdir, '.codex', 'config.toml') }]
  },
}

const gemini: WarmBackend = {
  start: startGemini,
  isOneSession: false,
  getsTrace: true,
  // In the minute in which a session began, `session/load` empties its file; later, the history comes after the response,
  // where nothing tells it from the next answer.
  loadsSessions: false,
  fixedParts: geminiParts,
  sessionParts: () => [],
  configFiles: ({ env, workdir }) => {
    const home = join(geminiHome(env), '.gemini')
    const own = ['settings.json', 'oauth_creds.json', 'GEMINI.md', '.env'].map((name) => ({ path: join(home, name) }))
    const project = ['GEMINI.md', '.gemini/settings.json', '.gemini/.env', '.env'].map((name) => ({
      path: join(workdir, name),
    }))
    return [...own, ...project]
  },
}

/** An agent that speaks ACP. Modes and model are set for every turn. */
const acp: WarmBackend = {
  start: startAcpAgent,
  isOneSession: false,
  getsTrace: true,
  loadsSessions: true,
  fixedParts: (request) =>
    request.extra.length === 0 && !request.attachments?.some(isDocument)
      ? [isRestricted(request) ? 'restricted' : '']
      : undefined,
  sessionParts: () => [],
  configFiles: ({ agent, env, workdir }) => {
    const files = 'profile' in agent ? (agent.profile.configFiles ?? []) : []
    const own = files.map((name) => ({ path: join(env['HOME'] ?? '', name) }))
    return [...own, { path: join(workdir, 'AGENTS.md') }]
  },
}

const NATIVE: Readonly<Record<NativeBackend, WarmBackend>> = { claude, codex, gemini }

/** Undefined: such an agent does not stay up. */
export function findWarmBackend({ agent }: AgentRequest): WarmBackend | undefined {
  if ('profile' in agent) return acp
  const native = NATIVE_BACKENDS.find((name) => name === agent.backend)
  return native === undefined ? undefined : NATIVE[native]
}
