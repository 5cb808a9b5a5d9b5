/** Rules of the configuration that JSON Schema cannot express. */
import { isIP } from 'node:net'
import { isAbsolute } from 'node:path'
import { REFERENCE } from '../kit/files/secret-reference.ts'
import { isLabel, parseLabelRule } from '../kit/label.ts'
import { nearestWord } from '../kit/match-names.ts'
import { isSecretName } from '../kit/redact.ts'
import { problemOfRepositoryPath } from '../kit/repository-path.ts'
import type { Problem } from '../kit/schema.ts'
import { isAddress } from '../kit/store-address.ts'
import type { Config } from './config.shape.ts'
import { type ConfigPath, definedBackend } from './setting-keys.ts'

/** A rule for one text, alone or in a list: returns what the text must be, or undefined if it is valid. */
type TextRule = (text: string) => string | undefined

const isHost: TextRule = (text) => {
  const isName = /^(?![.-])[A-Za-z0-9.-]{1,253}$/.test(text) && !/^[0-9.]*$/.test(text)
  return isIP(text) > 0 || isName ? undefined : 'must be an IP address or a host name'
}

const isAddressRange: TextRule = (text) => {
  const [address = '', bits, ...rest] = text.split('/')
  const widest = { 0: -1, 4: 32, 6: 128 }[isIP(address)] ?? -1
  const isRange = bits === undefined || (/^\d{1,3}$/.test(bits) && Number(bits) <= widest)
  return widest > 0 && isRange && rest.length === 0 ? undefined : 'must be an IP address or a CIDR range'
}

const isAbsolutePath: TextRule = (text) => (isAbsolute(text) ? undefined : 'must be an absolute path')

/** A relative path would be a different program in every directory. */
const isProgram: TextRule = (text) =>
  isAbsolute(text) || !/[/\\]/.test(text) ? undefined : 'must be the name of a program or an absolute path'

