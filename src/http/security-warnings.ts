/** Combinations of settings that are allowed and dangerous, each with a way out. Pure. */
import type { Config } from '../config/config.shape.ts'
import type { BoundPlace } from './listen.ts'
import { type Reach, reachOf } from './request/reach.ts'

export type SecurityFacts = {
  config: Config
  place: BoundPlace
  hasKeys: boolean
  hasShortKey: boolean
  isRoot: boolean
}

export type SecurityWarning = { warning: string; suggestion: string }

type Rule = (facts: SecurityFacts) => SecurityWarning | undefined

const reachOfPlace = (place: BoundPlace): Reach => ('socket' in place ? 'machine' : reachOf(place.address))

const publicWithoutKeys: Rule = ({ place, hasKeys }) =>
  reachOfPlace(place) === 'public' && !hasKeys
    ? {
        warning: 'public bind address without API key auth: everybody on the network can run agents here',
        suggestion: 'set DROVER_API_KEYS, or listen on 127.0.0.1',
      }
    : undefined

const networkWithoutKeys: Rule = ({ place, hasKeys }) =>
  reachOfPlace(place) === 'network' && !hasKeys
    ? {
        warning: 'bind address beyond this machine without API key auth: whoever reaches it can run agents here',
        suggestion: 'set DROVER_API_KEYS, or listen on 127.0.0.1',
      }
    : undefined

const openToEveryPage: Rule = ({ config, hasKeys }) =>
  !hasKeys && config.server.cors_allowed_origins.includes('*')
    ? {
        warning: 'auth disabled together with wildcard CORS: every web page that is open here can run agents',
        suggestion: 'set DROVER_API_KEYS, or list the origins in server.cors_allowed_origins',
      }
    : undefined

const credentialsForPatterns: Rule = ({ config: { server } }) =>
  server.cors_allow_credentials && server.cors_allowed_origins.some((origin) => origin.includes('*'))
    ? {
        warning: 'CORS credentials allowed for a wildcard origin',
        suggestion: 'name the origins in full, or set server.cors_allow_credentials to false',
      }
    : undefined

const shortKey: Rule = ({ place, hasShortKey }) =>
  reachOfPlace(place) !== 'machine' && hasShortKey
    ? {
        warning: 'an API key has fewer than 16 characters: it can be guessed',
        suggestion: 'use a longer one, such as what `openssl rand -hex 24` prints',
      }
    : undefined

const unlimitedGuesses: Rule = ({ config, place, hasKeys }) =>
  reachOfPlace(place) !== 'machine' && hasKeys && !config.server.rate_limit_enabled
    ? {
        warning: 'no rate limit beyond this machine: keys can be guessed, and spent, as fast as the network carries',
        suggestion: 'set server.rate_limit_enabled to true',
      }
    : undefined

const anyDirectory: Rule = ({ config, place }) =>
  reachOfPlace(place) !== 'machine' && config.server.allowed_workdir_prefixes.length === 0
    ? {
        warning: 'no list of working directories: callers from the network may let agents work anywhere not blocked',
        suggestion: 'set server.allowed_workdir_prefixes to the directories that agents are meant for',
      }
    : undefined

const nothingIsAsked: Rule = ({ config: { unified_flags, backends } }) =>
  [unified_flags, ...Object.values(backends)].some(({ approval_mode }) => approval_mode === 'none')
    ? {
        warning: 'approval mode "none": agents run every command of every prompt without asking',
        suggestion: 'use "auto" or "default", and let single requests ask for more',
      }
    : undefined

const anyArgument: Rule = ({ config }) =>
  config.server.allow_unsafe_extra
    ? {
        warning: 'unsafe extra arguments allowed: a request can lift the approval and sandbox of its agent',
        suggestion: 'set server.allow_unsafe_extra to false',
      }
    : undefined

const asRoot: Rule = ({ isRoot }) =>
  isRoot
    ? {
        warning: 'running as root: so are the agents, and whatever they start',
        suggestion: 'run drover as a user of its own',
      }
    : undefined

const RULES: readonly Rule[] = [
  publicWithoutKeys,
  networkWithoutKeys,
  openToEveryPage,
  credentialsForPatterns,
  shortKey,
  unlimitedGuesses,
  anyDirectory,
  nothingIsAsked,
  anyArgument,
  asRoot,
]

export function securityWarnings(facts: SecurityFacts): SecurityWarning[] {
  return RULES.flatMap((rule) => rule(facts) ?? [])
}
