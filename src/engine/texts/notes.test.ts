import { describe, expect, it } from 'vitest'
import { CLEAN, changed, type Driver } from '../../../test/support/drive-run.ts'
import { atKind, atWork } from '../../../test/support/run-states.ts'

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
