import { describe, expect, it } from 'vitest'
import { EXAMPLES } from '../../scripts/protocol-examples.ts'
import { invalidCandidate, pinnedSource, validCandidate } from '../../test/support/contract-examples.ts'
import { checkPinnedSource } from '../../test/support/message-checkers.ts'
import { problemsOf } from '../../test/support/problems.ts'
import { LIMITS } from './limits.ts'
import { checkRawSourceEnvelope } from './raw-source-envelope.ts'
import { checkSourceCandidate } from './source-candidate.ts'

const envelope = EXAMPLES.rawSourceEnvelope
const [comment] = envelope.comments
if (comment === undefined) throw new Error('the example has a comment')

const commentOf = (database_id: number) => ({
  ...comment,
  node_id: `IC_${database_id}`,
  database_id,
  url: `${envelope.canonical_url}#issuecomment-${database_id}`,
})

const OTHER = `sha256:${'0'.repeat(64)}`

describe('a raw source envelope', () => {
  it.each([
    ['an empty body', { body: '' }, []],
    ['a body of several lines', { body: 'a\r\n\tb\n' }, []],
    ['another number in its URL', { issue_number: 8, comments: [] }, ['$.canonical_url']],
    [
      'a number that only ends the one in its URL',
      { issue_number: 7, canonical_url: `${envelope.canonical_url.slice(0, -1)}17`, comments: [] },
      ['$.canonical_url'],
    ],
    [
      'a comment of another issue',
      { comments: [{ ...comment, url: comment.url.replace('weather', 'climate') }] },
      ['$.comments[0].url'],
    ],
    ['a comment under another number', { comments: [{ ...comment, database_id: 5 }] }, ['$.comments[0].url']],
    [
      'a comment id twice',
      { comments: [commentOf(1), { ...commentOf(2), node_id: 'IC_1' }] },
      ['$.comments[1].node_id'],
    ],
    [
      'a comment number twice',
      { comments: [commentOf(1), { ...commentOf(1), node_id: 'IC_2' }] },
      ['$.comments[1].database_id'],
    ],
    ['a parent that is null', { parent: null }, ['$.parent']],
    ['another provider', { provider: 'gitlab' }, ['$.provider']],
    ['another host', { host: 'example.com' }, ['$.host']],
    ['another version', { source_version: 1 }, ['$.source_version']],
    ['a node id with white space', { issue_id: 'I 1' }, ['$.issue_id']],
    ['a node id with a control character', { issue_id: 'I\u0001' }, ['$.issue_id']],
    ['a blank title', { title: ' ' }, ['$.title']],
    ['a title of two lines', { title: 'a\nb' }, ['$.title']],
    ['a time that is none', { updated_at: 'yesterday' }, ['$.updated_at']],
  ])('with %s', (_name, change, paths) => {
    expect(problemsOf(checkRawSourceEnvelope, { ...envelope, ...change }).map(({ path }) => path)).toEqual(paths)
  })

  it.each([
    ['https://github.com/a/b/issues/7', true],
    ['https://github.com/A-1/b_2.c-d/issues/7', true],
    ['https://github.com/a/.../issues/7', true],
    ['https://github.com/a/../issues/7', false],
    ['https://github.com/a/./issues/7', false],
    ['https://github.com/a_b/c/issues/7', false],
    ['https://github.com/a/b/issues/07', false],
    ['https://github.com/a/b/issues/0', false],
    ['https://github.com/a/b/issues/7/', false],
    ['https://github.com/a/b/issues/7?x', false],
    ['https://github.com/a/b/issues/7#x', false],
    ['https://github.com/a/b/pull/7', false],
    ['https://github.com:443/a/b/issues/7', false],
    ['https://x@github.com/a/b/issues/7', false],
    ['https://GITHUB.com/a/b/issues/7', false],
    ['HTTPS://github.com/a/b/issues/7', false],
    ['http://github.com/a/b/issues/7', false],
    ['https://github.com/a%2Fc/b/issues/7', false],
    ['https://githubXcom/a/b/issues/7', false],
  ])('has an issue URL: %s', (canonical_url, isAccepted) => {
    const problems = problemsOf(checkRawSourceEnvelope, { ...envelope, canonical_url, comments: [] })
    expect(problems.length === 0).toBe(isAccepted)
  })

  it('reports the URL that a comment should have', () => {
    expect(problemsOf(checkRawSourceEnvelope, { ...envelope, comments: [{ ...comment, database_id: 5 }] })).toEqual([
      { path: '$.comments[0].url', rule: 'must be https://github.com/ada/weather/issues/7#issuecomment-5' },
    ])
  })
})

