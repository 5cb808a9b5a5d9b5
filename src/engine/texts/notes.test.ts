import { describe, expect, it } from 'vitest'
import { CLEAN, changed, continueRun, type Driver, type DriverOptions } from '../../../test/support/drive-run.ts'
import { atKind, atWork } from '../../../test/support/run-states.ts'
import { readJson } from '../../kit/json/read-json.ts'
import { writeJson } from '../../kit/json/write-json.ts'
import type { JsonValue } from '../../kit/json-value.ts'
import { checkRunEvent } from '../check-event.ts'
import { ownNotes } from './notes.ts'

const partly = { ...changed(), content_observation_complete: false }

describe('the notes of the engine', () => {
  it('say once that something changed and that the cause is unknown', () => {
    const driver = atWork({ reviewEnabled: false })
    driver.setGit(changed())
    driver.submit({ suggested_actions: [{ kind: 'clarify', brief: 'Ask.' }] })
    driver.setGit(changed('again'))
    driver.submit()
    expect(driver.run.observations).toEqual([expect.stringMatching(/^observed_since_start:/)])
    expect(driver.run.uncertainties).toEqual([expect.stringMatching(/^attribution_uncertainty:/)])
  })

  it('say once that not all content could be read', () => {
    const driver = atWork({ git: { ...CLEAN, content_observation_complete: false } })
    driver.setGit(partly)
    driver.submit()
    const notes = driver.run.uncertainties.filter((text) => text.startsWith('git_content_observation_incomplete:'))
    expect(notes).toHaveLength(1)
  })

  it('are empty if nothing changed', () => {
    const driver = atWork()
    driver.submit()
    expect([driver.run.observations, driver.run.uncertainties]).toEqual([[], []])
  })

  it.each([
    ['completed', 'applied', true, false],
    ['completed', 'applied', false, true],
    ['partial', 'partial', true, false],
    ['partial', 'partial', false, true],
    ['completed', 'not_needed', true, true],
    ['completed', 'not_needed', false, false],
    ['error', 'unable', true, true],
    ['error', 'unable', false, false],
  ] as const)('compare a report with the worktree: %s %s, changed: %s', (status, result, isChanged, isNoted) => {
    const driver: Driver = atKind('implement')
    if (isChanged) driver.setGit(changed())
    const implementation = { result, files_changed: [], activities: [], uncertainties: [], attempts: 1 }
    driver.submit({ action_kind: 'implement', status, implementation })
    const notes = driver.run.observations.filter((text) => text.startsWith('report_discrepancy:'))
    expect(notes).toHaveLength(isNoted ? 1 : 0)
    if (isNoted) expect(notes[0]).toContain(`"${result}"`)
  })
})

describe('a note of the engine that a host repeats', () => {
  const NOTE =
    'report_discrepancy: implement reported "not_needed", but the worktree differs from its state at the start of the run'
  const implementation = { result: 'not_needed', files_changed: [], activities: [], uncertainties: [], attempts: 1 }
  const ownIn = ({ run }: Driver) => ownNotes(run, 'observations').filter((text) => text.startsWith('report_'))

  it.each([
    ['before it', [NOTE], []],
    ['after it', [], [NOTE]],
    ['before and after it', [NOTE, 'Slow.'], ['Fast.', NOTE, NOTE]],
  ])('%s is the one note of the engine', (_when, before, after) => {
    const driver = atKind('implement')
    driver.setGit(changed())
    driver.submit({ action_kind: 'implement', implementation, observations: before })
    driver.submit({ action_kind: 'review', observations: after })
    expect(ownIn(driver)).toEqual([NOTE])
  })

  it('is not added a second time', () => {
    const note = NOTE.replace('not_needed', 'applied').replace('differs from', 'equals')
    const driver = atKind('implement')
    driver.submit({ action_kind: 'implement', observations: [note] })
    driver.stop()
    driver.resume()
    driver.submit({ suggested_actions: [{ kind: 'implement', brief: 'Go.' }] })
    driver.submit({ action_kind: 'implement', observations: [note] })
    expect(driver.run.observations.filter((text) => text === note)).toHaveLength(3)
  })

  it('is known when older reports are in the journal only', () => {
    const driver = atKind('implement')
    driver.setGit(changed())
    const observations = [NOTE, ...Array<string>(127).fill('Slow.')]
    driver.submit({ action_kind: 'implement', implementation, observations })
    expect(driver.run.omitted_observations).toBe(2)
    expect(ownIn(driver)).toEqual([NOTE])
  })
})

