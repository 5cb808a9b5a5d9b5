import { describe, expect, it } from 'vitest'
import { changed, findFiles, follow, type HostTree, hostOf, regular } from '../../../test/support/host-tree.ts'
import { digest } from '../../kit/digest.ts'
import { uninstallFailed } from '../faults.ts'
import type { FoundFile } from '../found-files.ts'
import { type Host, manifestPath, sentinelPath } from '../host.ts'
import { generatedFiles, HOSTS, listPaths } from '../hosts.ts'
import { writeOwnership } from '../manifest.ts'
import { toChangeReport } from './plan.ts'
import { planInstall } from './plan-install.ts'
import { planUninstall } from './plan-uninstall.ts'

const [claude, codex, copilot, kiro] = [hostOf('claude'), hostOf('codex'), hostOf('copilot'), hostOf('kiro')]

const mine = regular('mine\n')
const SKILL = '.claude/skills/drover-run/SKILL.md'

function installed(...hosts: Host[]): HostTree {
  const found = findFiles(new Map(), hosts)
  const surface = hosts.includes(kiro) ? 'cli' : undefined
  return follow(new Map(), planInstall({ hosts, isExplicit: true, surface, isRefresh: false, found }))
}

const plan = (tree: HostTree, ...hosts: Host[]) => planUninstall({ hosts, found: findFiles(tree, hosts) })
const reportOf = (tree: HostTree, ...hosts: Host[]) => toChangeReport(plan(tree, ...hosts), { outcome: 'committed' })

describe('uninstalling', () => {
  it.each(HOSTS)('$id removes every file that the installation wrote', (host) => {
    const tree = installed(host)
    expect(follow(tree, plan(tree, host))).toEqual(new Map())
    expect(reportOf(tree, host)).toMatchObject({ removed: [...tree.keys()].sort(), preserved: [], warnings: [] })
  })

  it('removes claimed files by path, then manifest, sentinel and directories, the deepest first', () => {
    const steps = plan(installed(claude), claude).steps
    const removed = steps.filter((step) => step.do === 'remove').map(({ path }) => path)
    const files = generatedFiles(claude, undefined).map(({ path }) => path)
    expect(removed).toEqual([...files.sort(), manifestPath(claude), sentinelPath(claude)])
    const directories = steps.slice(removed.length)
    expect(directories.every((step) => step.do === 'remove_directory')).toBe(true)
    expect(directories[0]?.path).toBe('.claude/skills/drover-clarify/references')
    expect(directories.map(({ path }) => path).slice(-3)).toEqual(['.claude/drover', '.claude/skills', '.claude'])
  })

  it('removes the directories of all hosts last', () => {
    const kinds = plan(installed(claude, codex), claude, codex).steps.map((step) => step.do === 'remove_directory')
    expect(kinds.lastIndexOf(false)).toBeLessThan(kinds.indexOf(true))
  })

  it('leaves no empty directory, not even one that a host is detected by', () => {
    const directories = plan(installed(copilot), copilot).steps.filter((step) => step.do === 'remove_directory')
    expect(directories.map(({ path }) => path)).toEqual([
      '.github/agents/references',
      '.github/copilot/drover',
      '.github/agents',
      '.github/copilot',
      '.github',
    ])
  })

  it('does nothing for a host behind a link, and says why', () => {
    const behind: FoundFile = { is: 'unreachable', reason: '.claude is a symbolic link' }
    const tree = new Map(listPaths(claude).map((path) => [path, behind]))
    expect(plan(tree, claude)).toEqual({
      hosts: ['claude'],
      steps: [],
      preserved: [],
      warnings: [`claude: ${manifestPath(claude)} cannot be inspected: .claude is a symbolic link`],
    })
  })

  it('leaves a modified file and reports it', () => {
    const tree = changed(installed(claude), { [SKILL]: mine })
    expect(plan(tree, claude).preserved).toEqual([{ path: SKILL, because: 'it was changed after drover wrote it' }])
    expect(follow(tree, plan(tree, claude))).toEqual(new Map([[SKILL, mine]]))
  })

  it('leaves a file whose claim proves nothing, with a warning', () => {
    const claims = new Map([[SKILL, digest('mine\n')]])
    const manifest = regular(writeOwnership(claude, { surface: undefined, claims }))
    const tree = new Map([
      [SKILL, mine],
      [manifestPath(claude), manifest],
    ])
    expect(reportOf(tree, claude)).toMatchObject({
      removed: [manifestPath(claude)],
      preserved: [SKILL],
      warnings: [expect.stringContaining(SKILL)],
    })
  })

  it('does not report files that are missing or were never claimed', () => {
    const manifest = regular(writeOwnership(claude, { surface: undefined, claims: new Map([[SKILL, digest('x')]]) }))
    const tree = new Map([
      [manifestPath(claude), manifest],
      ['.claude/skills/drover-review/SKILL.md', mine],
    ])
    expect(reportOf(tree, claude)).toMatchObject({ removed: [manifestPath(claude)], preserved: [], warnings: [] })
  })

  it('leaves a modified sentinel', () => {
    const tree = changed(installed(claude), { [sentinelPath(claude)]: { is: 'symlink' } })
    expect(reportOf(tree, claude).preserved).toEqual([sentinelPath(claude)])
  })

  it('does nothing for a host that is not installed', () => {
    expect(plan(new Map(), claude, codex)).toEqual({
      hosts: ['claude', 'codex'],
      steps: [],
      preserved: [],
      warnings: [],
    })
  })

  it('only warns if there is a sentinel and no manifest', () => {
    const tree = changed(installed(claude), { [manifestPath(claude)]: undefined })
    expect(plan(tree, claude)).toMatchObject({
      steps: [],
      warnings: [expect.stringContaining('cannot tell which files are its own')],
    })
  })

  it('changes nothing if a manifest is invalid', () => {
    const tree = changed(installed(claude, codex), { [manifestPath(codex)]: mine })
    expect(() => plan(tree, claude, codex)).toThrow(
      expect.objectContaining({
        code: uninstallFailed.code,
        details: expect.objectContaining({
          report: expect.objectContaining({ hosts: ['claude'], transaction_outcome: 'not_committed', removed: [] }),
        }),
      }),
    )
  })

  it('stops if a file cannot be inspected', () => {
    const tree = changed(installed(claude), { [SKILL]: { is: 'unreadable', reason: 'EIO' } })
    expect(() => plan(tree, claude)).toThrow(`${SKILL} cannot be inspected: EIO`)
  })
})

