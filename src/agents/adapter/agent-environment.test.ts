import { expect, it } from 'vitest'
import { toAgentEnvironment } from './agent-environment.ts'

it('copies the environment without drover’s own settings and those of its store, and adds the variables of the agent', () => {
  const env = {
    PATH: '/bin',
    EMPTY: '',
    UNSET: undefined,
    ANTHROPIC_API_KEY: 'theirs',
    DROVER_API_KEYS: 'ours',
    DROVER_STORE_URL: 'postgres://drover:secret@db/drover',
    DROVER_SERVER_PORT: '1',
    PGPASSWORD: 'ours',
    drover_api_keys: 'ours',
    DROVER_TREE: 'a:b',
    DROVER_HOME: '/home/d',
    DROVER_CONFIG: '/etc/d.yaml',
    MY_DROVER_KEY: 'mine',
    SWITCH: 'off',
  }
  expect(toAgentEnvironment({ env }, { SWITCH: 'on' })).toStrictEqual({
    PATH: '/bin',
    EMPTY: '',
    ANTHROPIC_API_KEY: 'theirs',
    DROVER_TREE: 'a:b',
    DROVER_HOME: '/home/d',
    DROVER_CONFIG: '/etc/d.yaml',
    DROVER_DEPTH: '1',
    MY_DROVER_KEY: 'mine',
    SWITCH: 'on',
  })
})

it.each([
  ['1', '2'],
  ['7', '8'],
  ['', '1'],
  ['-1', '1'],
  ['1e3', '1'],
  ['9999', '1001'],
])('makes an agent of a process at depth %j one deeper: %s', (depth, deeper) => {
  expect(toAgentEnvironment({ env: { DROVER_DEPTH: depth } }, {})['DROVER_DEPTH']).toBe(deeper)
})
