import { stripVTControlCharacters } from 'node:util'
import { describe, expect, it } from 'vitest'
import { EXAMPLES } from '../../../scripts/protocol-examples.ts'
import { actionOf, attemptAt, driveState } from '../../../test/support/drive-fixture.ts'
import { makeVariant } from '../../contract/next-variants.ts'
import type { LocalRun } from '../../contract/run-status.shape.ts'
import type { Claim } from '../../drive/record/drive-event.shape.ts'
import type { RunOutline } from '../../runs/read-status.ts'
import { formatSectionChanges } from './run-text.ts'
import { evidenceWord, formatRunView, type ViewOptions } from './run-view.ts'

const RUN = '6f1c2c6e-3b1b-4f39-9b0a-2f4f5a0d9a11'
const variants = [makeVariant('submit-outcome-file', { RUN, ACTION: RUN, ROOT: '/srv/weather' })]
const run = {
  ...EXAMPLES.runStatus,
  next: { ...EXAMPLES.runStatus.next, operation: 'action', variants },
} as unknown as RunOutline

const VERDICT = { reason: '', look_first: [], exists: {} }
const NOT_DRIVEN = { ...VERDICT, word: 'not driven', line: 'not driven', next: 'drover drive 6f1c2c6e' } as const
const DELIVERED = { ...VERDICT, word: 'delivered', line: 'delivered: branch b', next: 'drover merge run-1' } as const

function view(options: Partial<ViewOptions>, shown: RunOutline = run): string {
  const out: ViewOptions['out'] = { style: (_style, text) => text, isTty: true, columns: 80 }
  return formatRunView(shown, { now: new Date(run.updated_at), name: '6f1c2c6e', out, ...options })
}

describe('the view of a run', () => {
  it('offers a host the command that reports an outcome', () => {
    expect(view({})).toContain('a host reports the outcome')
    expect(view({})).toMatch(/^Actions {3}\d+ of \d+ left$/m)
  })

  it('offers the driver of a run, here and in the background', () => {
    const text = view({ verdict: NOT_DRIVEN })
    expect(text).toMatch(
      /\n {2}drover drive 6f1c2c6e +continue\n {2}drover drive 6f1c2c6e --detach +continue in the background\n/,
    )
    expect(text).not.toContain('a host reports')
  })

  it('calls a run delivered, and shows no actions of a run that has ended', () => {
    const ended = { ...run, state: 'ended' } as RunOutline
    expect(view({}, ended)).toMatch(/^Run 6f1c2c6e {2}ended\n/)
    expect(view({ verdict: DELIVERED }, ended)).toMatch(/^Run 6f1c2c6e {2}delivered: branch b\n/)
    expect(view({}, ended)).not.toMatch(/^Actions/m)
  })

  it('shows the whole state at every width', () => {
    const line = 'waiting for limit: claude is limited until 2026-11-19T06:00:00Z; the run continues then'
    const verdict = { ...VERDICT, word: 'waiting for limit', line, next: 'drover status 6f1c2c6e' } as const
    for (let columns = 1; columns <= 160; columns += 1) {
      for (const style of [
        (_: unknown, text: string) => text,
        (_: unknown, text: string) => `\u001b[33m${text}\u001b[39m`,
      ]) {
        const text = stripVTControlCharacters(view({ verdict, out: { style, isTty: true, columns } }))
        expect(text.replaceAll(/\s/g, '')).toContain(`Run 6f1c2c6e  ${line}`.replaceAll(' ', ''))
      }
    }
  })

  it('offers the report of a run that has ended, in place of its summary for programs', () => {
    const ended = { ...run, state: 'ended', summary: 'Worktree:\n- observed_since_start' } as RunOutline
    expect(view({}, ended)).toMatch(/\nNext\n {2}drover report 6f1c2c6e +what was done, and the evidence\n$/)
    expect(view({ root: '..' }, ended)).toContain(`drover report 6f1c2c6e --root ${run.workspace}\n`)
    expect(view({ root: '..', isRemoved: true }, ended)).toContain('drover report 6f1c2c6e --root ..  ')
    expect(view({}, ended)).not.toContain('observed_since_start')
  })

  it('prints a long path whole, below its label', () => {
    const workspace = `/home/${'a'.repeat(70)}`
    expect(view({}, { ...run, workspace })).toContain(`\nWorktree\n${workspace}\n`)
  })

  it('indents every row of a destructive request, so that no part of it looks like a heading', () => {
    const [nbsp, blank] = ['\u00a0', '\u2800']
    const value = `/tmp/cache${nbsp.repeat(62)}Impact${nbsp.repeat(76)}Only temporary files.`
    const impact = `https://example.org/${blank.repeat(60)}Digest:`
    const request = { targets: [{ kind: 'path', value }], impact, scope_sha256: 'sha256:0' }
    const rows = view({}, { ...run, pending_destructive_request: request } as unknown as RunOutline).split('\n')
    const shown = rows.slice(rows.indexOf('Would destroy') + 1, rows.indexOf('Next'))
    expect(shown.filter((row) => /^\S/.test(row))).toEqual(['Impact'])
    expect(Math.max(...shown.map((row) => row.length))).toBeLessThanOrEqual(80)
  })

  it('does not name a worktree that was removed', () => {
    expect(view({ isRemoved: true })).toContain('\nWorktree  removed\n')
  })
})

