/** What is known about versions of agents: which ones drover was tried with, and what people will notice of them. Pure. */
import { findVersion, isOlder } from '../kit/version.ts'
import type { Backend } from './adapter/agent.ts'

/** With these the recordings were made that drover reads agents by. */
export const TRIED_WITH: Readonly<Record<Backend, string>> = { claude: '2.1.197', codex: '0.166.0', gemini: '0.61.0' }

export type QuirkFacts = {
  version: string
  isRoot: boolean
  env: Readonly<Record<string, string | undefined>>
  /** Whether prompts that say nothing else are ended after some time. */
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
      happens: 'it refuses to work unasked for root, so approval "none" allows its working tools and nothing else',
      todo: 'run drover as another user, or set IS_SANDBOX=1 where the whole machine is a sandbox',
    },
  },
  {
    backend: 'codex',
    applies: ({ hasTimeout }) => !hasTimeout,
    says: {
      happens: 'it waits for ever when the model service cannot be reached',
      todo: 'limit prompts by drover config set unified_flags.command_timeout_secs 600, or each one by --timeout',
    },
  },
]

/** A quirk was seen in one release; releases that differ in their last number alone are taken to have it too. */
export function quirksOf(backend: Backend, facts: QuirkFacts): Quirk['says'][] {
  const [major, minor] = findVersion(TRIED_WITH[backend]) ?? []
  const [foundMajor, foundMinor] = findVersion(facts.version) ?? []
  if (major !== foundMajor || minor !== foundMinor) return []
  return QUIRKS.filter((quirk) => quirk.backend === backend && quirk.applies(facts)).map(({ says }) => says)
}

/** Whether a version is of an earlier series than the one that drover was tried with; the last number does not count. */
export function isOlderThanTried(backend: Backend, version: string): boolean {
  const [found, tried] = [findVersion(version), findVersion(TRIED_WITH[backend])]
  if (found === undefined || tried === undefined) return false
  return isOlder([found[0], found[1], 0], [tried[0], tried[1], 0])
}
