import { describe, expect, it } from 'vitest'
import { bodyDigest, commentOf, makeBundle } from '../../test/support/source-bundle.ts'
import { ROLES } from '../contract/limits.ts'
import { draftBody, draftBundle, draftComment } from './draft.ts'
import { readSource } from './read-source.ts'

const drafts = ROLES.map((role, index) => commentOf(index, draftComment(role)))

describe('a draft', () => {
  it('can be pinned without changes', () => {
    const reading = readSource(makeBundle({ envelope: { body: draftBody(drafts, undefined), comments: drafts } }))
    expect(reading).toMatchObject({ is: 'pinned' })
  })

  it('contains every comment and the title', () => {
    const text = draftBundle({ title: 'Show the wind' })
    expect(text).toContain('Title: Show the wind\n')
    for (const role of ROLES) expect(text).toContain(`\n${draftComment(role)}`)
  })

  it('amends the given revision', () => {
    const revision = `sha256:${'0'.repeat(64)}`
    expect(draftBody(drafts, revision)).toContain(`"parent_requirements_revision": "${revision}"`)
    expect(draftBody(drafts, undefined)).not.toContain('parent_requirements_revision')
  })
})

/** The section that a comment becomes, beside five others. */
function sectionOf(body: string): Record<string, unknown> {
  const comments = [...drafts, commentOf(9, body)]
  const [, json = ''] = /```drover-manifest\n(.*)\n```/s.exec(draftBody(comments, undefined)) ?? []
  return JSON.parse(json).sections[5]
}

const marked = (key: string, text = 'x') => `<!-- drover-section:v1 key=${key} -->\n${text}`

describe('a section of a draft', () => {
  it.each([
    ['requirements-2', 'requirements'],
    ['requirements.api', 'requirements'],
    ['acceptance-examples-api', 'acceptance_examples'],
    ['non-goals-later', 'non_goals'],
    ['constraints_db', 'constraints'],
  ])('with the key %s has the role %s', (key, role) => {
    expect(sectionOf(marked(key))).toEqual({
      key,
      role,
      title: expect.any(String),
      comment_node_id: 'IC_9',
      comment_database_id: 1909,
      body_sha256: bodyDigest(marked(key)),
    })
  })

  it.each([
    ['its first heading', '\n## What it must do ##\n\n# No\n', 'What it must do'],
    ['a heading with a tab', '#\tA\tB \n', 'A B'],
    ['the role, where there is no heading', '#nothing\n', 'Requirements'],
    ['the role, where the heading is empty', '## ##\ntext', 'Requirements'],
    ['a heading of the largest size', `# ${'é'.repeat(256)} #\n`, 'é'.repeat(256)],
    ['a heading that is underlined', 'What it must do\n---\n', 'What it must do'],
    ['a heading below code that only looks like one', '```\n# no\n```\n# C#\n', 'C#'],
    ['the role, where the heading is too long', `# ${'x'.repeat(513)}\n`, 'Requirements'],
  ])('has the title %s', (_name, text, title) => {
    expect(sectionOf(marked('requirements-2', text))['title']).toBe(title)
  })

  it.each([
    ['without a marker', 'Nice!', 'its first line is not a section marker'],
    ['with a key without a role', marked('wind'), 'its key does not start with a role'],
    ['with a key that only looks like a role', marked('outcomes'), 'its key does not start with a role'],
    ['without text', marked('requirements-2', ' \n\t'), 'it has no text below its marker'],
    ['with a text that is too large', marked('requirements-2', `${'é'.repeat(131_072)}x`), 'more than 262144 bytes'],
    ['with a control character', marked('requirements-2', 'a\u0085'), 'control characters other than tabs'],
    ['with a control character above it', `\u000b\n${marked('requirements-2')}`, 'control characters other than tabs'],
  ])('%s is refused', (_name, body, says) => {
    expect(() => sectionOf(body)).toThrow(says)
  })

  it.each([
    ['of the largest size', 'é'.repeat(131_072)],
    ['with tabs and every kind of line end', 'a\tb\r\nc\rd\n'],
  ])('%s is taken', (_name, text) => {
    expect(sectionOf(marked('requirements-2', text))['key']).toBe('requirements-2')
  })

  it.each([
    ['roles that are missing', drafts.slice(2), undefined, 'none of them is for outcome, requirements'],
    [
      'a key that is there twice',
      [...drafts, commentOf(9, draftComment('outcome'))],
      undefined,
      'two of them have the key outcome',
    ],
    [
      'a comment that is there twice',
      [...drafts, commentOf(0, marked('outcome-2'))],
      undefined,
      '$.sections[5].comment',
    ],
    ['an invalid revision', drafts, 'x', '$.parent_requirements_revision must be sha256:'],
  ])('is refused for %s', (_name, comments, amends, says) => {
    expect(() => draftBody(comments, amends)).toThrow(`these comments do not make a valid manifest: ${says}`)
  })
})