type Source = NonNullable<LocalRun['pinned_source']>
type Candidate = NonNullable<LocalRun['source_candidate']>

const withSections = (revisions: Readonly<Record<string, string>>) =>
  ({
    sections: Object.entries(revisions).map(([key, section_revision]) => ({ key, section_revision })),
  }) as unknown as Source

const candidate = (revisions: Readonly<Record<string, string>>) =>
  ({ snapshot: withSections(revisions) }) as unknown as Candidate

describe('formatSectionChanges', () => {
  it.each([
    ['no change', { a: '1' }, undefined],
    ['a changed section', { a: '2' }, 'changed: a'],
    ['added sections', { a: '1', b: '1', c: '1' }, 'new: b, c'],
    ['a removed and an added section', { b: '1' }, 'new: b; removed: a'],
  ])('describes %s', (_name, revisions, text) => {
    expect(formatSectionChanges(withSections({ a: '1' }), candidate(revisions))).toBe(text)
  })

  it('returns undefined for a candidate that cannot be used', () => {
    expect(formatSectionChanges(withSections({ a: '1' }), { valid: false } as Candidate)).toBeUndefined()
  })
})

const action = actionOf('implement')
const check = { command: 'test -s wind.txt', passed: true, exit_code: 0, output: '', duration_ms: 1 }
const claim = (subject: string, verdict: Claim['verdict'], exit_code = 0): Claim => {
  return { about: 'activity', subject, exit_code, verdict, note: '' }
}
const claims = [
  claim('make test', 'claimed'),
  claim('make', 'contradicted'),
  claim('make', 'observed', 2),
  { about: 'file', subject: 'wind.txt', verdict: 'observed', note: '' } as const,
]
const drive = driveState([attemptAt(action, { checks: [check], evidence: { attempt: 1, claims, flags: [] } } as never)])

it.each([
  ['test -s wind.txt', 0, 'observed'],
  ['test -s wind.txt', 1, 'reported'],
  ['make test', 0, 'claimed'],
  ['make', 0, 'contradicted'],
  ['make', 2, 'observed'],
  ['wind.txt', 0, 'reported'],
])('%s with exit code %i is %s', (command, exit_code, word) => {
  expect(evidenceWord({ command, exit_code }, action, drive)).toBe(word)
})

it('is reported if no driver has compared it, or in another action', () => {
  const ran = { command: 'make test', exit_code: 0 }
  expect(evidenceWord(ran, action, undefined)).toBe('reported')
  expect(evidenceWord(ran, { action_id: 'other' }, drive)).toBe('reported')
})
