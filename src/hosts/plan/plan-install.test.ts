import { describe, expect, it } from 'vitest'
import {
  changed,
  findFiles,
  follow,
  type HostTree,
  hostOf,
  regular,
  textAt,
  treeOf,
} from '../../../test/support/host-tree.ts'
import { digest } from '../../kit/digest.ts'
import { installFailed, invalidAdapterSurface } from '../faults.ts'
import type { FoundFile } from '../found-files.ts'
import { type Host, manifestPath, sentinelPath } from '../host.ts'
import { type EarlierFile, generatedFiles } from '../hosts.ts'
import { writeOwnership } from '../manifest.ts'
import { toChangeReport } from './plan.ts'
import { type InstallRequest, planInstall } from './plan-install.ts'

const [claude, codex, kiro, pi] = [hostOf('claude'), hostOf('codex'), hostOf('kiro'), hostOf('pi')]

type Wishes = Partial<Omit<InstallRequest, 'found'>>

function plan(tree: HostTree, wishes: Wishes = {}) {
  const { hosts = [claude], earlier = [] } = wishes
  const request = { hosts, isExplicit: true, isRefresh: true, ...wishes }
  return planInstall({ ...request, found: findFiles(tree, hosts, earlier) })
}

const reportOf = (tree: HostTree, wishes?: Wishes) => toChangeReport(plan(tree, wishes), { outcome: 'committed' })

const installed = (host: Host, wishes: Wishes = {}) => follow(new Map(), plan(new Map(), { hosts: [host], ...wishes }))

const SKILL = '.claude/skills/drover-run/SKILL.md'
const CLARIFY = '.claude/skills/drover-clarify/SKILL.md'
const REFERENCE = '.claude/skills/drover-clarify/references/decision-interview.md'
const MANIFEST = manifestPath(claude)
const SENTINEL = sentinelPath(claude)
const mine = regular('mine\n')

describe('a host that is not installed', () => {
  it('gets every file, its manifest and its sentinel, refreshed or not', () => {
    const paths = [...generatedFiles(claude, undefined).map(({ path }) => path), MANIFEST, SENTINEL].sort()
    for (const isRefresh of [true, false]) expect(reportOf(new Map(), { isRefresh }).written).toEqual(paths)
  })

  it('keeps existing files and never claims them, even if drover would write the same bytes', () => {
    const text = generatedFiles(claude, undefined).find(({ path }) => path === SKILL)?.text ?? ''
    for (const file of [mine, regular(text)]) {
      const tree = changed(new Map(), { [SKILL]: file })
      expect(reportOf(tree)).toMatchObject({ preserved: [SKILL], warnings: [] })
      const after = follow(tree, plan(tree))
      expect(textAt(after, MANIFEST)).not.toContain(SKILL)
      expect(after.get(SKILL)).toBe(file)
    }
  })

  it('is not installed if nothing can be claimed', () => {
    const occupied = new Map(generatedFiles(claude, undefined).map(({ path }) => [path, mine]))
    expect(reportOf(occupied)).toMatchObject({
      transaction_outcome: 'committed',
      hosts: ['claude'],
      written: [],
      removed: [],
      warnings: expect.arrayContaining([expect.stringContaining('drover is not installed here, because')]),
    })
  })
})

