/** Which settings of a repository make git run a program, and which ones turn that off. Pure. */
import type { GitSetting } from './parse-git-config.ts'

/** They count more than what a repository says. */
export const WITHOUT_PROGRAMS: readonly GitSetting[] = [
  { key: 'core.fsmonitor', value: 'false' },
  { key: 'core.hooksPath', value: '/dev/null' },
]

/** For a git that others run: no repository counts but that of the working directory. */
const WITHOUT_OTHER_REPOSITORIES: readonly GitSetting[] = [
  // Any directory with a few files would be one otherwise.
  { key: 'safe.bareRepository', value: 'explicit' },
  // Git would run in submodules, with the settings of the repositories there.
  { key: 'diff.ignoreSubmodules', value: 'dirty' },
  { key: 'diff.submodule', value: 'short' },
  { key: 'status.submoduleSummary', value: 'false' },
]

const COUNT = 'GIT_CONFIG_COUNT'

/** An environment with which git runs none of these programs. */
export function withoutGitPrograms<Env extends Readonly<Record<string, string>>>(env: Env): Env {
  return withGitSettings(env, [...WITHOUT_PROGRAMS, ...WITHOUT_OTHER_REPOSITORIES])
}

/** An environment with these settings for git, which count more than those in files. Settings that it has already stay. */
export function withGitSettings<Env extends Readonly<Record<string, string | undefined>>>(
  env: Env,
  added: readonly GitSetting[],
): Env {
  if (added.length === 0) return env
  const given = /^\d{1,4}$/.test(env[COUNT] ?? '') ? Number(env[COUNT]) : 0
  const pairs = added.flatMap(({ key, value }, at) => [
    [`GIT_CONFIG_KEY_${given + at}`, key],
    [`GIT_CONFIG_VALUE_${given + at}`, value],
  ])
  return { ...env, [COUNT]: String(given + added.length), ...Object.fromEntries(pairs) }
}

/** Programs that git runs to show something or to reach a remote, and that nothing turns off for every name. */
const RUN_BY_LOOKING = [
  /^core\.(?:alternaterefscommand|askpass|gitproxy|pager|sshcommand|virtualfilesystem)$/,
  /^diff\.(?:external|.*\.(?:command|textconv))$/s,
  /^filter\..*\.(?:clean|process|smudge)$/s,
  /^gpg\.(?:.*\.)?program$/s,
  /^hook\..*\.command$/s,
  /^lfs\.(?:extension\..*\.(?:clean|smudge)|customtransfer\..*\.path)$/s,
  /^remote\..*\.(?:receivepack|uploadpack|vcs)$/s,
]

/** The same, if the value is not one of these. */
const RUN_BY_LOOKING_UNLESS: readonly (readonly [RegExp, RegExp])[] = [
  // Git adds `git credential-` to a plain name.
  [/^credential\.(?:.*\.)?helper$/s, /^(?:[A-Za-z0-9-]+(?: [\w./~=-]+)*)?$/],
  [/^pager\.[^.]*$/, /^(?:true|false|yes|no|on|off|[01]?)$/i],
  [/^protocol\.(?:ext\.)?allow$/, /^never$/],
]

/** Programs for commands that change something. An agent that may run these may run other programs too. */
const RUN_BY_CHANGES = [
  /^core\.(?:editor|fsmonitor|hookspath)$/,
  /^sequence\.editor$/,
  /^alias\./,
  /^gpg\.ssh\.defaultkeycommand$/,
  /^(?:merge\..*\.driver|(?:browser|difftool|guitool|man|mergetool)\..*\.(?:cmd|path))$/s,
  /^(?:submodule\..*\.update|trailer\..*\.(?:cmd|command))$/s,
]

/** As git-lfs writes them itself. */
const GIT_LFS = /^git-lfs (?:(?:clean|smudge(?: --skip)?) -- %f|filter-process(?: --skip)?)$/

/** Whether an agent that only looks at the repository, or starts there, would run a program. */
export function isRunByLooking({ key, value }: GitSetting): boolean {
  if (RUN_BY_LOOKING_UNLESS.some(([name, harmless]) => name.test(key) && !harmless.test(value))) return true
  return RUN_BY_LOOKING.some((name) => name.test(key)) && !(key.startsWith('filter.') && GIT_LFS.test(value))
}

/** Whether git would run a program by any command. */
export function namesProgram(setting: GitSetting): boolean {
  return isRunByLooking(setting) || RUN_BY_CHANGES.some((name) => name.test(setting.key))
}

/** Whether a setting makes git look for changes in a submodule, whatever `diff.ignoreSubmodules` says. */
export function looksIntoSubmodule({ key, value }: GitSetting): boolean {
  return /^submodule\..*\.ignore$/s.test(key) && !/^(?:all|dirty)$/.test(value)
}

const FILTER = /^filter\.(.*)\.(?:clean|process|smudge)$/s
/** Programs that Git LFS runs, which is itself a filter. */
const OF_LFS = /^lfs\.(?:extension\..*\.(?:clean|smudge)|customtransfer\..*\.path|standalonetransferagent)$/s
/** Hooks in settings count in addition to those in the directory of hooks. */
const HOOK = /^hook\.(.*)\.command$/s

/** Whether a setting says how files are filtered. */
export function isFilterSetting({ key }: GitSetting): boolean {
  return FILTER.test(key) || OF_LFS.test(key)
}

/**
 * Which settings keep git from running filters that a repository got after a run began. Filters are the only programs of a
 * repository that git cannot do without: every file of Git LFS would look modified. What must be added to the settings so
 * that only the allowed filters count, each with the value that it had.
 */
export function toFilterOverrides(current: readonly GitSetting[], allowed: readonly GitSetting[]): GitSetting[] {
  const [now, wanted] = [valuesByKey(current.filter(isFilterSetting)), valuesByKey(allowed)]
  const changed = [...new Set([...now.keys(), ...wanted.keys()])].filter(
    (key) => now.get(key)?.join('\0') !== wanted.get(key)?.join('\0'),
  )
  const values = changed.flatMap((key) => ['', ...(wanted.get(key) ?? [])].map((value) => ({ key, value })))
  const known = new Set(allowed.flatMap(driverOf))
  const unknown = [...new Set(current.flatMap(driverOf))].filter((name) => !known.has(name))
  // Git would refuse a file whose filter is required and does nothing.
  const notRequired = unknown.map((name) => ({ key: `filter.${name}.required`, value: 'false' }))
  const hooks = current.flatMap(({ key }) => HOOK.exec(key)?.[1] ?? [])
  return [...values, ...notRequired, ...hooks.map((name) => ({ key: `hook.${name}.enabled`, value: 'false' }))]
}

function driverOf({ key }: GitSetting): string[] {
  return FILTER.exec(key)?.slice(1) ?? []
}

/** In order: git uses the last value. */
function valuesByKey(settings: readonly GitSetting[]): Map<string, string[]> {
  const byKey = Map.groupBy(settings, ({ key }) => key)
  return new Map([...byKey].map(([key, found]) => [key, found.map(({ value }) => value)]))
}
