/**
 * A home for gemini in which it has the MCP servers of drover, or in which it uses nothing that stands in the working directory. Gemini does that in a directory that it does
 * not trust, but refuses to work there without a terminal unless its settings turn the question about trust off. So it gets a copy
 * of the user's settings that does; everything else is the user's own.
 */
import { join } from 'node:path'
import type { AgentCommand, AgentRequest } from '../adapter/agent.ts'
import { toAgentEnvironment } from '../adapter/agent-environment.ts'
import { hasTraces } from '../adapter/agent-login.ts'
import { hasText } from '../adapter/flags.ts'
import { type JsonRecord, objectAt, textAt, textsAt } from '../adapter/json-fields.ts'
import {
  NO_SURROUNDINGS,
  namesIn,
  readInstructions,
  readSettings,
  readVariables,
  type Surroundings,
  userHome,
} from '../adapter/surroundings.ts'
import { isTrusted, LONGEST_CALL_SECS, TOOL_SERVER, toolServersOf } from '../adapter/tool-server-place.ts'

/** In the private home. Gemini reads no instructions of a project that it does not trust. */
const INSTRUCTIONS = 'project-instructions.md'
const SETTINGS = 'settings.json'

/** For every process of gemini. */
export const VARIABLES = {
  GEMINI_TELEMETRY_ENABLED: 'false',
  // A relaunched gemini does not receive our signals.
  GEMINI_CLI_NO_RELAUNCH: 'true',
  // The operator's policy for working directories has decided about trust already.
  GEMINI_CLI_TRUST_WORKSPACE: 'true',
}
export const UNTRUSTED = { ...VARIABLES, GEMINI_CLI_TRUST_WORKSPACE: 'false' }

/** Sessions are stored there. */
const DIRECTORIES = ['tmp', 'history']

export function geminiHome(env: AgentRequest['env']): string {
  return env['GEMINI_CLI_HOME'] || userHome(env)
}

export function readSurroundings({ env, workdir }: Pick<AgentRequest, 'env' | 'workdir'>): Surroundings {
  const home = geminiHome(env)
  const own = join(home, '.gemini')
  const userSettings = readSettings(join(own, SETTINGS))
  const texts = instructionFiles(userSettings).map((name) => readInstructions(workdir, name))
  return {
    instructions: withoutImports(texts.filter(hasText).join('\n\n')),
    userSettings,
    // In a directory that it does not trust, gemini reads no file with variables.
    variables: readVariables([join(own, '.env'), join(home, '.env')]),
    homeEntries: namesIn(own),
  }
}

/** Gemini replaces `@path` after a blank by a file, and looks for it in the private home, among the user's settings and logins. */
function withoutImports(text: string): string {
  return text.replace(/(?<!\S)@/g, '\\@')
}

function instructionFiles(settings: JsonRecord): string[] {
  const context = objectAt(settings, 'context')
  const names = [textAt(context, 'fileName') ?? [], textsAt(context, 'fileName')].flat()
  return names.length === 0 ? ['GEMINI.md'] : names
}

/** Pure. */
export function toPrivateHome(request: AgentRequest): Required<Pick<AgentCommand, 'env' | 'files' | 'links'>> {
  const { env, scratchDirectory, surroundings = NO_SURROUNDINGS } = request
  const { instructions, userSettings, variables, homeEntries } = surroundings
  const home = join(scratchDirectory, 'home')
  const [own, real] = [join(home, '.gemini'), join(geminiHome(env), '.gemini')]
  const names = [...new Set([...homeEntries, ...DIRECTORIES])].filter(
    (name) => name !== SETTINGS && name !== INSTRUCTIONS,
  )
  return {
    env: {
      ...(request.ignoresProject && variables),
      ...toAgentEnvironment(request, request.ignoresProject ? UNTRUSTED : VARIABLES),
      GEMINI_CLI_HOME: home,
    },
    files: [
      { path: join(own, SETTINGS), content: JSON.stringify(toSettings(userSettings, request)) },
      ...(request.ignoresProject && hasText(instructions)
        ? [{ path: join(own, INSTRUCTIONS), content: instructions }]
        : []),
    ],
    links: names.map((name) => ({
      path: join(own, name),
      target: join(real, name),
      isDirectory: DIRECTORIES.includes(name),
    })),
  }
}

function toSettings(user: JsonRecord, request: AgentRequest): JsonRecord {
  const settings = request.ignoresProject ? withoutProject(user) : user
  const servers = toolServersOf(request).map(({ name, ...start }) => [
    name,
    { ...start, ...(name === TOOL_SERVER && { timeout: LONGEST_CALL_SECS * 1000 }), trust: isTrusted(name, request) },
  ])
  if (servers.length === 0) return settings
  return { ...settings, mcpServers: { ...objectAt(user, 'mcpServers'), ...Object.fromEntries(servers) } }
}

function withoutProject(user: JsonRecord): JsonRecord {
  return {
    ...user,
    security: { ...objectAt(user, 'security'), folderTrust: { enabled: false } },
    advanced: { ...objectAt(user, 'advanced'), ignoreLocalEnv: true },
    context: { ...objectAt(user, 'context'), fileName: [...instructionFiles(user), INSTRUCTIONS] },
  }
}

const LOGIN_VARIABLES = [
  ...['GEMINI_API_KEY', 'GOOGLE_API_KEY', 'GOOGLE_APPLICATION_CREDENTIALS'],
  ...['GOOGLE_GENAI_USE_VERTEXAI', 'GOOGLE_GENAI_USE_GCA'],
]

/** The settings may choose a service with its own login, and files with variables may hold a key. */
export function hasLogin(env: AgentRequest['env']): boolean {
  const home = geminiHome(env)
  const own = ['oauth_creds.json', 'google_accounts.json', 'gemini-credentials.json', SETTINGS, '.env']
  const files = [...own.map((name) => join(home, '.gemini', name)), join(home, '.env')]
  return hasTraces(env, { files, variables: LOGIN_VARIABLES })
}