/** The notes as an earlier version worded them, and as this one does. */
const EARLIER_WORDS = [
  [
    'observed_since_start: the worktree differs from its state at the start of the run',
    'observed_since_start: the worktree is not as it was when the run began',
  ],
  [
    'attribution_uncertainty: the cause of the difference is unknown; it need not be this run',
    'attribution_uncertainty: what made the difference is not known; it need not have been this run',
  ],
  ['could be read, so a change in them', 'could be read, so that a change in them'],
  ['but the worktree equals its state at the start of the run', 'but the worktree is as it was when the run began'],
  ['was suggested but not issued, because', 'was suggested and not taken up, because'],
] as const

/** What `happens`, then again after the notes are in the words of an earlier version. */
function twice(options: DriverOptions, happens: (driver: Driver) => void): Driver {
  const earlier = atWork(options)
  happens(earlier)
  const journal = writeJson(earlier.events as unknown as JsonValue)
  const reworded = EARLIER_WORDS.reduce((text, [now, then]) => text.replaceAll(now, then), journal)
  expect(reworded).not.toBe(journal)
  const events = readJson(Buffer.from(reworded), { input: 'journal', limitBytes: reworded.length })
  const driver = continueRun((events as JsonValue[]).map(checkRunEvent))
  happens(driver)
  return driver
}

describe('the notes of an earlier version', () => {
  const suggested_actions = [{ kind: 'clarify', brief: 'Ask.' }]

  it('are not added again in the words of this version', () => {
    const driver = twice({ reviewEnabled: false, git: { ...CLEAN, content_observation_complete: false } }, (each) => {
      each.setGit(partly)
      each.submit({ suggested_actions })
    })
    expect(driver.run.observations).toEqual(['observed_since_start: the worktree is not as it was when the run began'])
    expect(driver.run.uncertainties.map((text) => text.split(':')[0])).toEqual([
      'git_content_observation_incomplete',
      'attribution_uncertainty',
    ])
    driver.submit({ action_kind: 'clarify' })
    driver.submit({ action_kind: 'summarize' })
    expect(driver.run.summary).toContain('Observations:\n- observed_since_start: the worktree is not as it was when')
  })

  it('say once that a report differs from the worktree', () => {
    const driver = twice({}, (each) => {
      each.submit({ suggested_actions: [{ kind: 'implement', brief: 'Go.' }] })
      each.submit({ action_kind: 'implement' })
      each.stop()
      each.resume()
    })
    expect(driver.run.observations.filter((text) => text.startsWith('report_discrepancy:'))).toEqual([
      'report_discrepancy: implement reported "applied", but the worktree is as it was when the run began',
    ])
  })

  it('say once that a suggestion was dropped', () => {
    let mark = 0
    const driver = twice({}, (each) => {
      mark += 1
      each.setGit(changed(`change ${mark}`))
      each.submit({ suggested_actions })
      each.stop()
      each.resume()
    })
    expect(driver.run.uncertainties.filter((text) => text.startsWith('unresolved_suggestion:'))).toEqual([
      'unresolved_suggestion: clarify was suggested and not taken up, because a review comes first: Ask.',
    ])
  })

  it('are not taken for the report of a host, nor a report for a note', () => {
    const driver = atWork({ reviewEnabled: false })
    driver.setGit(changed())
    driver.submit({ observations: ['observed_since_start: the host says so'], suggested_actions })
    expect(driver.run.observations).toEqual([
      'observed_since_start: the host says so',
      'observed_since_start: the worktree differs from its state at the start of the run',
    ])
  })
})