describe('a host that is installed', () => {
  const whole = installed(claude)

  it('is not changed by a plain install, even if a file is missing', () => {
    const tree = changed(whole, { [SKILL]: undefined })
    expect(plan(tree, { isRefresh: false })).toEqual({
      hosts: ['claude'],
      steps: [],
      preserved: [],
      warnings: [expect.stringContaining('drover hosts install --refresh --tool claude')],
    })
  })

  it('is not changed by a refresh if everything is up to date', () => {
    expect(plan(whole)).toEqual({ hosts: ['claude'], steps: [], preserved: [], warnings: [] })
  })

  it('gets missing files again', () => {
    const tree = changed(whole, { [SKILL]: undefined, [SENTINEL]: undefined })
    expect(reportOf(tree)).toMatchObject({ written: [SENTINEL, SKILL], preserved: [], warnings: [] })
  })

  it.each<[string, FoundFile]>([
    ['other bytes', mine],
    ['a link', { is: 'symlink' }],
    ['a directory', { is: 'directory' }],
    ['a socket', { is: 'other' }],
    ['a huge file', { is: 'oversize' }],
  ])('no longer claims a file that is %s', (_, file) => {
    const tree = changed(whole, { [SKILL]: file })
    const { written, preserved, removed } = reportOf(tree)
    expect({ written, preserved, removed }).toEqual({ written: [MANIFEST], preserved: [SKILL], removed: [] })
    expect(textAt(follow(tree, plan(tree)), MANIFEST)).not.toContain(SKILL)
  })

  it('says why a file was left alone', () => {
    const tree = changed(whole, { [SKILL]: mine })
    expect(plan(tree).preserved).toEqual([{ path: SKILL, because: 'it was changed after drover wrote it' }])
  })

  it('loses a stale claim, with a warning, and keeps the file', () => {
    const claims = new Map([[SKILL, digest('mine\n')]])
    const tree = changed(whole, {
      [SKILL]: mine,
      [MANIFEST]: regular(writeOwnership(claude, { surface: undefined, claims })),
    })
    const report = reportOf(tree)
    expect(report.preserved).toContain(SKILL)
    expect(report.warnings).toContainEqual(expect.stringContaining(`${SKILL} was left alone and is no longer claimed`))
    expect(follow(tree, plan(tree)).get(SKILL)).toBe(mine)
  })

  it('keeps a modified sentinel', () => {
    const tree = changed(whole, { [SENTINEL]: mine })
    expect(reportOf(tree)).toMatchObject({ written: [], preserved: [SENTINEL] })
  })

  it('loses its manifest and sentinel if no claim is left', () => {
    const tree = changed(whole, Object.fromEntries(generatedFiles(claude, undefined).map(({ path }) => [path, mine])))
    expect(reportOf(tree)).toMatchObject({
      removed: [SENTINEL, MANIFEST].sort(),
      written: [],
      warnings: expect.arrayContaining([expect.stringContaining('drover is not installed here, because')]),
    })
    expect(plan(tree).steps).toContainEqual({ do: 'remove_directory', path: '.claude/drover' })
  })
})

describe('a callable', () => {
  const whole = installed(claude)

  it('is removed if drover no longer owns one of its supports, and nothing else is', () => {
    const tree = changed(whole, { [REFERENCE]: mine })
    expect(reportOf(tree)).toMatchObject({
      written: [MANIFEST],
      removed: [CLARIFY],
      preserved: [REFERENCE],
      warnings: [expect.stringMatching(`^claude: ${CLARIFY} .*drover-clarify.*: ${REFERENCE}$`)],
    })
  })

  it('is not written when drover does not own one of its supports', () => {
    const tree = changed(new Map(), { [REFERENCE]: mine })
    expect(reportOf(tree).written).not.toContain(CLARIFY)
    expect(reportOf(tree).written).toContain(SKILL)
  })

  it('is left alone when drover does not own it either', () => {
    const tree = changed(whole, { [REFERENCE]: mine, [CLARIFY]: mine })
    expect(reportOf(tree)).toMatchObject({ removed: [], preserved: [CLARIFY, REFERENCE] })
  })

  it('is written only if its existing supports do not change', () => {
    const tree = changed(whole, { [CLARIFY]: undefined })
    expect(plan(tree).steps.map((step) => [step.do, step.path])).toEqual([
      ['verify', REFERENCE],
      ['create', CLARIFY],
    ])
  })

  it('of codex needs its policy', () => {
    const policy = '.codex/skills/drover-run/agents/openai.yaml'
    const tree = changed(installed(codex), { [policy]: mine })
    expect(reportOf(tree, { hosts: [codex] }).removed).toEqual(['.codex/skills/drover-run/SKILL.md'])
  })
})

describe('files of an earlier release', () => {
  const OLD = '.claude/drover/old.md'
  const earlier: readonly EarlierFile[] = [SKILL, OLD].map((path) => ({
    host: 'claude',
    path,
    digest: digest(`old ${path}`),
    release: '0.0.9',
  }))
  const claims = new Map(earlier.map(({ path, digest }) => [path, digest]))
  const tree = treeOf({
    [SKILL]: `old ${SKILL}`,
    [OLD]: `old ${OLD}`,
    [MANIFEST]: writeOwnership(claude, { surface: undefined, claims }),
    [SENTINEL]: 'generated\n',
  })

  it('are replaced, and removed where this release has none', () => {
    const { steps, preserved, warnings } = plan(tree, { earlier })
    expect(steps).toContainEqual(
      expect.objectContaining({ do: 'replace', path: SKILL, expects: digest(`old ${SKILL}`) }),
    )
    expect(steps).toContainEqual({ do: 'remove', path: OLD, expects: digest(`old ${OLD}`) })
    expect({ preserved, warnings }).toEqual({ preserved: [], warnings: [] })
  })

  it('are not drover’s without the table', () => {
    expect(() => plan(tree)).toThrow('is not a path that drover generates')
  })

  it('belong to the user once they are modified', () => {
    const edited = changed(tree, { [SKILL]: mine, [OLD]: mine })
    expect(reportOf(edited, { earlier }).preserved).toEqual([OLD, SKILL])
  })
})

