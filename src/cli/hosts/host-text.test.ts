import { describe, expect, it } from 'vitest'
import { CONTRACT_VERSION } from '../../contract/limits.ts'
import type { ListReport } from '../../contract/list-report.shape.ts'
import { NOTHING, type Plan, toChangeReport } from '../../hosts/plan/plan.ts'
import { formatChange, formatHosts, formatPlan } from './host-text.ts'

function linesOf(plan: Plan, outcome: 'committed' | 'rolled_back' | 'not_committed' | 'ambiguous'): string[] {
  const report = toChangeReport(plan, { outcome })
  return formatChange('Install result', { plan, report }).trimEnd().split('\n')
}

const writing = (...paths: string[]): Plan => ({
  ...NOTHING,
  hosts: ['claude'],
  steps: paths.map((path) => ({ do: 'create', path, text: '', mode: 0o644 })),
})

describe('a change, in words', () => {
  it.each([
    ['committed', '  wrote somewhere'],
    ['not_committed', '  nothing was changed'],
    ['rolled_back', '  all changes were undone'],
    ['ambiguous', '  it is unknown which changes were made'],
  ] as const)('that is %s says so', (outcome, line) => {
    expect(linesOf(writing('somewhere'), outcome)).toEqual(['Install result for: claude', line])
  })

  it('that had nothing to do says so, though it is committed', () => {
    expect(linesOf(NOTHING, 'committed')).toEqual(['Install result for: no host', '  nothing was changed'])
  })

  it('says why a file was left alone, and shows no control characters', () => {
    const plan = { ...NOTHING, preserved: [{ path: 'a\u001b[31m', because: 'it is yours' }] }
    expect(linesOf(plan, 'committed')[1]).toMatch(/^ {2}preserved a\S*\[31m because it is yours$/)
    expect(linesOf(plan, 'committed').join('')).not.toContain('\u001b')
  })

  it.each([
    ['.claude/skills/drover-run/SKILL.md', 'Claude Code: /drover-run'],
    ['.codex/skills/drover-run/SKILL.md', 'Codex CLI: $drover-run'],
    ['.kiro/steering/drover-run.md', 'Kiro: #drover-run'],
    ['.kiro/agents/drover-run.json', 'Kiro: kiro-cli chat --agent drover-run'],
  ])('that wrote %s tells how to call it', (path, call) => {
    expect(linesOf(writing(path), 'committed')).toContain(`  to start in ${call}`)
    expect(linesOf(writing(path), 'rolled_back').join()).not.toContain('to start')
  })
})

describe('a plan, in words', () => {
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

  it('has the order of the change that it becomes', () => {
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

describe('a list of hosts, in words', () => {
  const paper = { style: (_style: unknown, text: string) => text, isTty: true, columns: 60 }
  const well = { id: 'claude', detected: true, installed: true, needs_refresh: false, capabilities: ['drover-run'] }
  const absent = { id: 'codex', detected: false, installed: false, needs_refresh: false, capabilities: [] }
  const say = (...hosts: ListReport['hosts']) =>
    formatHosts({ contract_version: CONTRACT_VERSION, hosts }, paper).split('\n')

  it('is a table', () => {
    expect(say(well, absent)).toEqual([
      'HOST    USED HERE  INSTALLED  CAPABILITIES',
      'claude  yes        yes        1',
      'codex   no         no         -',
      '',
    ])
  })

  it('has warnings below their hosts, and says where to read what differs', () => {
    const warning = 'a file\u001b[31m was changed by somebody whom nobody here has ever seen'
    expect(say({ ...well, needs_refresh: true, warning }, absent)).toEqual([
      'HOST    USED HERE  INSTALLED     CAPABILITIES',
      'claude  yes        yes, differs  1',
      '  warning: a file[31m was changed by somebody whom nobody',
      '  here has ever seen',
      'codex   no         no            -',
      'Run "drover doctor" to see what differs from what drover',
      'would install, and what to do.',
      '',
    ])
  })
})
