import { describe, expect, it } from 'vitest'
import { codeOf, type Driver, refusalOf } from '../../../test/support/drive-run.ts'
import {
  amend,
  amended,
  candidateOf,
  invalidOf,
  moved,
  pinned,
  withRevisions,
} from '../../../test/support/pinned-sources.ts'
import { stopped, waitingForChoice } from '../../../test/support/run-states.ts'
import { LIMITS } from '../../contract/limits.ts'
import type { PinnedSource } from '../../contract/pinned-source.shape.ts'
import type { SourceCandidate } from '../../contract/source-candidate.shape.ts'
import { digest } from '../../kit/digest.ts'

const bound = (source = pinned) => stopped({ source })
const refresh = (refreshed: SourceCandidate, driver = bound()) => driver.resume({ refreshed })

/** The source with its second section changed in place. */
const edited = (change: object, provenance: object = {}): PinnedSource =>
  withRevisions({
    ...pinned,
    sections: pinned.sections.map((section, index) =>
      index === 1 ? { ...section, ...change, provenance: { ...section.provenance, ...provenance } } : section,
    ),
  })

const other = { issue_id: 'I_other' }
const addresses = (count: number) =>
  Array.from({ length: count }, (_, index) => `https://github.com/ada/old-${index}/issues/7`)
const adopted = (): Driver => {
  const driver = waitingForChoice()
  driver.resume({ choice: 'adopt', candidateId: 'candidate-1' })
  driver.stop()
  return driver
}
/** After an adoption the comment that was replaced may not come back as something else. */
const retired = amend(amended, 'Back again.\n', 1901)

describe('a refresh, in the order of its checks', () => {
  it.each<[string, SourceCandidate, string]>([
    ['another issue', candidateOf(withRevisions({ ...pinned, ...other })), 'source_issue_mismatch'],
    ['another issue that is no change', invalidOf('candidate-1', other), 'source_issue_mismatch'],
    ['an issue that is no change', invalidOf(), 'source_candidate_created'],
    ['a comment with another text', candidateOf(edited({ body_sha256: digest('x') })), 'source_history_in_place_edit'],
    ['a comment with another key', candidateOf(edited({ key: 'x' })), 'source_history_in_place_edit'],
    [
      'a comment with another role',
      candidateOf({ ...amended, sections: edited({ title: 'x' }).sections }),
      'source_history_in_place_edit',
    ],
    [
      'a comment with another number',
      candidateOf(edited({}, { comment_database_id: 7, url: `${pinned.canonical_url}#issuecomment-7` })),
      'source_history_in_place_edit',
    ],
    [
      'the number of another comment',
      candidateOf(edited({}, { comment_node_id: 'IC_x' })),
      'source_history_in_place_edit',
    ],
    [
      'an amendment of something else',
      candidateOf({ ...amended, parent_requirements_revision: digest('x') }),
      'source_history_fork',
    ],
    ['an amendment of nothing', candidateOf(withoutParent(amended)), 'source_history_fork'],
    ['an amendment', candidateOf(amended), 'source_candidate_created'],
    [
      'other requirements under the same manifest',
      candidateOf({ ...pinned, requirements_revision: digest('x') }),
      'source_integrity_mismatch',
    ],
    ['the same', candidateOf(pinned), 'source_refreshed'],
  ])('%s', (_what, refreshed, expected) => {
    const driver = bound()
    const code = codeOf(() => refresh(refreshed, driver))
    expect(code === 'done' ? driver.run.last_resume_result?.operation : code).toBe(expected)
  })

  it('knows the comments of every earlier pinned source', () => {
    expect(codeOf(() => refresh(candidateOf(amend(amended, 'More.\n', 2002), 'c2'), adopted()))).toBe('done')
    expect(codeOf(() => refresh(candidateOf(retired, 'c2'), adopted()))).toBe('source_history_in_place_edit')
  })

  it('offers a new run for a source that this run cannot accept', () => {
    expect(refusalOf(() => refresh(candidateOf(withRevisions({ ...pinned, ...other }))))).toMatchObject({
      next: { operation: 'start', variants: [{ id: 'start-with-source' }] },
      details: { run_id: 'run-1', state: 'stopped', pinned_issue_id: pinned.issue_id, refreshed_issue_id: 'I_other' },
    })
    expect(refusalOf(() => refresh(candidateOf(withoutParent(amended))))).toMatchObject({
      next: { variants: [{ id: 'start-with-source' }] },
      details: { run_id: 'run-1', state: 'stopped' },
    })
  })
})

