import { expect, it } from 'vitest'
import { toAgentEnvironment } from './agent-environment.ts'

it('copies the environment without drover’s own settings, and adds the variables of the agent', () => {
  const env = {
    PATH: '/bin',
    EMPTY: '',
    UNSET: undefined,
    ANTHROPIC_API_KEY: 'theirs',
    DROVER_API_KEYS: 'ours',
    DROVER_STORE_URL: 'postgres://drover:secret@db/drover',
    DROVER_SERVER_PORT: '1',
    drover_api_keys: 'ours',
    DROVER_TREE: 'a:b',
    DROVER_HOME: '/home/d',
    DROVER_CONFIG: '/etc/d.yaml',
    MY_DROVER_KEY: 'mine',
    SWITCH: 'off',
  }
  expect(toAgentEnvironment(env, { SWITCH: 'on' })).toStrictEqual({
    PATH: '/bin',
    EMPTY: '',
    ANTHROPIC_API_KEY: 'theirs',
    DROVER_TREE: 'a:b',
    DROVER_HOME: '/home/d',
    DROVER_CONFIG: '/etc/d.yaml',
    MY_DROVER_KEY: 'mine',
    SWITCH: 'on',
  })
})
