import { join } from 'node:path'
import type { AgentRequest } from '../adapter/agent.ts'
import { type BoundaryNeeds, hostsIn } from '../adapter/boundary-needs.ts'
import { codexHome } from './surroundings.ts'

export function codexNeeds({ env }: Pick<AgentRequest, 'env'>): BoundaryNeeds {
  const own = codexHome(env)
  const inOwn = (names: readonly string[]) => names.map((name) => join(own, name))
  return {
    directories: [own],
    read: inOwn(['config.toml', 'AGENTS.md', 'AGENTS.override.md', 'rules', 'skills', 'prompts', 'plugins']),
    copied: inOwn(['.credentials.json', 'models_cache.json', 'version.json', 'installation_id']),
    logins: inOwn(['auth.json']),
    kept: inOwn(['sessions']),
    hosts: ['api.openai.com', 'chatgpt.com', 'auth.openai.com', ...hostsIn(env, ['OPENAI_BASE_URL'])],
    env: ['OPENAI_*', 'CODEX_*'],
  }
}
