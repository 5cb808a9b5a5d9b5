import { join } from 'node:path'
import type { AgentRequest } from '../adapter/agent.ts'
import { type BoundaryNeeds, hostsIn } from '../adapter/boundary-needs.ts'
import { userHome } from '../adapter/surroundings.ts'
import { toProjectName } from './session-file.ts'
import { claudeHome } from './user-settings.ts'

const SETTINGS = [
  ...['settings.json', 'settings.local.json', 'CLAUDE.md', 'rules', 'agents', 'commands', 'skills', 'plugins'],
  ...['output-styles', 'hooks'],
]

const LONGEST_NAME = 200

export function claudeNeeds({ env, workdir }: Pick<AgentRequest, 'env' | 'workdir'>): BoundaryNeeds {
  const own = claudeHome(env)
  return {
    directories: [own],
    read: SETTINGS.map((name) => join(own, name)),
    copied: [join(env['CLAUDE_CONFIG_DIR'] ? own : userHome(env), '.claude.json')],
    logins: [join(own, '.credentials.json')],
    kept: [projectOf(own, workdir)],
    hosts: [
      ...['api.anthropic.com', 'platform.claude.com', 'console.anthropic.com', 'claude.ai'],
      ...hostsIn(env, ['ANTHROPIC_BASE_URL']),
    ],
    env: ['ANTHROPIC_*', 'CLAUDE_*', 'API_TIMEOUT_MS', 'BASH_*', 'MAX_*', 'DISABLE_*', 'MCP_*'],
  }
}

/** Not the sessions of other directories. Claude cuts a long name and adds a digest; then it gets them all. */
function projectOf(own: string, workdir: string): string {
  const name = toProjectName(workdir)
  return name.length > LONGEST_NAME ? join(own, 'projects') : join(own, 'projects', name)
}