describe('the policy of a codex skill that stays', () => {
  const skill = '.codex/skills/drover-run/SKILL.md'
  const policy = '.codex/skills/drover-run/agents/openai.yaml'
  const text = 'policy:\n  allow_implicit_invocation: false\n'
  const withoutClaimOn = (...paths: string[]) => {
    const files = generatedFiles(codex, undefined).filter(({ path }) => !paths.includes(path))
    const claims = new Map(files.map((file) => [file.path, digest(file.text)]))
    return { [manifestPath(codex)]: regular(writeOwnership(codex, { surface: undefined, claims })) }
  }

  it.each<[string, Record<string, FoundFile>]>([
    ['was changed', { [skill]: mine }],
    ['is a link now', { [skill]: { is: 'symlink' } }],
    ['was never claimed', { [skill]: mine, ...withoutClaimOn(skill) }],
    ['was changed, and the policy is not claimed', { [skill]: mine, ...withoutClaimOn(policy) }],
  ])('stays too, because the skill %s; its integrity is checked last', (_, entries) => {
    const tree = changed(installed(codex), entries)
    const { steps, preserved, warnings } = plan(tree, codex)
    expect(steps.filter((step) => step.do !== 'remove_directory').at(-1)).toEqual({
      do: 'verify',
      path: policy,
      expects: digest(text),
    })
    expect(preserved).toContainEqual(expect.objectContaining({ path: policy }))
    expect(warnings).toEqual([expect.stringContaining('drover-run is not fully removed')])
    expect([...follow(tree, plan(tree, codex)).keys()].sort()).toEqual([skill, policy])
  })

  it.each<[string, FoundFile | undefined, string]>([
    ['missing', undefined, 'remove the skill, or run drover hosts install --refresh'],
    ['changed', mine, 'remove the skill, or remove the policy and run drover hosts install --refresh'],
    ['a link', { is: 'symlink' }, 'remove the skill, or remove the policy and run drover hosts install --refresh'],
  ])('must not be %s: nothing is uninstalled then', (_, file, remedy) => {
    const tree = changed(installed(codex), { [skill]: mine, [policy]: file })
    expect(() => plan(tree, codex)).toThrow(
      expect.objectContaining({ code: uninstallFailed.code, message: expect.stringContaining(remedy) }),
    )
  })

  it('goes when its skill goes, or is missing', () => {
    const tree = changed(installed(codex), { [skill]: undefined })
    expect(reportOf(tree, codex).removed).toContain(policy)
  })

  it('is ignored when drover never owned it or the skill', () => {
    const tree = changed(installed(codex), { [skill]: mine, [policy]: mine, ...withoutClaimOn(skill, policy) })
    expect(reportOf(tree, codex)).toMatchObject({ preserved: [], warnings: [] })
  })
})
