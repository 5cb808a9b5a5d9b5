import { describe, expect, it } from 'vitest'
import { codeOf, type Driver } from '../../../test/support/drive-run.ts'
import { pinned } from '../../../test/support/pinned-sources.ts'
import { atWork, ended, stopped, waitingForDecision } from '../../../test/support/run-states.ts'
import { findActionSection, findPinnedSection } from './find-material.ts'

const source = pinned
const answered = (): Driver => {
  const driver = waitingForDecision({ source })
  driver.answer({ text: 'x' })
  return driver
}
const bound = (make: (options: object) => Driver) => () => make({ source })

describe('a section for an action', () => {
  it.each<[string, () => Driver, string, string, string]>([
    ['no key', bound(atWork), 'other', 'No key', 'material_section_invalid'],
    ['an empty key', bound(atWork), 'other', '', 'material_section_invalid'],
    ['an action that is not there', atWork, 'other', 'x', 'material_action_not_found'],
    ['a stopped run', bound(stopped), 'action-1', 'x', 'material_action_stale'],
    ['a run that has ended', bound(ended), 'action-1', 'x', 'material_action_stale'],
    ['an action that was withdrawn', answered, 'action-1', 'x', 'material_action_stale'],
    ['an ad-hoc run', atWork, 'action-1', 'x', 'material_unavailable'],
    ['a section that is not there', bound(atWork), 'action-1', 'x'.repeat(64), 'material_section_not_found'],
    ['a key that is too long', bound(atWork), 'action-1', 'x'.repeat(65), 'material_section_invalid'],
    ['a section', bound(atWork), 'action-1', 'outcome', 'done'],
    ['a section for an action that waits', bound(waitingForDecision), 'action-1', 'outcome', 'done'],
  ])('%s', (_what, make, id, key, code) => {
    expect(codeOf(() => findActionSection(make().run, id, key))).toBe(code)
  })

  it('is the pinned one', () => {
    expect(findActionSection(atWork({ source }).run, 'action-1', 'outcome')).toBe(pinned.sections[0])
  })
})

describe('a section for a person', () => {
  it.each<[string, () => Driver, string, string]>([
    ['no key', bound(ended), '.', 'material_section_invalid'],
    ['an ad-hoc run', ended, 'outcome', 'material_unavailable'],
    ['a section that is not there', bound(ended), 'x', 'material_section_not_found'],
    ['a section', bound(ended), 'outcome', 'done'],
  ])('%s', (_what, make, key, code) => {
    expect(codeOf(() => findPinnedSection(make().run, key))).toBe(code)
  })
})
