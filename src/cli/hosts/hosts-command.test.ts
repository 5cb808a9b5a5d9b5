import { describe, expect, it } from 'vitest'
import { CONTRACT_VERSION } from '../../contract/limits.ts'
import type { ListReport } from '../../contract/reports.shape.ts'
import { NOTHING, type Plan, toChangeReport } from '../../hosts/plan/plan.ts'
import { formatChange, formatHosts, formatPlan } from './hosts-command.ts'

function linesOf(plan: Plan, outcome: 'committed' | 'rolled_back' | 'not_committed' | 'ambiguous'): string[] {
  const report = toChangeReport(plan, { outcome })
  return formatChange('Install result', { plan, report }).trimEnd().split('\n')
}

const writing = (...paths: string[]): Plan => ({
  ...NOTHING,
  hosts: ['claude'],
  steps: paths.map((path) => ({ do: 'create', path, text: '', mode: 0o644 })),
})

describe('formatChange', () => {
  it.each([
    ['committed', '  wrote somewhere'],
    ['not_committed', '  nothing was changed'],
    ['rolled_back', '  all changes were undone'],
    ['ambiguous', '  it is unknown which changes were made'],
  ] as const)('names the outcome of a change that is %s', (outcome, line) => {
    expect(linesOf(writing('somewhere'), outcome)).toEqual(['Install result for: claude', line])
  })

  it('says that an empty change changed nothing', () => {
    expect(linesOf(NOTHING, 'committed')).toEqual(['Install result for: no host', '  nothing was changed'])
  })

  it('says why a file was preserved, without control characters', () => {
    const plan = { ...NOTHING, preserved: [{ path: 'a\u001b[31m', because: 'it is yours' }] }
    expect(linesOf(plan, 'committed')[1]).toMatch(/^ {2}preserved a\S*\[31m because it is yours$/)
    expect(linesOf(plan, 'committed').join('')).not.toContain('\u001b')
  })

  it.each([
    ['.claude/skills/drover-run/SKILL.md', 'Claude Code: /drover-run'],
    ['.codex/skills/drover-run/SKILL.md', 'Codex CLI: $drover-run'],
    ['.kiro/steering/drover-run.md', 'Kiro: #drover-run'],
    ['.kiro/agents/drover-run.json', 'Kiro: kiro-cli chat --agent drover-run'],
  ])('says how to start a run after writing %s', (path, call) => {
    expect(linesOf(writing(path), 'committed')).toContain(`  to start in ${call}`)
    expect(linesOf(writing(path), 'rolled_back').join()).not.toContain('to start')
  })
})

describe('formatPlan', () => {
  const digest = `sha256:${'0'.repeat(64)}` as const
  const plan: Plan = {
    hosts: ['claude'],
    steps: [
      { do: 'verify', path: 'z', expects: digest },
      { do: 'remove', path: 'old/b', expects: digest },
      { do: 'remove', path: 'old/a', expects: digest },
      { do: 'create', path: 'c', text: '', mode: 0o644 },
      { do: 'replace', path: 'b', expects: digest, text: '', mode: 0o644 },
      { do: 'create', path: 'a', text: '', mode: 0o644 },
      { do: 'remove_directory', path: 'old' },
    ],
    preserved: [
      { path: 'n', because: 'it is yours' },
      { path: 'm', because: 'it is yours' },
    ],
    warnings: ['two', 'one'],
  }

  it('has the order of the change report', () => {
    const planned = formatPlan('Install plan', plan).trimEnd().split('\n')
    expect(planned).toEqual([
      'Install plan for: claude',
      '  would write a',
      '  would write b over the version that drover wrote before',
      '  would write c',
      '  would remove old/a',
      '  would remove old/b',
      '  would remove the directory old if it is empty',
      '  would preserve m because it is yours',
      '  would preserve n because it is yours',
      '  warning: one',
      '  warning: two',
      '  nothing was changed',
    ])
    const paths = (lines: readonly string[]) =>
      lines.flatMap((line) => /(?:wr|rem|pres)\w+ (\S+)/.exec(line)?.[1] ?? [])
    expect(paths(planned).filter((path) => path !== 'the')).toEqual(paths(linesOf(plan, 'committed')))
  })
})

describe('formatHosts', () => {
  const layout = { style: (_style: unknown, text: string) => text, isTty: true, columns: 60 }
  const installed = {
    id: 'claude',
    detected: true,
    installed: true,
    needs_refresh: false,
    capabilities: ['drover-run'],
  }
  const absent = { id: 'codex', detected: false, installed: false, needs_refresh: false, capabilities: [] }
  const lines = (...hosts: ListReport['hosts']) =>
    formatHosts({ contract_version: CONTRACT_VERSION, hosts }, layout).split('\n')

  it('prints a table', () => {
    expect(lines(installed, absent)).toEqual([
      'HOST    USED HERE  INSTALLED  CAPABILITIES',
      'claude  yes        yes        1',
      'codex   no         no         -',
      '',
    ])
  })

  it('prints warnings below their hosts, and a hint if a host differs', () => {
    const warning = 'a file\u001b[31m was changed by a user who has no account on this machine'
    expect(lines({ ...installed, needs_refresh: true, warning }, absent)).toEqual([
      'HOST    USED HERE  INSTALLED     CAPABILITIES',
      'claude  yes        yes, differs  1',
      '  warning: a file[31m was changed by a user who has no',
      '  account on this machine',
      'codex   no         no            -',
      'Run "drover doctor" to see what differs from what drover',
      'would install, and what to do.',
      '',
    ])
  })
})
