import { describe, expect, it } from 'vitest'
import {
  commentOf,
  commentText,
  FIVE_SECTIONS,
  manifestOf,
  ROLES,
  type SectionDraft,
} from '../../test/support/source-bundle.ts'
import { LIMITS } from '../contract/limits.ts'
import type { RawSourceComment } from '../contract/raw-source-envelope.shape.ts'
import { bindSections } from './read-source.ts'

const comments = FIVE_SECTIONS.map((draft, index) => commentOf(index, commentText(draft)))
const manifest = manifestOf(FIVE_SECTIONS)
const [first, second, ...others] = comments
if (first === undefined || second === undefined) throw new Error('there are comments')

/** The first comment with another body, which the manifest knows about. */
function bindBody(body: string) {
  const changed = [{ ...first, body } as RawSourceComment, second as RawSourceComment, ...others]
  return bindSections(manifestOf(FIVE_SECTIONS, changed), changed)
}

function bindTexts(texts: readonly string[]) {
  const drafts = texts.map((text, index): SectionDraft => {
    return { key: `k${index}`, role: ROLES[index % ROLES.length] ?? 'outcome', title: 'T', text }
  })
  const made = drafts.map((draft, index) => commentOf(index, commentText(draft)))
  return bindSections(manifestOf(drafts, made), made)
}

describe('a section', () => {
  it.each<[string, readonly RawSourceComment[], string, string]>([
    ['without its comment', [second, ...others], 'source_section_missing', 'section outcome: there is no comment IC_0'],
    [
      'under another number',
      [{ ...first, database_id: 5 }, second, ...others],
      'source_section_invalid',
      'has the number 5, not 1900',
    ],
    ['that is hidden', [{ ...first, is_minimized: true }, second, ...others], 'source_section_minimized', 'is hidden'],
    [
      'that was edited',
      [{ ...first, body: `${first.body} ` }, second, ...others],
      'source_section_hash_mismatch',
      'the manifest says sha256:',
    ],
  ])('%s is refused', (_name, found, code, says) => {
    expect(bindSections(manifest, found)).toMatchObject({ is: 'rejected', code, error: expect.stringContaining(says) })
  })

  const marker = '<!-- drover-section:v1 key=outcome -->'
  it.each([
    ['an empty comment', '', `the first line of ${first.url} must be ${marker}, but it is empty`],
    ['another key', '<!-- drover-section:v1 key=other -->\nx', 'but it is "<!-- drover-section:v1 key=other -->"'],
    ['another version', '<!-- drover-section:v2 key=outcome -->\nx', 'must be'],
    ['a space behind its marker', `${marker} \nx`, 'must be'],
    ['text above its marker', `Hello.\n${marker}\nx`, 'but it is "Hello."'],
    ['no text', marker, 'has no text below its marker'],
    ['blank text', `${marker}\n \n\u2003\ufeff\n`, 'has no text below its marker'],
  ])('with %s is refused', (_name, body, says) => {
    expect(bindBody(body)).toMatchObject({
      is: 'rejected',
      code: 'source_section_invalid',
      error: expect.stringContaining(says),
    })
  })

  it.each([
    ['exactly what is below its marker', `${marker}\n\n  x  \n\n`, '\n  x  \n\n'],
    ['nothing of the blank lines above its marker', ` \n\n${marker}\nx`, 'x'],
    ['line feeds for line ends', `\r\n${marker}\r\na\rb\r\n`, 'a\nb\n'],
    ['what would be another marker', `${marker}\n${marker}\n`, `${marker}\n`],
  ])('has %s', (_name, body, text) => {
    const bound = bindBody(body)
    expect(bound.is === 'bound' ? bound.sections[0] : bound).toMatchObject({ text, bytes: Buffer.byteLength(text) })
  })

  it('may have as many bytes as the limit, and no more', () => {
    const full = 'é'.repeat(LIMITS.sectionBytes / 2)
    expect(bindTexts([full, 'x', 'x', 'x', 'x']).is).toBe('bound')
    expect(bindTexts(['x', `${full}a`, 'x', 'x', 'x'])).toEqual({
      is: 'rejected',
      code: 'source_section_too_large',
      error: `section k1: the text of ${second.url} has 262145 bytes, at most 262144 are allowed`,
    })
  })
})

describe('all sections', () => {
  const full = 'x'.repeat(LIMITS.sectionBytes)

  it('may together have as many bytes as the limit, and no more', () => {
    expect(bindTexts(Array(16).fill(full)).is).toBe('bound')
    expect(bindTexts([...Array(16).fill(full), 'x'])).toEqual({
      is: 'rejected',
      code: 'source_bundle_too_large',
      error: 'section k16: the texts up to here have more than 4194304 bytes together',
    })
  })

  it('must use every comment of the envelope', () => {
    expect(bindSections(manifest, [commentOf(9, 'x'), ...comments])).toEqual({
      is: 'rejected',
      code: 'source_section_unexpected',
      error: `the comment ${commentOf(9, '').url} is in the envelope but not in the manifest`,
    })
  })

  it('are in the order of the manifest, not of the comments', () => {
    const bound = bindSections(manifest, comments.toReversed())
    expect(bound.is === 'bound' && bound.sections.map(({ section }) => section.key)).toEqual(ROLES)
  })
})
