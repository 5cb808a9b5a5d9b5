import { join } from 'node:path'
import type { AgentRequest } from '../adapter/agent.ts'
import { type BoundaryNeeds, hostsIn } from '../adapter/boundary-needs.ts'
import { geminiHome } from './private-home.ts'

const HOSTS = [
  ...['generativelanguage.googleapis.com', 'cloudcode-pa.googleapis.com', 'aiplatform.googleapis.com'],
  ...['oauth2.googleapis.com', 'www.googleapis.com'],
]

export function geminiNeeds({ env }: Pick<AgentRequest, 'env'>): BoundaryNeeds {
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
