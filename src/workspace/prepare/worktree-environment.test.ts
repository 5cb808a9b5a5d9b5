import { expect, it } from 'vitest'
import { toWorktreeEnvironment } from './worktree-environment.ts'

const PLACE = { root: '/w', branch: 'drover/x', port: 20_010 }

it('says where the worktree is, and which ports it has', () => {
  expect(toWorktreeEnvironment({ PATH: '/bin', HOME: '/home/ada' }, PLACE)).toEqual({
    ...{ PATH: '/bin', HOME: '/home/ada' },
    ...{ DROVER_WORKTREE: '/w', DROVER_BRANCH: 'drover/x', DROVER_PORT: '20010' },
  })
})

it('has nothing of another copy of the project', () => {
  const env = {
    PATH: '/p/.venv/bin:/bin',
    VIRTUAL_ENV: '/p/.venv',
    PYTHONPATH: '/p',
    NODE_PATH: '/p',
    CONDA_PREFIX: '/c',
  }
  const { DROVER_WORKTREE: _, DROVER_BRANCH: __, DROVER_PORT: ___, ...rest } = toWorktreeEnvironment(env, PLACE)
  expect(rest).toEqual({ PATH: '/bin' })
})
