import { describe, expect, it } from 'vitest'
import { NOTHING, type Plan, toChangeReport } from '../../hosts/plan.ts'
import { sayChange } from './host-text.ts'

function linesOf(plan: Plan, outcome: 'committed' | 'rolled_back' | 'not_committed' | 'ambiguous'): string[] {
  const report = toChangeReport(plan, { outcome })
  return sayChange('Install result', { plan, report }).trimEnd().split('\n')
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
    ['rolled_back', '  everything was put back'],
    ['ambiguous', '  it is not certain what was changed'],
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
