import { join } from 'node:path'
import type { AgentRequest, LineAgent } from '../adapter/agent.ts'
import { type BoundaryNeeds, hostsIn } from '../adapter/boundary-needs.ts'
import { takes } from '../adapter/flags.ts'
import { createOutputReader } from '../adapter/output-reader.ts'
import { toGeminiCleanUp, toGeminiCommand } from './command.ts'
import { GeminiOutput } from './output.ts'
import { geminiHome, hasLogin, readSurroundings } from './private-home.ts'
import { deleteStoredSession } from './stored-session.ts'

const HOSTS = [
  ...['generativelanguage.googleapis.com', 'cloudcode-pa.googleapis.com', 'aiplatform.googleapis.com'],
  ...['oauth2.googleapis.com', 'www.googleapis.com'],
]

export const gemini: LineAgent = {
  backend: 'gemini',
  executable: 'gemini',
  login: 'run `gemini` in a terminal and choose how to log in (/auth), or set GEMINI_API_KEY',
  loginAfter: (message, { GEMINI_API_KEY: key }) => {
    if (!key) return undefined
    const isUnchosen = /invalid auth method/i.test(message)
    const setting =
      'set security.auth.selectedType to gemini-api-key in ~/.gemini/settings.json, so that it uses your key'
    return isUnchosen ? setting : 'run `gemini` in a terminal and choose how to log in (/auth), or check GEMINI_API_KEY'
  },
  hasLogin,
  // It does not print its thoughts.
  silenceMs: 300_000,
  abilities: {
    deltas: true,
    resume: true,
    system_prompt: 'before the prompt',
    max_turns: false,
    output_schema: false,
    images: true,
    documents: true,
    os_sandbox: false,
    usage: { cached: true, reasoning: true },
  },
  countsApart: { cache: false, reasoning: true },
  reports: { tokens: true, cost: false, exitCodes: false },
  cancelSignal: 'SIGTERM',
  toCommand: toGeminiCommand,
  boundaryNeeds: geminiNeeds,
  readSurroundings,
  createReader: () => createOutputReader(new GeminiOutput()),
  deleteSession: deleteStoredSession,
  toCleanUpCommand: toGeminiCleanUp,
  extraFlags: {
    ...takes('value', '--model', '-m', '--extensions', '-e'),
    ...takes('switch', '--debug', '-d'),
  },
  modeFlags: {
    ...takes('switch', '--yolo', '-y'),
    ...takes('value', '--approval-mode'),
    ...takes('values', '--allowed-tools', '--include-directories'),
  },
}

function geminiNeeds({ env }: Pick<AgentRequest, 'env'>): BoundaryNeeds {
  const own = join(geminiHome(env), '.gemini')
  const inOwn = (names: readonly string[]) => names.map((name) => join(own, name))
  return {
    directories: [own],
    read: inOwn(['settings.json', 'GEMINI.md', '.env', 'commands', 'extensions', 'policies', 'skills', 'agents']),
    copied: inOwn(['installation_id', 'google_accounts.json', 'projects.json', 'state.json', 'trustedFolders.json']),
    logins: inOwn(['oauth_creds.json', 'gemini-credentials.json', 'mcp-oauth-tokens.json']),
    kept: inOwn(['tmp', 'history']),
    hosts: [...HOSTS, ...hostsIn(env, ['GOOGLE_GEMINI_BASE_URL', 'GOOGLE_VERTEX_BASE_URL', 'CODE_ASSIST_ENDPOINT'])],
    env: ['GEMINI_*', 'GOOGLE_*'],
  }
}