describe('the URLs of an issue', () => {
  it('are all kept as aliases, except the current one', () => {
    const driver = bound()
    refresh(candidateOf(moved(pinned, 'wind')), driver)
    expect(driver.run.pinned_source?.url_aliases).toEqual([pinned.canonical_url])
    driver.stop()
    refresh(candidateOf(moved(pinned, 'gusts')), driver)
    expect(driver.run.pinned_source?.url_aliases).toEqual([pinned.canonical_url, moved(pinned, 'wind').canonical_url])
    driver.stop()
    refresh(candidateOf(pinned), driver)
    expect(driver.run.pinned_source?.url_aliases).toEqual([
      moved(pinned, 'wind').canonical_url,
      moved(pinned, 'gusts').canonical_url,
    ])
  })

  it('are also kept in a candidate and its snapshot', () => {
    const driver = bound()
    refresh(candidateOf(moved(amended, 'wind')), driver)
    expect(driver.run.source_candidate).toMatchObject({
      url_aliases: [pinned.canonical_url],
      snapshot: { url_aliases: [pinned.canonical_url] },
    })
    const without = bound()
    const { canonical_url } = moved(pinned, 'wind')
    refresh(invalidOf('c', { canonical_url, comments: [] }), without)
    expect(without.run.source_candidate).toMatchObject({ canonical_url, url_aliases: [pinned.canonical_url] })
  })

  it.each([
    [LIMITS.urlAliases - 1, 'done'],
    [LIMITS.urlAliases, 'source_alias_limit'],
  ])('are at most 64: after %s a move is %s', (count, code) => {
    const driver = bound({ ...pinned, url_aliases: addresses(count) })
    expect(codeOf(() => refresh(candidateOf(moved(pinned, 'wind')), driver))).toBe(code)
  })

  it('may be 64 if the issue did not move', () => {
    const driver = bound({ ...pinned, url_aliases: addresses(LIMITS.urlAliases) })
    expect(codeOf(() => refresh(candidateOf(pinned), driver))).toBe('done')
  })
})

describe('a refresh with the same requirements', () => {
  const parent = { repository_id: 'R_1', issue_id: 'I_1', canonical_url: 'https://github.com/ada/plans/issues/1' }

  it.each<[string, PinnedSource, string]>([
    ['in every respect', pinned, 'source_refreshed_unchanged'],
    ['under another title', withRevisions({ ...pinned, title: 'Knots' }), 'source_refreshed_non_material'],
    [
      'in another repository',
      withRevisions({ ...moved(pinned, 'wind'), repository_id: 'R_2' }),
      'source_refreshed_non_material',
    ],
    ['at another address', moved(pinned, 'wind'), 'source_projection_drift'],
    ['under a parent', { ...pinned, parent }, 'source_projection_drift'],
  ])('%s is noted', (_what, source, token) => {
    const driver = bound()
    refresh(candidateOf(source), driver)
    expect(driver.run.observations).toEqual([token])
    expect(driver.run.pinned_source).toMatchObject({ title: source.title, canonical_url: source.canonical_url })
    expect(driver.run.current_action?.source?.source_revision).toBe(source.source_revision)
  })
})

describe('a refresh with changed or invalid requirements', () => {
  it.each([
    ['source_amendment_candidate', candidateOf(amended)],
    ['source_candidate_invalid', invalidOf()],
  ])('is noted: %s', (token, candidate) => {
    const driver = bound()
    refresh(candidate, driver)
    expect(driver.run).toMatchObject({ observations: [token], source_candidate: candidate, pinned_source: pinned })
  })
})

function withoutParent({ parent_requirements_revision: _, ...source }: PinnedSource): PinnedSource {
  return withRevisions(source)
}
