import { relative } from 'node:path'
import { isFault } from '../kit/fault.ts'
import { fileMissing } from '../kit/faults.ts'
import { readFileText } from '../kit/files/read-file.ts'
import { nearestWord } from '../kit/match-names.ts'
import { type Environment, keepFromChildren } from '../kit/process/child-environment.ts'
import { DEPTH_VARIABLE, OWNER_VARIABLE, RUN_VARIABLE, TREE_VARIABLE } from '../kit/process/environment-variables.ts'
import type { Config } from './config.shape.ts'
import { type ConfigProblem, configFileMissing, configInvalid } from './faults.ts'
import { checkLayer, definedIn, type Layer, mergeLayers, type Origins } from './layers.ts'
import { byLine, type Origin } from './origin.ts'
import type { ParsedConfig } from './parse-config.ts'
import { type ConfigEnvironment, findPaths } from './paths.ts'
import { parseText, type SettingsTree } from './pick-settings.ts'
import { CONFIG_KEYS, type ConfigKey, type ConfigPath, keysOfBackend } from './setting-keys.ts'

/** A key that a flag sets for this call; the value is undefined if the flag was not given. */
export type Override = {
  key: ConfigPath
  flag: string
  value: string | number | boolean | readonly string[] | undefined
}

export type LoadedConfig = {
  /** Complete and deeply frozen. */
  config: Config
  origins: Origins
  file: { path: string; exists: boolean }
  /** Sentences for people about settings that are valid but probably a mistake. */
  warnings: readonly string[]
}

export const CONFIG_FILE_BYTES = 1_048_576

type ConfigSources = ConfigEnvironment & {
  overrides?: readonly Override[]
  /** The settings of a program that uses the library, in the form of the file. They count more than variables. */
  settings?: Readonly<Record<string, unknown>> | undefined
  /** False: there is no file. */
  readsFile?: boolean
}

/**
 * Reads the configuration: a flag beats an environment variable, a variable beats the file, the file beats the default.
 * Throws `config_invalid` with every problem of all sources, or `config_file_missing` if a named file does not exist.
 */
export async function readConfig(sources: ConfigSources): Promise<LoadedConfig> {
  const paths = findPaths(sources)
  const flags = toLayer(sources.overrides ?? [])
  const program = await toProgramLayer(sources.settings)
  const file = sources.readsFile === false ? undefined : await parseConfigFile(paths.config)
  const defining = [program.layer, ...(file === undefined ? [] : [file.layer])]
  const environment = readEnvironment(sources.env, definedIn(defining))
  if (file === undefined && paths.configNamedBy !== undefined && sources.readsFile !== false) {
    throw configFileMissing({ file: paths.config, namedBy: paths.configNamedBy })
  }
  const layers = [flags, program.layer, environment.layer, ...(file === undefined ? [] : [file.layer])]
  const definitions = sources.settings === undefined ? file?.layer : joinLayers(defining)
  const checked = await Promise.all(layers.map((layer) => checkLayer(layer, definitions)))
  const parsed = [...program.problems, ...environment.problems, ...(file?.problems ?? [])]
  const problems = [...parsed, ...checked.flat()].toSorted(byLine)
  if (problems.length > 0) throw configInvalid({ file: paths.config, problems })
  const { config, origins, problems: broken } = mergeLayers(layers)
  if (broken.length > 0) throw configInvalid({ file: paths.config, problems: broken })
  keepFromChildren(config.store.url)
  return {
    config,
    origins,
    file: { path: paths.config, exists: file !== undefined },
    warnings: [...environment.warnings, ...findWarnings(config)],
  }
}

/** The parsed file, or undefined if it does not exist. Loads the YAML parser only for an existing file. */
async function parseConfigFile(file: string): Promise<ParsedConfig | undefined> {
  const text = readConfigText(file)
  if (text === undefined) return undefined
  const { parseConfig } = await import('./parse-config.ts')
  return parseConfig({ text, file })
}

export function readConfigText(file: string): string | undefined {
  try {
    return readFileText({ path: file, limitBytes: CONFIG_FILE_BYTES, links: 'follow' })
  } catch (error) {
    if (isFault(error, fileMissing)) return undefined
    throw error
  }
}

async function toProgramLayer(settings: ConfigSources['settings']): Promise<{
  layer: Layer
  problems: ConfigProblem[]
}> {
  if (settings === undefined) return { layer: { values: new Map(), origins: new Map() }, problems: [] }
  const { pickSettings } = await import('./pick-settings.ts')
  const { values, problems } = pickSettings(settings as SettingsTree)
  const origin = { from: 'program' } as const
  const layer = { values, origins: new Map([...values.keys()].map((path) => [path, origin])) }
  return { layer, problems: problems.map(({ path, rule }) => ({ key: path, rule, origin })) }
}

/** The first layer that has a value wins. */
function joinLayers(layers: readonly Layer[]): Layer {
  const values = new Map(layers.toReversed().flatMap((layer) => [...layer.values]))
  return { values, origins: new Map() }
}

function toLayer(overrides: readonly Override[]): Layer {
  const given = overrides.filter(({ value }) => value !== undefined)
  return {
    values: new Map(given.map(({ key, value }) => [key, value])),
    origins: new Map(given.map(({ key, flag }) => [key, { from: 'flag', flag }])),
  }
}

type Check = (config: Config) => readonly string[]

const defaultBackendIsEnabled: Check = ({ backends, default_backend }) =>
  backends[default_backend]?.enabled !== false
    ? []
    : [
        `default_backend is ${default_backend}, but backends.${default_backend}.enabled is false; prompts must name another backend`,
      ]

const onlyClaudeTakesTools: Check = ({ backends }) =>
  (['codex', 'gemini'] as const)
    .filter((name) => backends[name].allowed_tools !== '')
    .map((name) => `backends.${name}.allowed_tools has no effect; only Claude Code takes a list of tools`)

const allowedDirectoriesAreNotBlocked: Check = ({ server }) =>
  server.allowed_workdir_prefixes.flatMap((allowed) => {
    const blocked = server.blocked_workdir_prefixes.find((prefix) => isInside(allowed, prefix))
    return blocked === undefined
      ? []
      : [`server.allowed_workdir_prefixes has ${allowed}, but ${blocked} is blocked and takes precedence`]
  })

const requiredChecksAreNamed: Check = ({ drive }) =>
  drive.require_checks && drive.checks.length === 0
    ? [
        'drive.require_checks requires only the checks that "drover init" or "drover trust" saved for a repository, because drive.checks is empty; in all others it requires none, so name checks there',
      ]
    : []

function isInside(path: string, directory: string): boolean {
  return !/^\.\.(?:[/\\]|$)/.test(relative(directory, path))
}

const CHECKS: readonly Check[] = [
  defaultBackendIsEnabled,
  onlyClaudeTakesTools,
  allowedDirectoriesAreNotBlocked,
  requiredChecksAreNamed,
]

/** Finds settings that are valid but probably a mistake. */
export function findWarnings(config: Config): string[] {
  return CHECKS.flatMap((check) => check(config))
}

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
