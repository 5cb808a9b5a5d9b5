import { type ChildEnvironment, toChildEnvironment } from '../kit/process/child-environment.ts'

/** The location of git and of the user's and system's configuration, and the user's name. A user may set these permanently. */
const KEPT: readonly string[] = [
  'GIT_EXEC_PATH',
  'GIT_CONFIG_GLOBAL',
  'GIT_CONFIG_SYSTEM',
  'GIT_CONFIG_NOSYSTEM',
  'GIT_ATTR_NOSYSTEM',
  'GIT_AUTHOR_NAME',
  'GIT_AUTHOR_EMAIL',
  'GIT_COMMITTER_NAME',
  'GIT_COMMITTER_EMAIL',
]

const FIXED = {
  // Error messages are recognized by their English text.
  LC_ALL: 'C',
  // Do not refresh the index, which would lock it.
  GIT_OPTIONAL_LOCKS: '0',
  GIT_TERMINAL_PROMPT: '0',
  // Do not fetch missing objects of a partial clone: no network access.
  GIT_NO_LAZY_FETCH: '1',
} as const

/**
 * The caller's environment without secrets of drover, and without variables that could point git to another repository,
 * index, configuration or program, or trace into its output. Git has many of these and adds new ones, so only the listed
 * `GIT_` variables stay.
 */
export function toGitEnvironment(env: Readonly<Record<string, string | undefined>>): ChildEnvironment {
  const inherited = Object.entries(env).filter(([name]) => !name.startsWith('GIT_') || KEPT.includes(name))
  return { ...toChildEnvironment(Object.fromEntries(inherited)), ...FIXED }
}
