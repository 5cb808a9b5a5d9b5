import { expect, it } from 'vitest'
import { toWorktreeEnvironment } from './worktree-environment.ts'

const PLACE = { root: '/w', branch: 'drover/x', port: 20_010, repository: '/home/ada/p' }

function restOf(env: Record<string, string>) {
  const { DROVER_WORKTREE: _, DROVER_BRANCH: __, DROVER_PORT: ___, ...rest } = toWorktreeEnvironment(env, PLACE)
  return rest
}

it('says where the worktree is, and which ports it has', () => {
  expect(toWorktreeEnvironment({ PATH: '/bin', HOME: '/home/ada' }, PLACE)).toEqual({
    ...{ PATH: '/bin', HOME: '/home/ada' },
    ...{ DROVER_WORKTREE: '/w', DROVER_BRANCH: 'drover/x', DROVER_PORT: '20010' },
  })
})

it.each([
  ...['VIRTUAL_ENV', 'VIRTUAL_ENV_PROMPT', 'PYTHONPATH', 'PYTHONHOME', 'CONDA_PREFIX', 'CONDA_DEFAULT_ENV'],
  ...['PIPENV_ACTIVE', 'PIPENV_PIPFILE', 'POETRY_ACTIVE', 'UV_PROJECT', 'UV_PROJECT_ENVIRONMENT'],
  ...['NODE_PATH', 'INIT_CWD', 'npm_config_local_prefix', 'npm_package_json'],
  ...['BUNDLE_GEMFILE', 'CARGO_TARGET_DIR', 'CARGO_BUILD_TARGET_DIR', 'GOWORK'],
])('has no %s, which names another copy of the project', (name) => {
  expect(restOf({ PATH: '/bin', [name]: '/home/ada/other' })).toEqual({ PATH: '/bin' })
})

it('keeps what says where packages are installed, and flags', () => {
  const env = { PATH: '/bin', GEM_HOME: '/home/ada/.gem', GOPATH: '/home/ada/go', GOFLAGS: '-race' }
  expect(restOf(env)).toEqual(env)
})

it.each([
  ['the active virtual environment', { PATH: '/v/bin:/bin:/v', VIRTUAL_ENV: '/v' }, { PATH: '/bin' }],
  ['the worktree of the user', { PATH: '/home/ada/p/node_modules/.bin:/bin' }, { PATH: '/bin' }],
  [
    'it in lists of libraries',
    { PERL5LIB: '/home/ada/p/lib:/home/ada/perl5', RUBYLIB: '/home/ada/p', CLASSPATH: '/home/ada/pp' },
    { PERL5LIB: '/home/ada/perl5', RUBYLIB: '', CLASSPATH: '/home/ada/pp' },
  ],
])('has no directory inside %s', (_, env, expected) => {
  expect(restOf(env as unknown as Record<string, string>)).toEqual(expected)
})

it('keeps relative directories, and all of them if the home of the user is in the repository', () => {
  expect(restOf({ PATH: 'node_modules/.bin:/bin' })).toEqual({ PATH: 'node_modules/.bin:/bin' })
  const env = { PATH: '/home/ada/p/.local/bin:/bin', HOME: '/home/ada/p' }
  expect(restOf(env)).toEqual(env)
})
