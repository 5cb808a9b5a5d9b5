import { describe, expect, it } from 'vitest'
import { mergeLayers } from './layers.ts'
import { type ConfigEnvironment, findPaths, hiddenFiles } from './paths.ts'

const find = (given: Partial<ConfigEnvironment>) =>
  findPaths({ env: {}, homeDirectory: '/home/me', cwd: '/project/project', ...given })

describe('findPaths', () => {
  it('keeps everything in ~/.drover', () => {
    expect(find({})).toEqual({
      directory: '/home/me/.drover',
      config: '/home/me/.drover/config.yaml',
      configNamedBy: undefined,
      chatHistory: '/home/me/.drover/chat-history',
      consoleLogins: '/home/me/.drover/console-logins.json',
      pushKey: '/home/me/.drover/push-key.json',
      consolePage: '/home/me/.drover/open-console.html',
      worktrees: '/home/me/.drover/worktrees',
      projects: '/home/me/.drover/projects',
      templates: '/home/me/.drover/templates',
      agentLimits: '/home/me/.drover/agent-limits',
      drivenRuns: '/home/me/.drover/driven-runs',
      trustedSettings: '/home/me/.drover/trusted-settings',
      watch: '/home/me/.drover/watch',
      sessions: '/home/me/.drover/sessions.db',
      serverSocket: '/home/me/.drover/server.sock',
    })
  })

  it('uses DROVER_HOME', () => {
    expect(find({ env: { DROVER_HOME: '/srv/drover' } })).toMatchObject({
      directory: '/srv/drover',
      config: '/srv/drover/config.yaml',
      configNamedBy: undefined,
      sessions: '/srv/drover/sessions.db',
    })
  })

  it('refuses a relative DROVER_HOME', () => {
    expect(() => find({ env: { DROVER_HOME: '~/drover' } })).toThrow(
      expect.objectContaining({ code: 'environment_invalid', message: 'DROVER_HOME must be an absolute path' }),
    )
  })

  it.each([
    [{ env: { DROVER_CONFIG: '/etc/drover.yaml' } }, '/etc/drover.yaml', 'DROVER_CONFIG'],
    [{ env: { DROVER_CONFIG: 'team.yaml' } }, '/project/project/team.yaml', 'DROVER_CONFIG'],
    [{ env: {}, configFlag: '../team.yaml' }, '/project/team.yaml', '--config'],
    [{ env: { DROVER_CONFIG: '/etc/drover.yaml' }, configFlag: '/my.yaml' }, '/my.yaml', '--config'],
    [{ env: { DROVER_CONFIG: '', DROVER_HOME: '' } }, '/home/me/.drover/config.yaml', undefined],
  ])('finds the file that %j names', (given, config, configNamedBy) => {
    expect(find(given)).toMatchObject({ config, configNamedBy, directory: '/home/me/.drover' })
  })
})

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
