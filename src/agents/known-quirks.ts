/** Known versions of agents: which ones drover was tested with, and which problems users will notice. Pure. */
import { findVersion, isOlder } from '../kit/process/find-program.ts'
import type { Backend } from './adapter/agent.ts'

/** The versions that the recordings in test/recordings were made with. */
export const TRIED_WITH: Readonly<Record<string, string>> = { claude: '2.1.197', codex: '0.166.0', gemini: '0.61.0' }

/** Hosts that an agent asks for whatever its model does, and works without. Measured with codex 0.169.0. */
const OWN_HOSTS: Readonly<Record<Backend, readonly string[]>> = { codex: ['api.github.com:443', 'github.com:443'] }

export function isOwnHost(backend: Backend | undefined, host: string): boolean {
  return backend !== undefined && OWN_HOSTS[backend]?.includes(host) === true
}

export type QuirkFacts = {
  version: string
  isRoot: boolean
  env: Readonly<Record<string, string | undefined>>
  /** Prompts without their own timeout get one from the config. */
  hasTimeout: boolean
}

type Quirk = {
  backend: Backend
  applies: (facts: QuirkFacts) => boolean
  /** What happens, and what to do about it. */
  says: { happens: string; todo: string }
}

const QUIRKS: readonly Quirk[] = [
  {
    backend: 'claude',
    applies: ({ isRoot, env }) => isRoot && env['IS_SANDBOX'] !== '1',
    says: {
      happens: 'it does not skip permission checks for root, so approval "none" allows only its own tools',
      todo: 'run drover as another user, or set IS_SANDBOX=1 where the whole machine is a sandbox',
    },
  },
  {
    backend: 'codex',
    applies: ({ hasTimeout }) => !hasTimeout,
    says: {
      happens: 'it retries forever when the model service cannot be reached',
      todo: 'set a limit for all prompts with drover config set unified_flags.command_timeout_secs 600, or for one with --timeout',
    },
  },
]

/** A quirk was seen in one release; other patch releases are assumed to have it too. */
export function findQuirks(backend: Backend, facts: QuirkFacts): Quirk['says'][] {
  const [major, minor] = findVersion(TRIED_WITH[backend] ?? '') ?? []
  const [foundMajor, foundMinor] = findVersion(facts.version) ?? []
  if (major !== foundMajor || minor !== foundMinor) return []
  return QUIRKS.filter((quirk) => quirk.backend === backend && quirk.applies(facts)).map(({ says }) => says)
}

/** Whether a version is older than the tested one; the patch number does not count. */
export function isOlderThanTried(backend: Backend, version: string): boolean {
  const [found, tried] = [findVersion(version), findVersion(TRIED_WITH[backend] ?? '')]
  if (found === undefined || tried === undefined) return false
  return isOlder([found[0], found[1], 0], [tried[0], tried[1], 0])
}
