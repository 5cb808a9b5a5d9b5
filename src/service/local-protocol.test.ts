import { expect, it } from 'vitest'
import { mergeLayers } from '../config/layers.ts'
import { differingSettings, digestOfSettings, digestSettings } from './local-protocol.ts'

const { config } = mergeLayers([])
const changed = {
  ...config,
  default_backend: 'codex',
  server: { ...config.server, allow_unsafe_extra: true, port: 1, api_keys_gopass_path: 'a-secret-place' },
  mcp_servers: [{ name: 'docs', command: 'docs', env: { TOKEN: 'a-secret-token' } }] as never,
}

it('names the settings that differ, without their values', () => {
  const settings = digestSettings(changed)
  expect(differingSettings({ settings }, config)).toEqual([
    'default_backend',
    'mcp_servers',
    'server.allow_unsafe_extra',
  ])
  expect(JSON.stringify(settings)).not.toContain('a-secret')
  expect(differingSettings({ settings }, changed)).toEqual([])
  expect(differingSettings({}, config)).toBeUndefined()
})

it('names a setting that only one of them has', () => {
  const { a, ...settings } = { ...digestSettings(config), a: '' }
  expect(differingSettings({ settings: { ...settings, a } }, config)).toEqual(['a'])
})

it('a setting differs if and only if the digest of all does', () => {
  const other = { ...config, server: { ...config.server, port: 1 }, output: { ...config.output } }
  expect(digestOfSettings(other)).toBe(digestOfSettings(config))
  expect(differingSettings({ settings: digestSettings(other) }, config)).toEqual([])
  expect(digestOfSettings(changed)).not.toBe(digestOfSettings(config))
})
