/** What JSON Schema cannot say about the configuration. Each rule is a function named for what it holds true. */
import { isIP } from 'node:net'
import { isAbsolute } from 'node:path'
import type { Problem } from '../kit/schema.ts'
import type { Config } from './config.shape.ts'
import type { ConfigPath } from './keys.ts'

/** A rule about one text, alone or in a list: gives what it must be when it is not. */
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

/** A relative path would name another program in every directory. */
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

/** The rules that values of the right type break by themselves. */
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

/** The Fetch standard gives no page a response with credentials whose allowed origin is `*`. */
const credentialsHaveNamedOrigins: ConfigRule = ({ server }) =>
  server.cors_allow_credentials && server.cors_allowed_origins.includes('*')
    ? [
        {
          path: 'server.cors_allowed_origins',
          rule: 'must not hold * when server.cors_allow_credentials is true; list the origins',
        },
      ]
    : []

const keysAreDistinct: ConfigRule = ({ server }) =>
  (['name', 'sha256'] as const).flatMap((field) => {
    const all = server.keys.map((key) => key[field])
    const repeated = all.flatMap((value, index) => (all.indexOf(value) < index ? [index] : []))
    return repeated.map((index) => ({
      path: `server.keys[${index}].${field}`,
      rule: 'is the same as that of another key',
    }))
  })

/** What `sha256sum` says of nothing, which is what an unset shell variable holds. */
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

/** The rules that values break only together. */
export function brokenConfigRules(config: Config): Problem[] {
  return CONFIG_RULES.flatMap((rule) => rule(config))
}
