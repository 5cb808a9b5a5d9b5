import { describe, expect, it } from 'vitest'
import { defineFindings, ok, problem, toDoctorCheck } from './checks/finding.ts'
import { formatReport } from './doctor.ts'

const { healthy } = defineFindings('Hosts', 'adapter', { healthy: ok('It is healthy.') })
const { broken } = defineFindings('Runs', 'runs', { broken: problem('It is not.', 'fix it') })

const layout = { style: (_: unknown, text: string) => text, isTty: true, columns: 44 }

describe('formatReport', () => {
  it('groups the findings, in a fixed order', () => {
    expect(formatReport([broken({ detail: 'broken' }), healthy({ detail: 'fine' })], layout)).toBe(
      'Hosts\n  ok      fine\n\nRuns\n  error   broken (broken)\n          → fix it\n\n1 error, 0 warnings.\n',
    )
  })

  it('merges hosts with the same ok finding into one line', () => {
    const findings = [
      healthy({ host: 'a', detail: 'fine' }),
      healthy({ host: 'b', detail: 'better' }),
      healthy({ host: 'c', detail: 'fine' }),
      healthy({ detail: 'fine' }),
    ]
    expect(formatReport(findings, layout)).toBe(
      'Hosts\n  ok      a, c: fine\n  ok      b: better\n  ok      fine\n\nEverything is in order.\n',
    )
    const errors = [broken({ host: 'a', detail: 'x' }), broken({ host: 'b', detail: 'x' })]
    expect(formatReport(errors, layout).match(/error {3}/g)).toHaveLength(2)
  })

  it('wraps lines to the width of the terminal, with an indent', () => {
    const text = formatReport(
      [broken({ detail: 'one two three four five six seven eight', todo: 'do this and that and more' })],
      layout,
    )
    expect(text.split('\n').slice(1, 5)).toEqual([
      '  error   one two three four five six seven',
      '          eight (broken)',
      '          → do this and that and more',
      '',
    ])
  })

  it('removes control characters', () => {
    expect(formatReport([broken({ detail: 'a\u001b[2Jb\nc' })], layout)).toContain('a[2Jb c')
  })
})

describe('toDoctorCheck', () => {
  it('appends the todo to the detail, on one line', () => {
    expect(toDoctorCheck(broken({ detail: 'a\nb\ud800' }))).toEqual({
      code: 'broken',
      status: 'error',
      host_id: '-',
      name: 'runs',
      detail: 'a b\ufffd; fix it',
    })
    expect(toDoctorCheck(broken({ detail: 'a', todo: undefined })).detail).toBe('a')
    expect(toDoctorCheck(broken({ detail: 'a', host: 'kiro', todo: 'x' }))).toMatchObject({
      host_id: 'kiro',
      detail: 'a; x',
    })
  })
})
