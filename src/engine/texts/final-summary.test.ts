import { describe, expect, it } from 'vitest'
import { gitObservation } from '../../../scripts/protocol-examples.ts'
import { decision } from '../../../test/support/contract-examples.ts'
import { changed, type Driver } from '../../../test/support/drive-run.ts'
import { atKind, atWork, ended, waitingForDecision } from '../../../test/support/run-states.ts'
import { digest } from '../../kit/digest.ts'
import { finalSummary, SUMMARY_BYTES } from './final-summary.ts'

/** The lines of a block of a summary. */
const block = ({ run }: Driver, heading: string) =>
  (run.summary ?? '').split(`\n${heading}:\n`)[1]?.split('\n\n')[0]?.split('\n').filter(Boolean)

/** A run with something of everything. */
const rich = (): Driver => {
  const driver = waitingForDecision({ git: gitObservation })
  driver.answer({ text: 'Knots.' })
  driver.submit({
    observations: ['Seen.', 'Seen.'],
    known_issues: ['Wrong.'],
    suggested_actions: [{ kind: 'implement', brief: 'Do it.' }],
  })
  driver.setGit(changed())
  driver.submit({
    action_kind: 'implement',
    implementation: {
      result: 'not_needed',
      files_changed: ['b.ts', ' a.ts ', '', 'b.ts'],
      activities: [{ kind: 'test', command: 'npm test', exit_code: -9, summary: 'Killed.' }],
      uncertainties: ['Hm.'],
      attempts: 1,
    },
  })
  const finding = { location: 'a.ts:1', summary: 'Rounds', detail: 'Twice.' }
  driver.submit({
    action_kind: 'review',
    observations: ['Of the review.'],
    review: { result: 'findings_reported', findings: [finding], uncertainties: [] },
  })
  driver.submit()
  return driver
}

describe('the summary of a run', () => {
  it('has its blocks in order', () => {
    const headings = [...(rich().run.summary ?? '').matchAll(/^([A-Z][^:\n]*):/gm)].map(([, heading]) => heading)
    expect(headings).toEqual([
      'Reports',
      'Worktree',
      'Files reported as changed',
      'Decisions',
      'Observations',
      'Review',
      'Checks',
      'Skipped',
      'Withdrawn',
      'Known issues',
      'Uncertainties',
      'Dirty paths when the run started',
    ])
  })

  it('has everything reported, decided, observed, found and left open', () => {
    const driver = rich()
    expect(block(driver, 'Reports')).toEqual([
      '- orient (withdrawn): Done with orient.',
      '- orient: Done with orient.',
      '- implement: Done with implement.',
      '- review: Done with review.',
      '- summarize: Done with summarize.',
    ])
    expect(block(driver, 'Worktree')?.[0]).toMatch(/^- observed_since_start:/)
    expect(block(driver, 'Worktree')?.[1]).toMatch(/^- attribution_uncertainty:/)
    expect(block(driver, 'Files reported as changed')).toEqual(['- a.ts', '- b.ts'])
    expect(block(driver, 'Decisions')).toEqual(['- action action-1: Knots.'])
    expect(block(driver, 'Observations')).toEqual([
      '- Seen.',
      expect.stringMatching(/^- observed_since_start:/),
      expect.stringMatching(/^- report_discrepancy:/),
    ])
    expect(block(driver, 'Review')).toEqual(['- a.ts:1: Rounds — Twice.'])
    expect(block(driver, 'Checks')).toEqual(['- test: npm test (exit -9): Killed.'])
    expect(block(driver, 'Skipped')).toEqual(['- none'])
    expect(block(driver, 'Withdrawn')).toEqual(['- orient'])
    expect(block(driver, 'Known issues')).toEqual(['- Wrong.'])
    expect(block(driver, 'Uncertainties')).toContain('- Hm.')
    expect(driver.run.summary).toContain('- notes.txt (untracked, ??, regular, 6 bytes')
  })

  it('says "none" for empty blocks', () => {
    const driver = ended()
    expect(block(driver, 'Worktree')).toEqual(['- no difference from the start of the run was observed'])
    expect(block(driver, 'Checks')).toEqual(['- No test, type check, build or lint was reported.'])
    for (const heading of ['Files reported as changed', 'Decisions', 'Observations', 'Skipped', 'Withdrawn']) {
      expect(block(driver, heading)).toEqual(['- none'])
    }
    expect(driver.run.summary).not.toContain('not clean')
  })

  it.each<[string, () => Driver, string]>([
    ['was skipped', () => summed(atKind('review'), (driver) => driver.skip()), '- skipped by the user'],
    [
      'found nothing',
      () => summed(atKind('review'), (driver) => driver.submit()),
      '- no_findings_reported: Done with review.',
    ],
    ['was withdrawn', () => summed(atKind('review'), withdraw), '- issued, but withdrawn before it could report'],
    ['was turned off', () => ended({ reviewEnabled: false }), '- turned off for this run'],
    ['was not needed', ended, '- not issued'],
  ])('says that the review %s', (_what, make, line) => {
    expect(block(make(), 'Review')).toEqual([line])
  })

  it('lists what was skipped', () => {
    const driver = atWork()
    driver.submit({ status: 'needs_input', pause: decision })
    driver.skip()
    driver.submit()
    expect(block(driver, 'Reports')?.[0]).toBe('- orient (skipped): Done with orient.')
    expect(block(driver, 'Skipped')).toEqual(['- orient'])
  })

  it.each([0, 1])('is cut to its limit: %s bytes over', (excess) => {
    const { run } = ended()
    const known_issues = ['']
    const bytes = Buffer.byteLength(finalSummary({ ...run, known_issues }))
    const filled = { ...run, known_issues: ['x'.repeat(SUMMARY_BYTES - bytes + excess)] }
    const summary = finalSummary(filled)
    if (excess === 0) return expect(Buffer.byteLength(summary)).toBe(SUMMARY_BYTES)
    const [, omitted, whole] =
      /\n\n\.\.\.\[summary truncated omitted_bytes=(\d+) original_sha256=(.*)\]\n$/.exec(summary) ?? []
    expect(Buffer.byteLength(summary)).toBe(SUMMARY_BYTES)
    const kept = summary.indexOf('\n\n...[summary')
    expect(Number(omitted)).toBe(SUMMARY_BYTES + 1 - kept)
    expect(whole).toMatch(/^sha256:[0-9a-f]{64}$/)
    expect(digest('')).not.toBe(whole)
  })
})

function withdraw(driver: Driver): void {
  driver.stop()
  driver.resume()
  driver.setGit(driver.run.initial_git)
  driver.submit()
}

function summed(driver: Driver, operate: (driver: Driver) => unknown): Driver {
  operate(driver)
  driver.submit()
  return driver
}