describe('a sentinel without a manifest', () => {
  it('changes nothing for its host, and the warning says what to do', () => {
    const tree = treeOf({ [sentinelPath(kiro)]: 'generated\n', '.kiro/drover/capabilities/drover-run.md': 'x' })
    for (const isRefresh of [true, false]) {
      expect(plan(tree, { hosts: [kiro, pi], isRefresh })).toMatchObject({
        hosts: ['kiro', 'pi'],
        warnings: [expect.stringMatching(/^kiro: .*drover hosts install --tool kiro --surface ide\|cli/)],
      })
      expect(plan(tree, { hosts: [kiro], isRefresh }).steps).toEqual([])
    }
  })
})

describe('a surface', () => {
  const choose = expect.objectContaining({ code: invalidAdapterSurface.code, kind: 'usage' })

  it('must be chosen for a host that was named, or is the only one', () => {
    expect(() => plan(new Map(), { hosts: [kiro] })).toThrow(choose)
    expect(() => plan(new Map(), { hosts: [claude, kiro] })).toThrow(choose)
    expect(() => plan(new Map(), { hosts: [kiro], isExplicit: false })).toThrow(choose)
  })

  it('that is not chosen skips the host if several were detected', () => {
    expect(plan(new Map(), { hosts: [claude, kiro], isExplicit: false })).toMatchObject({
      hosts: ['claude'],
      warnings: [expect.stringMatching(/^kiro: .*--surface ide .*--surface cli/)],
    })
  })

  it('is only for a selection with a host that has some', () => {
    expect(() => plan(new Map(), { surface: 'ide' })).toThrow(choose)
    expect(plan(new Map(), { hosts: [claude, kiro], surface: 'cli' }).hosts).toEqual(['claude', 'kiro'])
  })

  it('is remembered, and cannot be switched', () => {
    const tree = installed(kiro, { surface: 'cli' })
    expect(plan(tree, { hosts: [kiro] }).steps).toEqual([])
    expect(plan(tree, { hosts: [kiro], surface: 'cli' }).steps).toEqual([])
    for (const isRefresh of [true, false]) {
      expect(() => plan(tree, { hosts: [kiro], surface: 'ide', isRefresh })).toThrow(
        expect.objectContaining({
          code: invalidAdapterSurface.code,
          message: expect.stringContaining('drover hosts uninstall --tool kiro'),
        }),
      )
    }
  })
})

describe('a path that cannot be inspected', () => {
  it.each<[string, string, FoundFile, string]>([
    ['a manifest that is no manifest', manifestPath(codex), regular('{}'), 'is required'],
    ['a manifest that is a link', manifestPath(codex), { is: 'symlink' }, 'is a symbolic link'],
    ['a manifest that is a directory', manifestPath(codex), { is: 'directory' }, 'is a directory'],
    ['a manifest that is too large', manifestPath(codex), { is: 'oversize' }, 'is larger than any manifest'],
    ['a manifest behind a link', manifestPath(codex), { is: 'unreachable', reason: 'a link' }, 'inspected: a link'],
    ['a sentinel', sentinelPath(codex), { is: 'unreadable', reason: 'EACCES' }, 'cannot be inspected: EACCES'],
    ['a file', '.codex/skills/drover-run/SKILL.md', { is: 'unreadable', reason: 'EIO' }, 'cannot be inspected: EIO'],
  ])('(%s) stops all hosts; the report names those that were planned before', (_, path, file, problem) => {
    const tree = changed(new Map(), { [path]: file, [SKILL]: mine })
    expect(() => plan(tree, { hosts: [claude, codex, pi] })).toThrow(
      expect.objectContaining({
        code: installFailed.code,
        message: expect.stringContaining(problem),
        details: expect.objectContaining({
          report: {
            contract_version: 2,
            hosts: ['claude'],
            transaction_outcome: 'not_committed',
            written: [],
            removed: [],
            preserved: [SKILL],
            recovery_artifacts: [],
            warnings: [],
          },
        }),
      }),
    )
  })

  it.each([SKILL, SENTINEL])('stops a refresh of what is installed too: %s', (path) => {
    const tree = changed(installed(claude), { [path]: { is: 'unreadable', reason: 'EIO' } })
    expect(() => plan(tree)).toThrow(`${path} cannot be inspected: EIO`)
  })
})