const [section, ...others] = pinnedSource.sections
if (section === undefined) throw new Error('the example has sections')
const [alias = ''] = pinnedSource.url_aliases
const provenance = (change: object) => ({
  sections: [{ ...section, provenance: { ...section.provenance, ...change } }, ...others],
})

describe('a pinned source', () => {
  it.each([
    ['a section seen under an alias', provenance({ url: `${alias}#issuecomment-1900` }), []],
    [
      'a section of another issue',
      provenance({ url: 'https://github.com/x/y/issues/7#issuecomment-1900' }),
      ['$.sections[0].provenance.url'],
    ],
    [
      'a section under another number',
      provenance({ url: `${pinnedSource.canonical_url}#issuecomment-1` }),
      ['$.sections[0].provenance.url'],
    ],
    ['another number in its URL', { issue_number: 8 }, ['$.canonical_url']],
    ['its own URL for an alias', { url_aliases: [alias, pinnedSource.canonical_url] }, ['$.url_aliases[1]']],
    ['an alias twice', { url_aliases: [alias, alias] }, ['$.url_aliases']],
    [
      'a key twice',
      { sections: [section, { ...others[0], key: section.key }, ...others.slice(1)] },
      ['$.sections[1].key'],
    ],
    ['an empty revision before', { parent_requirements_revision: '' }, ['$.parent_requirements_revision']],
    ['another profile', { profile: 'change/v1' }, ['$.profile']],
  ])('with %s', (_name, change, paths) => {
    expect(problemsOf(checkPinnedSource, { ...pinnedSource, ...change }).map(({ path }) => path)).toEqual(paths)
  })

  it.each(['comment_node_id', 'comment_database_id'] as const)('has no two sections with one %s', (field) => {
    const twin = { ...others[0], provenance: { ...others[0]?.provenance, [field]: section.provenance[field] } }
    const problems = problemsOf(checkPinnedSource, { ...pinnedSource, sections: [section, twin, ...others.slice(1)] })
    expect(problems.map(({ path }) => path)).toContain(`$.sections[1].provenance.${field}`)
  })

  it.each(['outcome', 'requirements', 'acceptance_examples', 'constraints', 'non_goals'])(
    'needs a section of the role %s',
    (role) => {
      const replaced = role === 'outcome' ? 'constraints' : 'outcome'
      const sections = pinnedSource.sections.map((each) => (each.role === role ? { ...each, role: replaced } : each))
      expect(problemsOf(checkPinnedSource, { ...pinnedSource, sections })).toEqual([
        { path: '$.sections', rule: 'lacks a required item' },
      ])
    },
  )

  it('has at most 4 MiB in all sections together', () => {
    const sixteen = Array.from({ length: 16 }, (_, index) => sectionOf(index, LIMITS.sectionBytes))
    expect(problemsOf(checkPinnedSource, { ...pinnedSource, sections: sixteen })).toEqual([])
    expect(problemsOf(checkPinnedSource, { ...pinnedSource, sections: [...sixteen, sectionOf(16, 1)] })).toEqual([
      { path: '$.sections', rule: 'must have at most 4194304 bytes together and have 4194305' },
    ])
  })
})

