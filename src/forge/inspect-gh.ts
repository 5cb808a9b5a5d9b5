/** Finds out what the user's `gh` can do. Only versions and permissions are taken from its output. */
import { ignoreFault, orUndefined } from '../kit/fault.ts'
import { findVersion, type Version } from '../kit/process/find-program.ts'
import { runProcess } from '../kit/process/process.ts'
import type { OriginRepository } from './forge.ts'
import type { Gh } from './gh.ts'

export type GhInspection = {
  /** Undefined if gh does not print one. */
  version: Version | undefined
  /** Undefined if this was not checked. */
  isLoggedIn: boolean | undefined
  /** Undefined if this was not checked, because there is no login or no repository. */
  rights: GhRights | undefined
}

export type GhRights = { repository: string; allows: { read: boolean; triage: boolean; write: boolean } | undefined }

type Question = {
  /** Finds the repository to ask about, if there is one. */
  findOrigin: () => Promise<OriginRepository | undefined>
  /** Make no network requests. */
  isOffline: boolean
  signal: AbortSignal
}

const CALL_MS = 5_000
const OUTPUT_LIMIT_BYTES = 64 * 1024

/** Undefined when gh is not installed. */
export async function inspectGh(
  gh: Gh,
  { findOrigin, isOffline, signal }: Question,
): Promise<GhInspection | undefined> {
  const { program } = gh
  if (program === undefined) return undefined
  const ask = (...args: string[]) => call({ ...gh, program }, { args, signal })
  const [said, login] = await Promise.all([
    ask('--version'),
    isOffline ? undefined : ask('auth', 'status', '--hostname', 'github.com'),
  ])
  const isLoggedIn = isOffline ? undefined : login !== undefined
  const origin = isLoggedIn ? await findOrigin() : undefined
  return {
    version: said === undefined ? undefined : versionIn(said),
    isLoggedIn,
    rights: origin === undefined ? undefined : await askRights(ask, origin),
  }
}

async function askRights(
  ask: (...args: string[]) => Promise<string | undefined>,
  { owner, repo }: OriginRepository,
): Promise<GhRights> {
  const said = await ask('api', '--hostname', 'github.com', `repos/${owner}/${repo}`, '--jq', '.permissions')
  return { repository: `${owner}/${repo}`, allows: said === undefined ? undefined : readRights(said) }
}

/** Parses `permissions` of GitHub: names with true or false. A higher permission includes the lower ones. */
function readRights(said: string): GhRights['allows'] {
  const rights: unknown = orUndefined(() => JSON.parse(said))
  if (typeof rights !== 'object' || rights === null || Array.isArray(rights)) return undefined
  const entries = new Map<string, unknown>(Object.entries(rights))
  if (entries.size === 0 || [...entries.values()].some((value) => typeof value !== 'boolean')) return undefined
  const has = (...names: string[]) => names.some((name) => entries.get(name) === true)
  const write = has('push', 'maintain', 'admin')
  return { read: has('pull'), triage: has('triage') || write, write }
}

/** `gh version 2.94.0 (2026-01-20)`. A development build has no such version. */
function versionIn(said: string): Version | undefined {
  const field = said.split(/\s+/).find((word) => /^v?\d+\.\d+\.\d+[,;)]*$/.test(word))
  return field === undefined ? undefined : findVersion(field)
}

/** The output of gh; undefined if it fails or takes too long. */
async function call(
  { program, env, cwd }: Gh & { program: string },
  { args, signal }: { args: readonly string[]; signal: AbortSignal },
): Promise<string | undefined> {
  const command = { argv: [program, ...args] as const, cwd, env, timeoutMs: CALL_MS, signal, sweep: 'always' as const }
  const ran = await runProcess(command, { stdoutLimitBytes: OUTPUT_LIMIT_BYTES }).catch(ignoreFault)
  return ran?.exit.code === 0 && ran.exit.ended === 'itself' ? ran.stdout.toString('utf8') : undefined
}
