import { expect, it } from 'vitest'
import { mergeLayers } from './layers.ts'
import { hiddenFiles } from './secret-files.ts'

it('files with secrets are found in settings and variables, wherever they are', () => {
  const { server, notify } = mergeLayers([]).config
  const named = {
    server: { ...server, webhook_secret_file: '/etc/hooks/github' },
    notify: {
      ...notify,
      targets: [
        { name: 'a', type: 'webhook' as const, url: 'https://example.com', secret_file: '/run/secrets/webhook' },
        { name: 'b', type: 'slack' as const, url_file: '/srv/slack' },
      ],
    },
  }
  const env = { DROVER_API_KEYS_FILE: 'keys', GH_CONFIG_DIR: '/etc/gh' }
  expect(hiddenFiles(named, { paths: { config: '/etc/drover.yaml' }, env, cwd: '/work' })).toEqual([
    '/etc/drover.yaml',
    '/work/keys',
    '/etc/gh',
    '/etc/hooks/github',
    '/run/secrets/webhook',
    '/srv/slack',
  ])
  expect(hiddenFiles({ server, notify }, { paths: { config: '/c' }, env: {}, cwd: '/work' })).toEqual(['/c'])
})
