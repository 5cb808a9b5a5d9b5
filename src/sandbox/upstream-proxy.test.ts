import { expect, it } from 'vitest'
import { chooseUpstream } from './upstream-proxy.ts'

const PROXY = 'http://proxy.corp:3128/'

it.each([
  ['a host', {}, 'api.example', PROXY],
  ['an address', {}, '10.0.0.1', undefined],
  ['this machine', {}, 'localhost', undefined],
  ['an exempt host', { NO_PROXY: 'other.example, api.example' }, 'api.example', undefined],
  ['a host below an exempt one', { NO_PROXY: '.example' }, 'api.example', undefined],
  ['a host whose name only ends like an exempt one', { NO_PROXY: 'pi.example' }, 'api.example', PROXY],
  ['another port of an exempt host', { no_proxy: 'api.example:80' }, 'api.example', PROXY],
  ['the port of an exempt host', { no_proxy: 'api.example:443' }, 'api.example', undefined],
  ['everything exempt', { NO_PROXY: '*' }, 'api.example', undefined],
  ['a proxy without a scheme', { https_proxy: 'proxy.corp:3128' }, 'api.example', PROXY],
  ['a proxy that is no HTTP proxy', { https_proxy: 'socks5://proxy.corp' }, 'api.example', undefined],
  ['no proxy', { HTTPS_PROXY: '' }, 'api.example', undefined],
])('for %s', (_, env, host, proxy) => {
  expect(chooseUpstream({ HTTPS_PROXY: PROXY, ...env }, { host, port: 443 }, 'https:')?.href).toBe(proxy)
})
