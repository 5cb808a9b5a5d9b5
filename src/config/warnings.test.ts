import { describe, expect, it } from 'vitest'
import { mergeLayers } from './layers.ts'
import { findWarnings } from './read-config.ts'
import type { ConfigPath } from './setting-keys.ts'

function configWith(values: Partial<Record<ConfigPath, unknown>>) {
  const entries = Object.entries(values) as [ConfigPath, unknown][]
  return mergeLayers([{ values: new Map(entries), origins: new Map() }]).config
}

describe('findWarnings', () => {
  it.each<[Partial<Record<ConfigPath, unknown>>, string[]]>([
    [{}, []],
    [{ default_backend: 'codex', 'backends.claude.enabled': false }, []],
    [
      { 'backends.claude.enabled': false },
      ['default_backend is claude, but backends.claude.enabled is false; prompts must name another backend'],
    ],
    [{ 'backends.claude.allowed_tools': 'Read' }, []],
    [
      { 'backends.gemini.allowed_tools': 'Read' },
      ['backends.gemini.allowed_tools has no effect; only Claude Code takes a list of tools'],
    ],
    [{ 'drive.require_checks': true, 'drive.checks': ['npm test'] }, []],
    [
      { 'drive.require_checks': true },
      [
        'drive.require_checks requires only the checks that "drover init" or "drover trust" saved for a repository, because drive.checks is empty; in all others it requires none, so name checks there',
      ],
    ],
    [{ 'server.allowed_workdir_prefixes': ['/srv', '/etcetera', '/'] }, []],
    [
      { 'server.allowed_workdir_prefixes': ['/root/work', '/proc'] },
      [
        'server.allowed_workdir_prefixes has /root/work, but /root is blocked and takes precedence',
        'server.allowed_workdir_prefixes has /proc, but /proc is blocked and takes precedence',
      ],
    ],
    [
      { 'server.allowed_workdir_prefixes': ['/srv/..hidden'], 'server.blocked_workdir_prefixes': ['/srv'] },
      ['server.allowed_workdir_prefixes has /srv/..hidden, but /srv is blocked and takes precedence'],
    ],
  ])('checks %j', (values, warnings) => {
    expect(findWarnings(configWith(values))).toEqual(warnings)
  })
})
