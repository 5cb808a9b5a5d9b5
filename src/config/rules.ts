/** Rules of the configuration that JSON Schema cannot express. */
import { isIP } from 'node:net'
import { isAbsolute } from 'node:path'
import type { Problem } from '../kit/schema.ts'
import type { Config } from './config.shape.ts'
import type { ConfigPath } from './keys.ts'

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

const TEXT_RULES: Partial<Record<ConfigPath, TextRule>> = {
  'backends.claude.command': isProgram,
  'backends.codex.command': isProgram,
  'backends.gemini.command': isProgram,
  'server.host': isHost,
  'server.trusted_proxies': isAddressRange,
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
  (['name', 'sha256'] as const).flatMap((field) => {
    const all = server.keys.map((key) => key[field])
    const repeated = all.flatMap((value, index) => (all.indexOf(value) < index ? [index] : []))
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

const CONFIG_RULES: readonly ConfigRule[] = [
  limitHasRate,
  credentialsHaveNamedOrigins,
  keysAreDistinct,
  keysAreNotEmpty,
]

/** The rules that values break only in combination. */
export function brokenConfigRules(config: Config): Problem[] {
  return CONFIG_RULES.flatMap((rule) => rule(config))
}
