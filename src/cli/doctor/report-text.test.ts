import { describe, expect, it } from 'vitest'
import { defineCheck, toDoctorCheck } from './check.ts'
import { sayReport } from './report-text.ts'

const well = defineCheck({ code: 'well', group: 'Hosts', name: 'adapter', status: 'ok', means: 'It is well.' })
const unwell = defineCheck({
  code: 'unwell',
  group: 'Runs',
  name: 'runs',
  status: 'error',
  means: 'It is not.',
  todo: 'mend it',
})

const paper = { style: (_: unknown, text: string) => text, isTty: true, columns: 44 }

describe('the report for people', () => {
  it('has a paragraph for each group that something was found in, in one order whatever was found first', () => {
    expect(sayReport([unwell({ detail: 'broken' }), well({ detail: 'fine' })], paper)).toBe(
      'Hosts\n  ok      fine\n\nRuns\n  error   broken (unwell)\n          → mend it\n\n1 error, 0 warnings.\n',
    )
  })

  it('names hosts that are well in the same way in one line, and all others alone', () => {
    const findings = [
      well({ host: 'a', detail: 'fine' }),
      well({ host: 'b', detail: 'better' }),
      well({ host: 'c', detail: 'fine' }),
      well({ detail: 'fine' }),
    ]
    expect(sayReport(findings, paper)).toBe(
      'Hosts\n  ok      a, c: fine\n  ok      b: better\n  ok      fine\n\nEverything is in order.\n',
    )
    const broken = [unwell({ host: 'a', detail: 'x' }), unwell({ host: 'b', detail: 'x' })]
    expect(sayReport(broken, paper).match(/error {3}/g)).toHaveLength(2)
  })

  it('breaks lines to the width of the terminal, under where they began', () => {
    const text = sayReport(
      [unwell({ detail: 'one two three four five six seven eight', todo: 'do this and that and more' })],
      paper,
    )
    expect(text.split('\n').slice(1, 5)).toEqual([
      '  error   one two three four five six seven',
      '          eight (unwell)',
      '          → do this and that and more',
      '',
    ])
  })

  it('shows nothing that could move the cursor', () => {
    expect(sayReport([unwell({ detail: 'a\u001b[2Jb\nc' })], paper)).toContain('a[2Jb c')
  })
})

describe('the report for programs', () => {
  it('has what to do behind what was found, on one line', () => {
    expect(toDoctorCheck(unwell({ detail: 'a\nb\ud800' }))).toEqual({
      code: 'unwell',
      status: 'error',
      host_id: '-',
      name: 'runs',
      detail: 'a b\ufffd; mend it',
    })
    expect(toDoctorCheck(unwell({ detail: 'a', todo: undefined })).detail).toBe('a')
    expect(toDoctorCheck(unwell({ detail: 'a', host: 'kiro', todo: 'x' }))).toMatchObject({
      host_id: 'kiro',
      detail: 'a; x',
    })
  })
})
