/** The settings of the user that claude gets under a ceiling. */
import { join } from 'node:path'
import type { AgentRequest } from '../adapter/agent.ts'
import { type JsonObject, objectAt, textsAt } from '../adapter/json-fields.ts'
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

/** A list of what is kept, so that a setting of a later version cannot widen a ceiling. Of the permissions, those that deny. Pure. */
export function limitSettings(user: JsonObject): JsonObject {
  const permissions = objectAt(user, 'permissions')
  const rules = ['deny', 'ask'].map((name) => [name, textsAt(permissions, name)] as const)
  return {
    ...Object.fromEntries(KEPT.filter((name) => user[name] !== undefined).map((name) => [name, user[name]])),
    permissions: Object.fromEntries(rules.filter(([, list]) => list.length > 0)),
  }
}

export function readUserSettings({ env }: Pick<AgentRequest, 'env'>): Surroundings {
  return { ...NO_SURROUNDINGS, userSettings: readSettings(join(claudeHome(env), 'settings.json')) }
}

export function claudeHome(env: AgentRequest['env']): string {
  return env['CLAUDE_CONFIG_DIR'] || join(userHome(env), '.claude')
}
