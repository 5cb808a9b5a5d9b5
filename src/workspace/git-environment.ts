import { TREE_VARIABLE } from '../kit/process/environment-variables.ts'

/** Where git and the user's and the system's configuration are: what a user may well have set for good. */
const KEPT: readonly string[] = [
  'GIT_EXEC_PATH',
  'GIT_CONFIG_GLOBAL',
  'GIT_CONFIG_SYSTEM',
  'GIT_CONFIG_NOSYSTEM',
  'GIT_ATTR_NOSYSTEM',
  TREE_VARIABLE,
]

const FIXED = {
  // Messages are told apart by their words.
  LC_ALL: 'C',
  // An observer does not refresh the index, for which it would have to lock it.
  GIT_OPTIONAL_LOCKS: '0',
  GIT_TERMINAL_PROMPT: '0',
  // What a partial clone lacks stays lacking: no network, and no program that would go there.
  GIT_NO_LAZY_FETCH: '1',
} as const

/**
 * The caller's environment without any variable that could point git to another repository, index, configuration or
 * program, trace into its output, or that is a setting of drover, among which are keys. Git has many such variables and
 * gets new ones, so only known harmless ones stay.
 */
export function toGitEnvironment(env: Readonly<Record<string, string | undefined>>): Record<string, string> {
  const inherited = Object.entries(env).filter((entry): entry is [string, string] => {
    // On Windows the case of a name means nothing.
    const name = entry[0].toUpperCase()
    return entry[1] !== undefined && (!/^(?:GIT|DROVER)_/.test(name) || KEPT.includes(name))
  })
  return { ...Object.fromEntries(inherited), ...FIXED }
}
