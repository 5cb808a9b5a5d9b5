import { nearestWord } from '../kit/match-names.ts'
import type { Environment } from '../kit/process/child-environment.ts'
import { DEPTH_VARIABLE, OWNER_VARIABLE, RUN_VARIABLE, TREE_VARIABLE } from '../kit/process/environment-variables.ts'
import type { ConfigProblem } from './faults.ts'
import type { Layer } from './layers.ts'
import type { Origin } from './origin.ts'
import { parseText } from './pick-settings.ts'
import { CONFIG_KEYS, type ConfigKey, type ConfigPath, keysOfBackend } from './setting-keys.ts'

/** Variables that drover reads but that set no key. */
export const OTHER_VARIABLES: readonly { name: string; meaning: string }[] = [
  { name: 'DROVER_HOME', meaning: 'The per-user directory, as an absolute path, in place of `~/.drover`.' },
  {
    name: 'DROVER_CONFIG',
    meaning: 'The config file, in place of `config.yaml` in that directory. `--config` takes precedence.',
  },
  {
    name: 'DROVER_API_KEYS',
    meaning:
      'API keys of the server, separated by commas. Agents neither get it nor find it in the environment of the server. If it is set but empty, the server does not start.',
  },
  {
    name: 'DROVER_API_KEYS_FILE',
    meaning:
      'A file with API keys, separated by commas or line ends. It is reloaded when it changes. If the variable is set but empty, the server does not start.',
  },
  { name: 'DROVER_DEBUG', meaning: 'Any non-empty value shows errors with all their details.' },
]

/** Drover sets them for the agents that it starts. */
const SET_FOR_AGENTS: readonly string[] = [
  ...[TREE_VARIABLE, OWNER_VARIABLE, DEPTH_VARIABLE, RUN_VARIABLE],
  ...['DROVER_WORKTREE', 'DROVER_BRANCH', 'DROVER_PORT'],
]

/**
 * The values that variables set, problems with their values, and warnings about unknown variables. `defined` are the
 * backends that the file defines.
 */
export function readEnvironment(
  env: Environment,
  defined: Iterable<string> = [],
): { layer: Layer; problems: ConfigProblem[]; warnings: string[] } {
  const keys = [...CONFIG_KEYS, ...[...defined].flatMap(keysOfBackend)]
  const values = new Map<ConfigPath, unknown>()
  const origins = new Map<string, Origin>()
  const problems: ConfigProblem[] = []
  for (const key of keys) {
    const [variable, ...others] = key.variables.filter((name) => isSet(env, name))
    if (variable === undefined) continue
    const origin: Origin = { from: 'environment', variable }
    const parsed = parseVariables({ key, variable, others }, env)
    if ('rule' in parsed) problems.push({ key: key.path, rule: parsed.rule, origin })
    else values.set(key.path, parsed.value)
    origins.set(key.path, origin)
  }
  return { layer: { values, origins }, problems, warnings: unknownVariables(env, keys) }
}

/** An empty variable counts as not set: a shell or a compose file cannot always omit it. */
function isSet(env: Environment, name: string): boolean {
  return env[name] !== undefined && env[name] !== ''
}

function parseVariables(found: { key: ConfigKey; variable: string; others: string[] }, env: Environment) {
  const { key, variable, others } = found
  const text = env[variable] ?? ''
  const conflicting = others.find((other) => env[other] !== text)
  if (conflicting !== undefined) return { rule: `has a different value in ${conflicting}; unset one of the two` }
  return parseText(key, text)
}

/** Only a warning: other programs may use such names too. */
function unknownVariables(env: Environment, keys: readonly ConfigKey[]): string[] {
  const known = [...keys.flatMap((key) => key.variables), ...OTHER_VARIABLES.map(({ name }) => name)]
  const unknown = Object.keys(env).filter((name) => name.startsWith('DROVER_') && !known.includes(name))
  return unknown
    .filter((name) => !SET_FOR_AGENTS.includes(name))
    .map((name) => {
      const nearest = nearestWord(name, known)
      return `the variable ${name} is unknown and has no effect${nearest === undefined ? '' : `; did you mean ${nearest}?`}`
    })
}
