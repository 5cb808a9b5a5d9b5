/** The environment of what runs in a worktree that drover created: setup, checks, agents. Pure. */
import { delimiter, isAbsolute, relative, sep } from 'node:path'
import type { Environment } from '../../kit/process/child-environment.ts'

/**
 * These name another copy of the project, or a directory that several copies would build into: with them, a check would test or
 * overwrite that copy. What only says where packages are installed stays (GEM_HOME, GOPATH), and so do flags (GOFLAGS).
 */
const ELSEWHERE = new Set([
  ...['VIRTUAL_ENV', 'VIRTUAL_ENV_PROMPT', 'PYTHONPATH', 'PYTHONHOME', 'CONDA_PREFIX', 'CONDA_DEFAULT_ENV'],
  ...['PIPENV_ACTIVE', 'PIPENV_PIPFILE', 'POETRY_ACTIVE', 'UV_PROJECT', 'UV_PROJECT_ENVIRONMENT'],
  ...['NODE_PATH', 'INIT_CWD', 'npm_config_local_prefix', 'npm_package_json'],
  ...['BUNDLE_GEMFILE', 'CARGO_TARGET_DIR', 'CARGO_BUILD_TARGET_DIR', 'GOWORK'],
])

/** Lists of directories: only those of another copy are removed, because people also list what they have installed. */
const LISTS = ['PATH', 'PERL5LIB', 'RUBYLIB', 'CLASSPATH'] as const

export type WorktreeVariables = {
  readonly root: string
  readonly branch: string
  /** The first of ten ports. */
  readonly port?: number | undefined
  /** The worktree of the user. */
  readonly repository: string
}

export function toWorktreeEnvironment(env: Environment, variables: WorktreeVariables): Environment {
  const { root, branch, port, repository } = variables
  const others = Object.entries(env).filter(([name]) => !ELSEWHERE.has(name))
  const isElsewhere = isInside(otherCopies(env, repository))
  const lists = LISTS.flatMap((name) => (env[name] === undefined ? [] : [[name, without(env[name], isElsewhere)]]))
  return {
    ...Object.fromEntries(others),
    ...Object.fromEntries(lists),
    DROVER_WORKTREE: root,
    DROVER_BRANCH: branch,
    DROVER_PORT: port === undefined ? undefined : String(port),
  }
}

/** An active virtual environment comes first in PATH. A repository that has the home of the user in it is not left out. */
function otherCopies({ VIRTUAL_ENV: venv = '', HOME: home = '' }: Environment, repository: string): string[] {
  const isHomeInside = home !== '' && isInside([repository])(home)
  return [venv, ...(isHomeInside ? [] : [repository])].filter((directory) => directory !== '')
}

function isInside(directories: readonly string[]): (path: string) => boolean {
  return (path) =>
    isAbsolute(path) &&
    directories.some((directory) => {
      const way = relative(directory, path)
      return way !== '..' && !way.startsWith(`..${sep}`)
    })
}

function without(list: string, isElsewhere: (path: string) => boolean): string {
  return list
    .split(delimiter)
    .filter((entry) => !isElsewhere(entry))
    .join(delimiter)
}
