import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { orUndefined } from '../../kit/fault.ts'
import type { AgentRequest } from '../adapter/agent.ts'
import { hasTraces } from '../adapter/agent-login.ts'
import { hasText } from '../adapter/flags.ts'
import { NO_SURROUNDINGS, namesIn, readInstructions, type Surroundings, userHome } from '../adapter/surroundings.ts'

/** The first one counts. */
const INSTRUCTION_FILES = ['AGENTS.override.md', 'AGENTS.md']

export function readSurroundings({ env, workdir }: Pick<AgentRequest, 'env' | 'workdir'>): Surroundings {
  const texts = INSTRUCTION_FILES.map((name) => readInstructions(workdir, name))
  return { ...NO_SURROUNDINGS, instructions: texts.find(hasText) ?? '', homeEntries: namesIn(codexHome(env)) }
}

export function codexHome(env: AgentRequest['env']): string {
  return env['CODEX_HOME'] || join(userHome(env), '.codex')
}

/** With `config.toml`, codex may use another service, or keep its login in a keyring. */
export function hasLogin(env: AgentRequest['env']): boolean {
  const files = ['auth.json', 'config.toml'].map((name) => join(codexHome(env), name))
  return hasTraces(env, { files, variables: ['OPENAI_API_KEY', 'CODEX_API_KEY'] })
}

/**
 * The model that codex uses when a prompt names none. Its events do not name it. Undefined if neither the arguments nor
 * codex's config file name it.
 */
export function configuredModel({ extra, env }: Pick<AgentRequest, 'extra' | 'env'>): string | undefined {
  const argument = modelInArguments(extra)
  if (argument !== undefined) return argument === '' ? undefined : argument
  const home = env['CODEX_HOME'] || (env['HOME'] && join(env['HOME'], '.codex'))
  return home ? modelInConfig(readText(join(home, 'config.toml'))) : undefined
}

/** Arguments that can change the model in other ways than by its name. */
const OTHER_WAYS = /^(?:-c|--config|-p|--profile|--oss|--enable|--disable)(?:=|$)/

/** An empty text: the arguments decide, but do not name the model. */
function modelInArguments(extra: readonly string[]): string | undefined {
  const at = extra.findLastIndex((argument) => /^(?:-m|--model)(?:=|$)/.test(argument))
  if (at !== -1) return extra[at]?.split('=')[1] ?? extra[at + 1] ?? ''
  return extra.some((argument) => OTHER_WAYS.test(argument)) ? '' : undefined
}

/** Reads `model` from the top of a TOML file, where lines of tables and of multi-line texts do not count. Pure. */
export function modelInConfig(text: string): string | undefined {
  const top = text.replace(/("""|''')[\s\S]*?\1/g, '""').split(/^\s*\[/m)[0] ?? ''
  // A profile may name another model.
  if (/^\s*profile\s*=/m.test(top)) return undefined
  const [, basic, literal] = /^\s*model\s*=\s*(?:"([^"\\\n]+)"|'([^'\n]+)')\s*(?:#.*)?$/m.exec(top) ?? []
  return basic ?? literal
}

/** The address of the model service that codex's config file chooses, if it names one. */
export function configuredService(env: AgentRequest['env']): string[] {
  return serviceInConfig(readText(join(codexHome(env), 'config.toml')))
}

/** Pure. */
export function serviceInConfig(text: string): string[] {
  const [top = '', ...tables] = text.replace(/("""|''')[\s\S]*?\1/g, '""').split(/^\s*\[/m)
  const provider = /^\s*model_provider\s*=\s*["']([\w-]+)["']/m.exec(top)?.[1]
  // A profile may choose another one.
  if (provider === undefined || /^\s*profile\s*=/m.test(top)) return []
  const table = tables.find((each) => each.startsWith(`model_providers.${provider}]`)) ?? ''
  const address = /^\s*base_url\s*=\s*["']([^"'\n]+)["']/m.exec(table)?.[1]
  return address === undefined ? [] : [address]
}

function readText(path: string): string {
  return orUndefined(() => readFileSync(path, 'utf8')) ?? ''
}
