import { describe, expect, it } from 'vitest'
import { toSandboxEnvironment } from './sandbox-environment.ts'

describe('the environment of a sandboxed command', () => {
  const env = {
    PATH: '/bin',
    LC_ALL: 'C',
    AWS_SECRET_ACCESS_KEY: 's',
    GITHUB_TOKEN: 't',
    MY_A: '1',
    MY_B: '2',
    DROVER_API_KEYS: 'k',
  }

  it('has what is listed, and nothing else', () => {
    const names = Object.keys(toSandboxEnvironment(env, []))
    expect(names.filter((name) => name in env)).toEqual(['PATH', 'LC_ALL'])
  })

  it('has the variables that settings name, but none of drover', () => {
    const given = toSandboxEnvironment(env, ['GITHUB_TOKEN', 'MY_*', 'DROVER_API_KEYS', 'DROVER_*'])
    expect(Object.keys(given).filter((name) => name in env)).toEqual(['PATH', 'LC_ALL', 'GITHUB_TOKEN', 'MY_A', 'MY_B'])
  })

  it('leads every program to the proxy, whatever proxy there is outside', () => {
    const given = toSandboxEnvironment({ HTTPS_PROXY: 'http://outside', NO_PROXY: '*' }, ['HTTPS_PROXY', 'NO_PROXY'])
    expect(given).toMatchObject({
      HTTPS_PROXY: 'http://127.0.0.1:19128',
      https_proxy: 'http://127.0.0.1:19128',
      TMPDIR: '/tmp',
    })
    expect(given['NO_PROXY']).toBe('localhost,127.0.0.1,::1')
  })
})
