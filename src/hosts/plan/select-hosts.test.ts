import { describe, expect, it } from 'vitest'
import { changed, findFiles, hostOf, regular, treeOf } from '../../../test/support/host-tree.ts'
import { hostAdapterRequired, installFailed, uninstallFailed, unknownHostAdapter } from '../faults.ts'
import type { FoundDirectories, FoundDirectory } from '../found-files.ts'
import { HOST_IDS, manifestPath, sentinelPath } from '../host.ts'
import { findHost, HOSTS } from '../hosts.ts'
import { isDetected } from '../inspect-host.ts'
import { writeOwnership } from '../manifest.ts'
import { detectedHosts, installedHosts, namedHosts } from './select-hosts.ts'

const claude = hostOf('claude')

const ids = (hosts: readonly { id: string }[]) => hosts.map(({ id }) => id)

function directories(there: Readonly<Record<string, FoundDirectory>>): FoundDirectories {
  return new Map(HOSTS.flatMap((host) => host.directories.map((path) => [path, there[path] ?? { is: 'absent' }])))
}

describe('hosts that are named', () => {
  it.each([
    [['codex'], ['codex']],
    [['codex,claude'], ['claude', 'codex']],
    [
      ['codex', 'claude', 'codex'],
      ['claude', 'codex'],
    ],
    [[' Claude , PI '], ['claude', 'pi']],
    [['claude,'], ['claude']],
    [['all'], HOST_IDS],
    [['claude', 'ALL'], HOST_IDS],
  ])('%j are %j', (values, expected) => {
    expect(ids(namedHosts(values))).toEqual(expected)
  })

  it.each([[['']], [[',']], [[' , ', '']]])('%j are none', (values) => {
    expect(() => namedHosts(values)).toThrow(expect.objectContaining({ code: hostAdapterRequired.code, kind: 'usage' }))
  })

  it('must be known; the nearest is offered', () => {
    const unknown = { code: unknownHostAdapter.code, kind: 'usage' }
    expect(() => namedHosts(['claude,codx'])).toThrow(
      expect.objectContaining({ ...unknown, message: expect.stringContaining('did you mean codex?') }),
    )
    expect(() => namedHosts(['"claude"x'])).toThrow(expect.objectContaining(unknown))
  })
})

describe('a host is detected', () => {
  it.each([
    ['.agents', 'agents'],
    ['.claude', 'claude'],
    ['.codex', 'codex'],
    ['.github/agents', 'copilot'],
    ['.github/copilot', 'copilot'],
    ['.github/prompts', 'copilot'],
    ['.github/skills', 'copilot'],
    ['.cursor', 'cursor'],
    ['.kilo', 'kilo'],
    ['.kilocode', 'kilo'],
    ['.kiro', 'kiro'],
    ['.opencode', 'opencode'],
    ['.pi', 'pi'],
    ['.qwen', 'qwen'],
    ['.windsurf', 'windsurf'],
  ])('by %s: %s', (path, id) => {
    expect(ids(detectedHosts(directories({ [path]: { is: 'directory' } })))).toEqual([id])
  })

  it('by nothing else', () => {
    expect(HOSTS.flatMap((host) => host.directories)).toHaveLength(15)
  })

  it('throws if no host is detected', () => {
    expect(() => detectedHosts(directories({}))).toThrow(
      expect.objectContaining({
        code: hostAdapterRequired.code,
        message: expect.stringContaining(HOST_IDS.join(', ')),
      }),
    )
  })

  it('throws if a directory cannot be inspected; a list report does not', () => {
    const found = directories({ '.claude': { is: 'directory' }, '.kiro': { is: 'unreadable', reason: 'EACCES' } })
    expect(() => detectedHosts(found)).toThrow(
      expect.objectContaining({
        code: installFailed.code,
        message: expect.stringContaining('.kiro cannot be inspected: EACCES'),
        details: expect.objectContaining({
          report: expect.objectContaining({ hosts: [], transaction_outcome: 'not_committed' }),
        }),
      }),
    )
    expect(HOSTS.filter((host) => isDetected(host, found)).map(({ id }) => id)).toEqual(['claude'])
  })
})

describe('hosts that are installed', () => {
  const manifest = writeOwnership(claude, { surface: undefined, claims: new Map() })
  const tree = treeOf({ [manifestPath(claude)]: manifest, '.codex/drover/.adapter-generated': 'generated\n' })

  it('are those with a manifest; a sentinel does not count', () => {
    expect(ids(installedHosts(findFiles(tree, HOSTS)))).toEqual(['claude'])
  })

  it('are found beside a host that is behind a link', () => {
    const behind = { is: 'unreachable', reason: '.pi is a symbolic link' } as const
    const linked = changed(tree, {
      '.pi/drover/ownership-manifest.json': behind,
      '.pi/drover/.adapter-generated': behind,
    })
    expect(ids(installedHosts(findFiles(linked, HOSTS)))).toEqual(['claude'])
  })

  it('are not guessed if one manifest is invalid', () => {
    const broken = changed(tree, { '.pi/drover/ownership-manifest.json': regular('{}') })
    expect(() => installedHosts(findFiles(broken, HOSTS))).toThrow(
      expect.objectContaining({
        code: uninstallFailed.code,
        message: expect.stringMatching(/^.*\.pi\/drover.*; update drover if /),
      }),
    )
  })

  it('must exist', () => {
    const none = { code: uninstallFailed.code, message: expect.stringContaining('into any host') }
    expect(() => installedHosts(findFiles(new Map(), HOSTS))).toThrow(expect.objectContaining(none))
  })
})

it('a host is found by its id alone', () => {
  expect(findHost('claude')).toBe(claude)
  expect(findHost('Claude')).toBeUndefined()
  expect(sentinelPath(claude)).toBe('.claude/drover/.adapter-generated')
})
