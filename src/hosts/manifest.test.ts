import { describe, expect, it } from 'vitest'
import { hostOf } from '../../test/support/host-tree.ts'
import { digest } from '../kit/digest.ts'
import type { Host } from './host.ts'
import type { EarlierFile } from './hosts.ts'
import { MANIFEST_LIMIT_BYTES, readOwnership, writeOwnership } from './manifest.ts'

const [claude, kiro] = [hostOf('claude'), hostOf('kiro')]

const SKILL = '.claude/skills/drover-run/SKILL.md'
const REVIEW = '.claude/skills/drover-review/SKILL.md'
const HEX = 'ab'.repeat(32)
const file = { path: SKILL, sha256: HEX }
const manifest = { version: 2, tool_id: 'claude', files: [file] }

function read(value: unknown, host: Host = claude, earlier: readonly EarlierFile[] = []) {
  return readOwnership(host, Buffer.from(typeof value === 'string' ? value : JSON.stringify(value)), earlier)
}

describe('an ownership manifest', () => {
  it('has one form: files in order, digests without prefix', () => {
    const claims = new Map([
      [SKILL, digest('a')],
      [REVIEW, digest('b')],
    ])
    expect(writeOwnership(claude, { surface: undefined, claims })).toBe(`{
  "version": 2,
  "tool_id": "claude",
  "files": [
    {
      "path": "${REVIEW}",
      "sha256": "${digest('b').slice(7)}"
    },
    {
      "path": "${SKILL}",
      "sha256": "${digest('a').slice(7)}"
    }
  ]
}
`)
  })

  it.each([
    [claude, undefined, SKILL],
    [kiro, 'ide', '.kiro/steering/drover-run.md'],
    [kiro, 'cli', '.kiro/agents/drover-run.json'],
  ] as const)('is read back as it was written', (host, surface, path) => {
    const ownership = { surface, claims: new Map([[path, digest('a')]]) }
    expect(read(writeOwnership(host, ownership), host)).toEqual(ownership)
  })

  it('may claim nothing', () => {
    expect(read({ ...manifest, files: [] })).toEqual({ surface: undefined, claims: new Map() })
  })

  it.each([
    ['not JSON', 'generated', 'is not usable JSON'],
    ['two values', `${JSON.stringify(manifest)}{}`, 'is not usable JSON'],
    ['a key twice', '{"version":2,"version":2,"tool_id":"claude","files":[]}', 'is not usable JSON'],
    ['an unknown field', { ...manifest, extra: 1 }, '$.extra is not a known field'],
    [
      'an unknown field of a file',
      { ...manifest, files: [{ ...file, mode: 1 }] },
      '$.files[0].mode is not a known field',
    ],
    ['another version', { ...manifest, version: 3 }, '$.version must be 2'],
    ['no files', { version: 2, tool_id: 'claude' }, '$.files is required'],
    ['null for files', { ...manifest, files: null }, '$.files must be an array'],
    ['another host', { ...manifest, tool_id: 'cursor', files: [] }, '$.tool_id must be "claude"'],
    ['an unknown host', { ...manifest, tool_id: 'emacs' }, '$.tool_id must be one of'],
    ['a surface for a host without', { ...manifest, surface: { kiro: 'ide' } }, '$.surface is not for claude'],
    [
      'a digest with its prefix',
      { ...manifest, files: [{ ...file, sha256: `sha256:${HEX}` }] },
      '$.files[0].sha256 must be 64',
    ],
    [
      'a digest in capitals',
      { ...manifest, files: [{ ...file, sha256: HEX.toUpperCase() }] },
      '$.files[0].sha256 must be 64',
    ],
    ['a path twice', { ...manifest, files: [file, file] }, '$.files[1].path must not be that of another file'],
    ...[
      'README.md',
      '/etc/passwd',
      '../x',
      `./${SKILL}`,
      '.claude/settings.json',
      '.codex/skills/drover-run/SKILL.md',
    ].map(
      (path) =>
        [
          path,
          { ...manifest, files: [{ path, sha256: HEX }] },
          '$.files[0].path is not a path that drover generates',
        ] as const,
    ),
  ] as const)('is refused with %s', (_, value, problem) => {
    expect(read(value)).toEqual({ problem: expect.stringContaining(problem) })
  })

  it.each([
    ['no surface', { version: 2, tool_id: 'kiro', files: [] }, '$.surface is required'],
    [
      'an unknown surface',
      { version: 2, tool_id: 'kiro', surface: { kiro: 'web' }, files: [] },
      '$.surface.kiro must be one of',
    ],
    [
      'a path of the other surface',
      {
        version: 2,
        tool_id: 'kiro',
        surface: { kiro: 'ide' },
        files: [{ path: '.kiro/agents/drover-run.json', sha256: HEX }],
      },
      '$.files[0].path is not a path that drover generates',
    ],
  ])('of a host with surfaces is refused with %s', (_, value, problem) => {
    expect(read(value, kiro)).toEqual({ problem: expect.stringContaining(problem) })
  })

  it('may claim a path that an earlier release generated for the same host', () => {
    const old = { path: '.claude/drover/old.md', digest: digest('old'), release: '0.0.9' }
    const value = { ...manifest, files: [{ path: old.path, sha256: HEX }] }
    expect(read(value, claude, [{ ...old, host: 'claude' }])).toHaveProperty('claims')
    expect(read(value, claude, [{ ...old, host: 'codex' }])).toHaveProperty('problem')
  })

  it('has at most 256 KiB', () => {
    const text = JSON.stringify(manifest)
    expect(read(text.padEnd(MANIFEST_LIMIT_BYTES))).toHaveProperty('claims')
    expect(read(text.padEnd(MANIFEST_LIMIT_BYTES + 1))).toHaveProperty('problem')
    expect(MANIFEST_LIMIT_BYTES).toBe(262144)
  })
})