const isStoreUrl: TextRule = (text) =>
  text === 'sqlite:' || (/^postgres(?:ql)?:\/\//.test(text) && isAddress(text))
    ? undefined
    : 'must be sqlite: or an address such as postgres://USER:PASSWORD@HOST:PORT/DATABASE'

const isHttpUrl: TextRule = (text) =>
  /^https?:\/\//.test(text) && URL.canParse(text) ? undefined : 'must be an address such as http://127.0.0.1:4318'

const isRepositoryPath: TextRule = (text) =>
  problemOfRepositoryPath(text) === undefined ? undefined : 'must be a path in the repository, such as .env.test'

const isHomePath: TextRule = (text) =>
  problemOfRepositoryPath(text) === undefined ? undefined : 'must be a path in the home directory, such as .npm'

/** What it is in detail, the sandbox reads when it starts. */
const isHostRule: TextRule = (text) =>
  /^(?:\*\.)?[A-Za-z0-9._:[\]-]+(?:\/\d{1,3})?(?::\d{1,5})?$/.test(text)
    ? undefined
    : 'must be a host, an address or a range, with an optional port, or one of npm, pypi, crates, go and debian'

const isVariablePattern: TextRule = (text) =>
  /^[A-Za-z_][A-Za-z0-9_]*\*?$/.test(text) ? undefined : 'must be the name of a variable, and may end with *'

const isSchemaName: TextRule = (text) =>
  /^[a-z_][a-z0-9_]{0,62}$/.test(text)
    ? undefined
    : 'must have only small letters, digits and _, and begin with no digit'

const isLabelRule: TextRule = (text) => {
  const { directory, label } = parseLabelRule(text)
  return isAbsolute(directory) && isLabel(label)
    ? undefined
    : 'must be an absolute path, = and a label, such as /srv/ml=gpu'
}

const TEXT_RULES: Partial<Record<ConfigPath, TextRule>> = {
  'backends.claude.command': isProgram,
  'backends.codex.command': isProgram,
  'backends.gemini.command': isProgram,
  'server.host': isHost,
  'store.url': isStoreUrl,
  'store.schema': isSchemaName,
  'work.repositories': isAbsolutePath,
  'work.required_labels': isLabelRule,
  'telemetry.otlp_endpoint': (text) => (text === '' ? undefined : isHttpUrl(text)),
  'server.trusted_proxies': isAddressRange,
  'server.fetch_private_hosts': isAddressRange,
  'drive.repositories': isAbsolutePath,
  'drive.copy': isRepositoryPath,
  'sandbox.hosts': isHostRule,
  'sandbox.check_hosts': isHostRule,
  'sandbox.caches': isHomePath,
  'sandbox.env': isVariablePattern,
  'sandbox.read': isAbsolutePath,
  'sandbox.write': isAbsolutePath,
  'drive.share': isRepositoryPath,
  'server.webhook_secret_file': (text) => (text === '' ? undefined : isAbsolutePath(text)),
  'server.allowed_workdir_prefixes': isAbsolutePath,
  'server.blocked_workdir_prefixes': isAbsolutePath,
}

/** The rules that single values break, although their type is right. */
export function brokenTextRules(values: Iterable<readonly [ConfigPath, unknown]>): Problem[] {
  return [...values].flatMap(([path, value]) => {
    const texts = Array.isArray(value)
      ? value.map((text, index) => ({ place: `${path}[${index}]`, text }))
      : [{ place: path, text: value }]
    return texts.flatMap(({ place, text }) => {
      const rule = typeof text === 'string' ? TEXT_RULES[path]?.(text) : undefined
      return rule === undefined ? [] : [{ path: place, rule }]
    })
  })
}

/** Words that mean something else where the name of a backend may be, and one that every object has. */
const RESERVED_NAMES = ['acp', 'all', 'constructor', 'default', 'demo', 'drover', 'none', 'unknown']
const NATIVE_NAMES = ['claude', 'codex', 'gemini']

/** What is wrong with a name for a new backend, to follow it in a sentence; undefined if it can be used. */
export function problemOfBackendName(name: string): string | undefined {
  if (NATIVE_NAMES.includes(name)) return 'is the name of a native backend; choose another name'
  if (RESERVED_NAMES.includes(name)) return 'is a reserved word; choose another name'
  if (definedBackend(`backends.${name}.command`) === name) return undefined
  return 'must be a lowercase word of at most 32 letters, digits and hyphens'
}

/** The rules that definitions of backends break. */
export function brokenBackendRules(values: ReadonlyMap<ConfigPath, unknown>): Problem[] {
  const names = new Set([...values.keys()].flatMap((path) => definedBackend(path) ?? []))
  return [...names].flatMap((name) => {
    const section: `backends.${string}` = `backends.${name}`
    const nameProblem = problemOfBackendName(name)
    const [program] = [values.get(`${section}.command`)].flat()
    const programProblem = typeof program === 'string' ? isProgram(program) : undefined
    return [
      ...(nameProblem === undefined ? [] : [{ path: section, rule: nameProblem }]),
      ...(values.has(`${section}.protocol`) ? [] : [{ path: `${section}.protocol`, rule: missingProtocol(name) }]),
      ...(programProblem === undefined ? [] : [{ path: `${section}.command[0]`, rule: programProblem }]),
      ...brokenVariables(`${section}.env`, values.get(`${section}.env`)),
    ]
  })
}

function missingProtocol(name: string): string {
  const nearest = nearestWord(name, NATIVE_NAMES)
  const meant = nearest === undefined ? '' : `; did you mean backends.${nearest}?`
  return `is required to define a backend, and must be acp${meant}`
}

function brokenVariables(path: string, variables: unknown): Problem[] {
  const names = typeof variables === 'object' && variables !== null ? Object.keys(variables) : []
  return names.flatMap((name) => {
    if (!/^[A-Za-z_][A-Za-z0-9_]*$/.test(name))
      return [{ path: `${path}.${name}`, rule: 'is not the name of a variable' }]
    return /^DROVER_/i.test(name)
      ? [{ path: `${path}.${name}`, rule: 'is a variable of drover, which no agent gets' }]
      : []
  })
}

type ConfigRule = (config: Config) => readonly Problem[]

const limitHasRate: ConfigRule = ({ server }) =>
  server.rate_limit_enabled && server.rate_limit_rps === 0
    ? [{ path: 'server.rate_limit_rps', rule: 'must be at least 1 when server.rate_limit_enabled is true' }]
    : []

/** Browsers refuse a response with credentials whose allowed origin is `*` (Fetch standard). */
const credentialsHaveNamedOrigins: ConfigRule = ({ server }) =>
  server.cors_allow_credentials && server.cors_allowed_origins.includes('*')
    ? [
        {
          path: 'server.cors_allowed_origins',
          rule: 'must not contain * when server.cors_allow_credentials is true; list the origins',
        },
      ]
    : []

const keysAreDistinct: ConfigRule = ({ server }) =>
  (['name', 'id', 'sha256'] as const).flatMap((field) => {
    const all = server.keys.map((key) => key[field])
    const repeated = all.flatMap((value, index) => (value !== undefined && all.indexOf(value) < index ? [index] : []))
    return repeated.map((index) => ({
      path: `server.keys[${index}].${field}`,
      rule: 'is already used by another key',
    }))
  })

/** The digest of the empty string, which is what an unset shell variable gives. */
const EMPTY_DIGEST = 'sha256:e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855'

const keysAreNotEmpty: ConfigRule = ({ server }) =>
  server.keys.flatMap((key, index) =>
    key.sha256 === EMPTY_DIGEST
      ? [{ path: `server.keys[${index}].sha256`, rule: 'is the digest of an empty key' }]
      : [],
  )

const defaultBackendExists: ConfigRule = ({ default_backend: name, backends }) =>
  Object.hasOwn(backends, name) ? [] : [{ path: 'default_backend', rule: unknownBackend(name, backends) }]

const ruleBackendsExist: ConfigRule = ({ server, backends }) =>
  server.model_rules.flatMap((rule, index) => {
    const name = rule.slice(rule.indexOf('=') + 1)
    if (Object.hasOwn(backends, name)) return []
    return [{ path: `server.model_rules[${index}]`, rule: unknownBackend(name, backends) }]
  })

const keyBackendsExist: ConfigRule = ({ server, backends }) =>
  server.keys.flatMap(({ backends: names = [] }, index) =>
    names.flatMap((name, at) => {
      if (Object.hasOwn(backends, name)) return []
      return [{ path: `server.keys[${index}].backends[${at}]`, rule: unknownBackend(name, backends) }]
    }),
  )

function unknownBackend(name: string, backends: Config['backends']): string {
  const names = Object.keys(backends)
  const nearest = nearestWord(name, names)
  return `names the backend "${name}", which does not exist; ${nearest === undefined ? `use ${names.join(', ')}` : `did you mean ${nearest}?`}`
}

const watchersAreWhole: ConfigRule = ({ drive }) =>
  drive.watch.flatMap(({ repository, label, schedule, goal_file: file }, index) => {
    const path = `drive.watch[${index}]`
    if (!isAbsolute(repository)) return [{ path: `${path}.repository`, rule: 'must be an absolute path' }]
    if ((schedule === undefined) !== (file === undefined))
      return [{ path, rule: 'must have both schedule and goal_file, or neither' }]
    return schedule !== undefined && label !== undefined
      ? [{ path, rule: 'must have either a label or a schedule; use two entries' }]
      : []
  })

const ADDRESSED: readonly string[] = ['webhook', 'slack', 'ntfy']
type Target = Config['notify']['targets'][number]

const targetsAreWhole: ConfigRule = ({ notify: { targets } }) =>
  targets.flatMap((target, index) => {
    const isTaken = targets.findIndex(({ name }) => name === target.name) < index
    const rule = isTaken ? 'must have a name that no other target has' : (badFile(target) ?? missingPart(target))
    return rule === undefined ? [] : [{ path: `notify.targets[${index}]`, rule }]
  })

function badFile({ url, url_file, secret_file }: Target): string | undefined {
  const files = [url_file, secret_file].filter((file) => file !== undefined)
  if (!files.every((file) => isAbsolute(file))) return 'must name files by absolute paths'
  return url === undefined || isHttpUrl(url) === undefined ? undefined : 'must have a url with http or https'
}

/** Each type has its parts, and no others. */
function missingPart({ type, url, url_file, secret_file, command = [] }: Target): string | undefined {
  const addresses = [url, url_file].filter((address) => address !== undefined).length
  if (addresses !== (ADDRESSED.includes(type) ? 1 : 0))
    return ADDRESSED.includes(type) ? 'must have either url or url_file' : 'must have neither url nor url_file'
  if ((type === 'webhook') !== (secret_file !== undefined))
    return `must have ${type === 'webhook' ? 'a' : 'no'} secret_file`
  if ((type === 'command') === command.length > 0) return undefined
  return `must have ${type === 'command' ? 'a' : 'no'} command`
}

/** That with the functions of a client, and what says on the command line that there is none. */
const TAKEN_SERVERS = ['client', 'none']

const serversAreWhole: ConfigRule = ({ mcp_servers: servers }) =>
  servers.flatMap((server, index) => {
    const path = `mcp_servers[${index}]`
    const isTaken = TAKEN_SERVERS.includes(server.name) || servers.findIndex(({ name }) => name === server.name) < index
    const rule = isTaken ? 'must have a name that is not taken' : (badServer(server) ?? bareSecret(server))
    return rule === undefined ? [] : [{ path, rule }]
  })

type McpServer = Config['mcp_servers'][number]

function badServer({ command, args, env, url, headers }: McpServer): string | undefined {
  if ((command === undefined) === (url === undefined)) return 'must have either command or url'
  if (command !== undefined) return headers === undefined ? isProgram(command) : 'must have headers only with a url'
  if (args !== undefined || env !== undefined) return 'must have args and env only with a command'
  const problem = isHttpUrl(url ?? '')
  if (problem !== undefined) return 'must have a url with http or https'
  const { username, password } = new URL(url ?? '')
  return username + password === '' ? undefined : 'must have no password in its url; use headers'
}

/** A config file is shown, copied and stored in git. */
function bareSecret({ env = {}, headers = {} }: McpServer): string | undefined {
  const bare = Object.entries({ ...env, ...headers }).find(
    ([name, value]) => isSecretName(name) && !REFERENCE.test(value),
  )
  return bare && `must refer to the secret ${bare[0]}: \${NAME} for a variable, \${file:/path} for a file`
}

const budgetsHaveOnePlace: ConfigRule = ({ budgets }) =>
  budgets.flatMap(({ key, repository, label }, index) => {
    const path = `budgets[${index}]`
    if ([key, repository, label].filter((each) => each !== undefined).length > 1)
      return [{ path, rule: 'must have at most one of key, repository and label; use two entries' }]
    return repository !== undefined && !isAbsolute(repository)
      ? [{ path: `${path}.repository`, rule: 'must be an absolute path' }]
      : []
  })

const CONFIG_RULES: readonly ConfigRule[] = [
  budgetsHaveOnePlace,
  defaultBackendExists,
  ruleBackendsExist,
  limitHasRate,
  credentialsHaveNamedOrigins,
  keysAreDistinct,
  keysAreNotEmpty,
  keyBackendsExist,
  watchersAreWhole,
  targetsAreWhole,
  serversAreWhole,
]

/** The rules that values break only in combination. */
export function brokenConfigRules(config: Config): Problem[] {
  return CONFIG_RULES.flatMap((rule) => rule(config))
}
