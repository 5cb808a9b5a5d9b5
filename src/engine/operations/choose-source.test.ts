import { describe, expect, it } from 'vitest'
import { codeOf, type Driver, refusalOf } from '../../../test/support/drive-run.ts'
import { amend, amended, candidateOf, moved, pinned, withRevisions } from '../../../test/support/pinned-sources.ts'
import { waitingForChoice, waitingForDecision, waitingWithInvalid } from '../../../test/support/run-states.ts'
import type { PinnedSource } from '../../contract/pinned-source.shape.ts'

const adopt = { choice: 'adopt', candidateId: 'candidate-1' }
const keep = { choice: 'pinned', candidateId: 'candidate-1' }

/** A run with a decision, stopped, that found this. */
const finding = (source: PinnedSource): Driver => {
  const driver = waitingForDecision({ source: pinned })
  driver.answer({ text: 'Knots.' })
  driver.stop()
  driver.resume({ refreshed: candidateOf(source) })
  return driver
}

describe('a source choice', () => {
  it('to adopt pins the candidate', () => {
    const driver = waitingForChoice()
    driver.resume(adopt)
    expect(driver.run).toMatchObject({ pinned_source: amended, source_candidate: undefined })
    expect(driver.run.current_action?.requirements?.requirements_revision).toBe(amended.requirements_revision)
    expect(driver.run.source_choices).toEqual([
      { candidate_id: 'candidate-1', choice: 'adopt', resulting_action_id: 'action-4', at: '2026-01-31T10:00:04.000Z' },
    ])
    expect(driver.run.current_action?.action_id).toBe('action-4')
  })

  it('to adopt other requirements supersedes the decisions for the old ones', () => {
    const driver = finding(amended)
    driver.resume(adopt)
    const superseded_by = `requirements:${amended.requirements_revision}`
    expect(driver.run.answers).toMatchObject([{ active: false, superseded_by }])
    expect(driver.run.current_action?.context).toContain('Decisions:\n(none)')
  })

  it('to adopt the same requirements keeps the decisions active', () => {
    const again = pinned.sections[1]
    const text = 'What there is to say about requirements.\n'
    const same = amend(pinned, text, 2001)
    expect(same.sections[1]?.section_revision).toBe(again?.section_revision)
    const driver = finding(same)
    driver.resume(adopt)
    expect(driver.run.answers).toMatchObject([{ active: true }])
    expect(driver.run.pinned_source?.manifest_revision).toBe(same.manifest_revision)
  })

  it('to keep the pinned source updates the location of the issue', () => {
    const found = withRevisions({ ...moved(amended, 'wind'), repository_id: 'R_2', title: 'Knots' })
    const driver = finding(found)
    driver.resume(keep)
    const { repository_id, canonical_url } = found
    const kept = withRevisions({ ...pinned, repository_id, canonical_url, url_aliases: [pinned.canonical_url] })
    expect(driver.run.pinned_source).toEqual(kept)
    expect(driver.run.answers).toMatchObject([{ active: true }])
  })

  it('to keep the pinned source updates or removes the parent', () => {
    const parent = { repository_id: 'R_1', issue_id: 'I_1', canonical_url: 'https://github.com/ada/plans/issues/1' }
    const driver = finding({ ...amended, parent })
    driver.resume(keep)
    expect(driver.run.pinned_source?.parent).toEqual(parent)
    driver.stop()
    driver.resume({ refreshed: candidateOf(amended, 'candidate-2') })
    driver.resume({ choice: 'pinned', candidateId: 'candidate-2' })
    expect(driver.run.pinned_source).toEqual(pinned)
  })

  it('cannot adopt an invalid candidate', () => {
    const driver = waitingWithInvalid()
    expect(codeOf(() => driver.resume(adopt))).toBe('invalid_source_candidate_choice')
    expect(refusalOf(() => driver.resume(adopt)).next.variants.map(({ id }) => id)).toEqual(['keep-pinned'])
    driver.resume(keep)
    expect(driver.run).toMatchObject({ state: 'active', pinned_source: pinned })
  })

  it('can be made in a run that was stopped meanwhile', () => {
    const driver = waitingForChoice()
    driver.stop()
    driver.resume(adopt)
    expect(driver.run.state).toBe('active')
  })
})
