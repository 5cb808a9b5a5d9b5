/** The environment of what runs in a worktree that drover created: setup, checks, agents. Pure. */
import { delimiter, join } from 'node:path'
import type { Environment } from '../../kit/process/child-environment.ts'

/** Of another copy of the project: with them, a check would test that one. */
const ELSEWHERE = ['VIRTUAL_ENV', 'VIRTUAL_ENV_PROMPT', 'PYTHONPATH', 'PYTHONHOME', 'NODE_PATH', 'CONDA_PREFIX']

export type WorktreeVariables = {
  readonly root: string
  readonly branch: string
  /** The first of ten ports. */
  readonly port?: number | undefined
}

export function toWorktreeEnvironment(env: Environment, { root, branch, port }: WorktreeVariables): Environment {
  const others = Object.entries(env).filter(([name]) => !ELSEWHERE.includes(name))
  return {
    ...Object.fromEntries(others),
    PATH: withoutVenv(env),
    DROVER_WORKTREE: root,
    DROVER_BRANCH: branch,
    DROVER_PORT: port === undefined ? undefined : String(port),
  }
}

/** An active virtual environment comes first in PATH. */
function withoutVenv({ PATH, VIRTUAL_ENV: venv }: Environment): string | undefined {
  if (PATH === undefined || venv === undefined || venv === '') return PATH
  const programs = join(venv, 'bin')
  return PATH.split(delimiter)
    .filter((folder) => folder !== programs)
    .join(delimiter)
}