function sectionOf(index: number, bytes: number) {
  const { canonical_url } = pinnedSource
  const id = 1 + index
  const role = pinnedSource.sections[index % 10]?.role
  const url = `${canonical_url}#issuecomment-${id}`
  const from = { ...section?.provenance, comment_node_id: `IC_${id}`, comment_database_id: id, url }
  return { ...section, key: `key-${id}`, role, bytes, provenance: from }
}

const CODES = [
  'valid_change',
  'objective_marker',
  'unsupported_marker',
  'change_marker_required',
  'source_manifest_invalid',
  'source_section_missing',
  'source_section_unexpected',
  'source_section_minimized',
  'source_section_hash_mismatch',
  'source_section_invalid',
  'source_section_too_large',
  'source_bundle_too_large',
  'invalid_change_body',
]

describe('a source candidate', () => {
  it.each(CODES)('with the code %s is in the branch of that code', (classification_code) => {
    const isValidCode = classification_code === 'valid_change'
    expect(problemsOf(checkSourceCandidate, { ...validCandidate, classification_code }).length === 0).toBe(isValidCode)
    expect(problemsOf(checkSourceCandidate, { ...invalidCandidate, classification_code }).length === 0).toBe(
      !isValidCode,
    )
  })

  it.each([
    ['classification_error', 'is not valid'],
    ['observation_sha256', validCandidate.source_revision],
  ])('that is valid has no %s', (field, value) => {
    const [problem] = problemsOf(checkSourceCandidate, { ...validCandidate, [field]: value })
    expect(problem).toEqual({ path: `$.${field}`, rule: expect.stringContaining('is not a known field') })
  })

  it.each(['source_revision', 'requirements_revision', 'title', 'snapshot'] as const)(
    'that is invalid has no %s',
    (field) => {
      const [problem] = problemsOf(checkSourceCandidate, { ...invalidCandidate, [field]: validCandidate[field] })
      expect(problem).toEqual({ path: `$.${field}`, rule: expect.stringContaining('is not a known field') })
    },
  )

  it.each([
    ['a class of the other branch', { ...validCandidate, classification: 'invalid' }, ['$.classification']],
    ['an unknown code', { ...invalidCandidate, classification_code: 'other' }, ['$.classification_code']],
    ['another number in its URL', { ...invalidCandidate, issue_number: 8 }, ['$.canonical_url']],
    [
      'its own URL for an alias',
      { ...invalidCandidate, url_aliases: [invalidCandidate.canonical_url] },
      ['$.url_aliases[0]'],
    ],
    ['an error of two lines', { ...invalidCandidate, classification_error: 'a\nb' }, ['$.classification_error']],
    [
      'a snapshot that breaks a rule',
      { ...validCandidate, snapshot: { ...pinnedSource, url_aliases: [pinnedSource.canonical_url] } },
      ['$.snapshot.url_aliases[0]'],
    ],
    ['another repository', { ...validCandidate, repository_id: 'R_2' }, ['$.snapshot.repository_id']],
    ['another issue', { ...validCandidate, issue_id: 'I_2' }, ['$.snapshot.issue_id']],
    [
      'another number',
      { ...validCandidate, issue_number: 77, canonical_url: `${validCandidate.canonical_url}7` },
      ['$.snapshot.issue_number', '$.snapshot.canonical_url'],
    ],
    ['another title', { ...validCandidate, title: 'Other' }, ['$.snapshot.title']],
    ['another source', { ...validCandidate, source_revision: OTHER }, ['$.snapshot.source_revision']],
    ['other requirements', { ...validCandidate, requirements_revision: OTHER }, ['$.snapshot.requirements_revision']],
  ])('with %s is refused', (_name, candidate, paths) => {
    expect(problemsOf(checkSourceCandidate, candidate).map(({ path }) => path)).toEqual(paths)
  })
})
