/** The settings of the user that claude gets under a ceiling. */
import { join } from 'node:path'
import type { AgentRequest } from '../adapter/agent.ts'
import { hasTraces } from '../adapter/agent-login.ts'
import { type JsonRecord, objectAt, textsAt } from '../adapter/json-fields.ts'
import { NO_SURROUNDINGS, readSettings, type Surroundings, userHome } from '../adapter/surroundings.ts'

/** What claude needs to log in and to choose a model. */
const KEPT = [
  ...[
    'apiKeyHelper',
    'awsAuthRefresh',
    'awsCredentialExport',
    'gcpAuthRefresh',
    'forceLoginMethod',
    'forceLoginOrgUUID',
  ],
  ...['env', 'model', 'modelOverrides', 'availableModels'],
]

/**
 * A list of what is kept, so that a setting of a later version cannot widen a ceiling. Of the permissions, those that deny, and
 * rules that deny to read the closed files. Pure.
 */
export function limitSettings(user: JsonRecord, closedFiles: readonly string[]): JsonRecord {
  const permissions = objectAt(user, 'permissions')
  const rules = [
    ['deny', [...textsAt(permissions, 'deny'), ...closedFiles.flatMap(denyReading)]],
    ['ask', textsAt(permissions, 'ask')],
  ] as const
  return {
    ...Object.fromEntries(KEPT.filter((name) => user[name] !== undefined).map((name) => [name, user[name]])),
    permissions: Object.fromEntries(rules.filter(([, list]) => list.length > 0)),
  }
}

/** Claude writes an absolute path with two slashes. The rules count for all of its tools that read, and for commands such as `cat`. */
export function denyReading(path: string): string[] {
  return [`Read(/${path})`, `Read(/${path}/**)`]
}

export function readUserSettings({ env }: Pick<AgentRequest, 'env'>): Surroundings {
  return { ...NO_SURROUNDINGS, userSettings: readSettings(join(claudeHome(env), 'settings.json')) }
}

export function claudeHome(env: AgentRequest['env']): string {
  return env['CLAUDE_CONFIG_DIR'] || join(userHome(env), '.claude')
}

const LOGIN_VARIABLES = [
  ...['ANTHROPIC_API_KEY', 'ANTHROPIC_AUTH_TOKEN', 'CLAUDE_CODE_OAUTH_TOKEN'],
  ...['CLAUDE_CODE_USE_BEDROCK', 'CLAUDE_CODE_USE_VERTEX', 'CLAUDE_CODE_USE_FOUNDRY'],
]

/** On macOS the login is in the keychain. `.claude.json` and the settings may have a key, or the command that prints one. */
export function hasLogin(env: AgentRequest['env'], platform: NodeJS.Platform = process.platform): boolean {
  if (platform === 'darwin') return true
  const home = claudeHome(env)
  const user = env['CLAUDE_CONFIG_DIR'] ? home : userHome(env)
  const files = [join(home, '.credentials.json'), join(home, 'settings.json'), join(user, '.claude.json')]
  return hasTraces(env, { files, variables: LOGIN_VARIABLES })
}
