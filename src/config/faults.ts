import { defineFault } from '../kit/fault.ts'
import { formatOrigin, type Origin } from './origin.ts'

/** `key` is empty for a problem that is not about one key, such as invalid YAML. */
export type ConfigProblem = { readonly key: string; readonly rule: string; readonly origin: Origin }

const SHOWN_PROBLEMS = 20

export const configInvalid = defineFault('config_invalid', 'invalid', {
  when: 'The config file, a `DROVER_` variable, or their combination breaks a rule. The details list every problem with its origin.',
  message: (d: { file: string; problems: readonly ConfigProblem[] }) => {
    const lines = d.problems.slice(0, SHOWN_PROBLEMS).map((p) => `${formatOrigin(p.origin)}: ${formatProblem(p)}`)
    const more = d.problems.length - lines.length
    if (more > 0) lines.push(`and ${more} more`)
    return `the configuration is not valid:${lines.length === 1 ? ' ' : '\n'}${lines.join('\n')}`
  },
})

export const configFileMissing = defineFault('config_file_missing', 'usage', {
  when: 'The config file that `--config` or `DROVER_CONFIG` names does not exist.',
  message: (d: { file: string; namedBy: '--config' | 'DROVER_CONFIG' }) =>
    `${d.namedBy} names ${d.file}, which does not exist; correct the path or leave it out`,
})

export const configKeyUnknown = defineFault('config_key_unknown', 'usage', {
  when: 'A command names a configuration key that does not exist.',
  message: (d: { key: string; reason: string }) => `${d.key === '' ? '""' : d.key} ${d.reason}`,
})

export const configValueInvalid = defineFault('config_value_invalid', 'usage', {
  when: 'A new value for a configuration key, or the resulting file, breaks a rule; the file was not changed.',
  message: (d: { key: string; problems: readonly { key: string; rule: string }[] }) =>
    `${d.key} was not changed: ${d.problems.map(formatProblem).join('; ')}`,
})

export const environmentInvalid = defineFault('environment_invalid', 'usage', {
  when: 'A `DROVER_` variable that is not a configuration key, such as `DROVER_HOME`, has an invalid value.',
  message: (d: { variable: string; rule: string }) => `${d.variable} ${d.rule}`,
})

export const apiKeysUnavailable = defineFault('api_keys_unavailable', 'unavailable', {
  when: 'A configured source of API keys cannot be read or is empty, so the server does not start.',
  message: (d: { source: string; reason: string }) =>
    `the server does not start, because ${d.source} provides no API key: ${d.reason}; fix that, or remove the source from the configuration`,
})

export const apiKeysReadable = defineFault('api_keys_readable', 'unavailable', {
  when: "Agents could read `DROVER_API_KEYS` in the server's environment, because drover can hide the variable only on Linux.",
  message: (_: Record<string, never>) =>
    'the server does not start, because its agents could read DROVER_API_KEYS in its environment, and drover cannot hide it on this system; unset the variable and create keys with "drover keys create NAME", which stores only their digests',
})

export const apiKeyUnusable = defineFault('api_key_unusable', 'invalid', {
  when: 'An API key contains a space or a non-ASCII character, which a request header cannot contain; or it is a digest, which is no secret.',
  message: (d: { source: string; number: number; isDigest: boolean }) =>
    d.isDigest
      ? `key ${d.number} in ${d.source} is a digest, which is no secret and would itself be the key; put the key there, or list its digest in server.keys of the config file`
      : `key ${d.number} in ${d.source} contains a space or a character outside ASCII; replace the key`,
})

export const apiKeyExists = defineFault('api_key_exists', 'conflict', {
  when: 'The name for a new key is already in `server.keys`; the file was not changed.',
  message: (d: { name: string; file: string }) =>
    `${d.file} already has a key with the name ${d.name}; choose another name, edit its entry there, or run "drover keys rotate ${d.name}" for a new secret`,
})

export const apiKeyExpired = defineFault('api_key_expired', 'invalid', {
  when: 'A new key was to expire before now; the file was not changed.',
  message: (d: { name: string; expires: string }) =>
    `the key ${d.name} would have expired already, at ${d.expires}; choose a later time`,
})

export const apiKeyNotFound = defineFault('api_key_not_found', 'not_found', {
  when: 'The key to revoke is not in `server.keys`; the file was not changed.',
  message: (d: { name: string; file: string; nearest: string | undefined }) =>
    `${d.file} has no key with the name ${JSON.stringify(d.name)}; ${
      d.nearest === undefined ? 'run "drover keys list" to see the names' : `did you mean ${d.nearest}?`
    }`,
})

export const gopassFailed = defineFault('gopass_failed', 'unavailable', {
  when: 'The program gopass failed to return API keys, or did not respond in time.',
  message: (d: { path: string; reason: string }) =>
    `"gopass show ${d.path}" failed: ${d.reason}; run it in a terminal to see why`,
})

function formatProblem({ key, rule }: { key: string; rule: string }): string {
  return key === '' ? rule : `${key} ${rule}`
}

export const projectFileInvalid = defineFault('project_file_invalid', 'invalid', {
  when: 'The `.drover.yml` file in a repository is not valid YAML, has unknown keys, or names a path outside the repository.',
  message: (d: { path: string; problem: string }) => `${d.path} cannot be used: ${d.problem}`,
})
