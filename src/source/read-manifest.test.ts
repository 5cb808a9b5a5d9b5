import { describe, expect, it } from 'vitest'
import { allFrom, putInto } from '../../test/support/damaged-input.ts'
import { FIVE_SECTIONS, manifestOf, ROLES } from '../../test/support/source-bundle.ts'
import { LIMITS } from '../contract/limits.ts'
import { readBody } from './read-issue-body.ts'
import { MANIFEST_LIMIT_BYTES, readManifest } from './read-manifest.ts'

const whole = manifestOf(FIVE_SECTIONS)
const read = (manifest: unknown) => readText(typeof manifest === 'string' ? manifest : JSON.stringify(manifest))
const readText = (text: string) => readManifest({ text, lineAbove: 4 })
const [section, ...others] = whole.sections
const withFirst = (change: object) => ({ ...whole, sections: [{ ...section, ...change }, ...others] })
const without = (field: string) => {
  const { [field]: _, ...rest } = section as Record<string, unknown>
  return { ...whole, sections: [rest, ...others] }
}
const ofCount = (count: number) => {
  const drafts = Array.from({ length: count }, (_, index) => ({
    key: `k${index}`,
    role: ROLES[index % ROLES.length] ?? 'outcome',
    title: 'T',
    text: 'x',
  }))
  return manifestOf(drafts)
}

describe('a manifest', () => {
  it.each([
    ['as it should be', whole],
    ['that amends another', { ...whole, parent_requirements_revision: `sha256:${'a'.repeat(64)}` }],
    ['with two sections of one role', ofCount(6)],
    ['with all sections there can be', ofCount(LIMITS.mostSections)],
    ['with the longest title', withFirst({ title: 'é'.repeat(LIMITS.sectionTitleBytes / 2) })],
    ['with the longest key', withFirst({ key: `0${'a.-_'.repeat(15)}abc` })],
  ])('%s is read', (_name, manifest) => {
    expect(read(manifest)).toEqual({ is: 'read', manifest })
  })

  it('may have as many bytes as the limit, and no more', () => {
    const text = JSON.stringify(whole)
    const padded = (bytes: number) => text.padEnd(bytes, ' ')
    expect(readText(padded(MANIFEST_LIMIT_BYTES)).is).toBe('read')
    expect(readText(padded(MANIFEST_LIMIT_BYTES + 1))).toMatchObject({
      code: 'source_manifest_invalid',
      error: `the manifest has ${MANIFEST_LIMIT_BYTES + 1} bytes and may have at most ${MANIFEST_LIMIT_BYTES}`,
    })
  })

  it.each<[string, unknown, string]>([
    ['nothing', '', 'the manifest in line 4 of the body is empty'],
    ['only white space', ' ', 'not usable JSON: it is empty'],
    ['no JSON', '{\n  nope', 'at $ (line 6 of the body, column 3): a key in double quotes is expected'],
    ['a key twice', '{"a":1,"a":2}', 'at $.a (line 5 of the body, column 8): the object has this key already'],
    ['two values', '{} {}', 'nothing may follow the value'],
    ['a fraction', JSON.stringify(whole).replace('1900', '1900.0'), 'without fraction or exponent'],
    ['half a surrogate pair', JSON.stringify(whole).replace('About', '\\ud800'), 'a lone surrogate'],
    ['a list', [], '$ must be an object'],
    ['another version', { ...whole, manifest_version: 1 }, '$.manifest_version must be 2'],
    ['another profile', { ...whole, profile: 'change/v1' }, '$.profile must be "change/v2"'],
    ['a field too many', { ...whole, extra: 1 }, '$.extra is not a known field'],
    ['a field in capitals', { ...whole, Profile: 'change/v2' }, '$.Profile is not a known field'],
    [
      'an empty revision',
      { ...whole, parent_requirements_revision: '' },
      '$.parent_requirements_revision must be sha256:',
    ],
    [
      'no revision',
      { ...whole, parent_requirements_revision: null },
      '$.parent_requirements_revision must be a string',
    ],
    ['no sections', { manifest_version: 2, profile: 'change/v2' }, '$.sections is required'],
    ['null for sections', { ...whole, sections: null }, '$.sections must be an array'],
    ['four sections', ofCount(4), '$.sections must have at least 5 items'],
    ['sections past the most', ofCount(LIMITS.mostSections + 1), '$.sections must have at most 64 items'],
    ['an empty key', withFirst({ key: '' }), '$.sections[0].key must be 1 to 64'],
    ['a key past the longest', withFirst({ key: 'a'.repeat(65) }), '$.sections[0].key must be 1 to 64'],
    ['a key that begins with a dot', withFirst({ key: '.a' }), '$.sections[0].key must be 1 to 64'],
    ['a key in capitals', withFirst({ key: 'A' }), '$.sections[0].key must be 1 to 64'],
    [
      'a key of another section',
      withFirst({ key: 'non_goals' }),
      '$.sections[4].key must not be that of another section',
    ],
    ['an unknown role', withFirst({ role: 'goal' }), '$.sections[0].role must be one of "outcome", "requirements"'],
    ['a title of two lines', withFirst({ title: 'a\nb' }), '$.sections[0].title must be text that is not blank'],
    ['a blank title', withFirst({ title: ' \u2003' }), '$.sections[0].title must be text that is not blank'],
    [
      'a title past the longest',
      withFirst({ title: `${'é'.repeat(256)}a` }),
      '$.sections[0].title must have at most 512 bytes',
    ],
    ['a node id with a space', withFirst({ comment_node_id: 'I C' }), '$.sections[0].comment_node_id must be an id'],
    [
      'a node id of another section',
      withFirst({ comment_node_id: 'IC_4' }),
      '$.sections[4].comment_node_id must not be that',
    ],
    ['a number below 1', withFirst({ comment_database_id: 0 }), '$.sections[0].comment_database_id must be at least 1'],
    [
      'a number of 2^53',
      JSON.stringify(whole).replace('1900', '9007199254740992'),
      '$.sections[0].comment_database_id is larger than 9007199254740991',
    ],
    [
      'a number of another section',
      withFirst({ comment_database_id: 1904 }),
      '$.sections[4].comment_database_id must not be that',
    ],
    [
      'a digest in capitals',
      withFirst({ body_sha256: `sha256:${'A'.repeat(64)}` }),
      '$.sections[0].body_sha256 must be sha256:',
    ],
    ['no section of a role', withFirst({ role: 'non_goals' }), '$.sections must hold a section with the role outcome'],
    ...Object.keys(section ?? {}).map(
      (field) => [`no ${field}`, without(field), `$.sections[0].${field} is required`] as [string, unknown, string],
    ),
  ])('with %s is refused', (_name, manifest, says) => {
    expect(read(manifest)).toMatchObject({
      is: 'rejected',
      code: 'source_manifest_invalid',
      error: expect.stringContaining(says),
    })
  })

  it('is refused with a message that fits the contract, whatever it contains', () => {
    const refusal = read({ ...whole, ['\u0085🧪'.repeat(1000)]: 1 })
    expect(refusal).toMatchObject({ is: 'rejected', error: expect.stringMatching(/^[^\p{Cc}]+$/u) })
  })
})

const put = putInto(whole)
type Flaw = readonly [name: string, damage: (manifest: object) => object, says: string]

/** What can be wrong with a manifest that is strict JSON, in the order in which it is looked for. */
const WRONG: readonly Flaw[] = [
  ['a field that is not known, at any depth', put('sections.4.zz', 1), '$.sections[4].zz is not a known field'],
  ['null for a text, at any depth', put('sections.4.title', null), '$.sections[4].title must be a string'],
  ['a value of another type, at any depth', put('sections.4.title', 5), '$.sections[4].title must be a string'],
  ['the version', put('manifest_version', 1), '$.manifest_version must be 2'],
  ['the profile', put('profile', 'change/v1'), '$.profile must be "change/v2"'],
  [
    'the revision that it amends',
    put('parent_requirements_revision', ''),
    '$.parent_requirements_revision must be sha256:',
  ],
  ['sections that are null', put('sections', null), '$.sections must be an array'],
  ['too few sections', put('sections', [{}]), '$.sections must have at least 5 items'],
  ['too many sections', put('sections', Array(65).fill({})), '$.sections must have at most 64 items'],
  ['a key', put('sections.1.key', 'A'), '$.sections[1].key must be 1 to 64'],
  ['the key of another section', put('sections.1.key', 'outcome'), '$.sections[1].key must not be that of another'],
  ['a role', put('sections.1.role', 'goal'), '$.sections[1].role must be one of'],
  ['a title of two lines', put('sections.1.title', 'a\nb'), '$.sections[1].title must be text that is not blank'],
  ['a blank title', put('sections.1.title', ' '), '$.sections[1].title must be text that is not blank'],
  ['a long title', put('sections.1.title', 'x'.repeat(513)), '$.sections[1].title must have at most 512 bytes'],
  ['the id of a comment', put('sections.1.comment_node_id', ''), '$.sections[1].comment_node_id must be an id'],
  [
    'the id of another comment',
    put('sections.1.comment_node_id', 'IC_0'),
    '$.sections[1].comment_node_id must not be that of another',
  ],
  [
    'the number of a comment',
    put('sections.1.comment_database_id', 0),
    '$.sections[1].comment_database_id must be at least 1',
  ],
  [
    'the number of another comment',
    put('sections.1.comment_database_id', 1900),
    '$.sections[1].comment_database_id must not be that of another',
  ],
  ['a digest', put('sections.1.body_sha256', 'sha256:0'), '$.sections[1].body_sha256 must be sha256:'],
  ['a section behind it', put('sections.2.key', ''), '$.sections[2].key must be 1 to 64'],
  ['a role that is missing', put('sections.3.role', 'outcome'), '$.sections must hold a section with the role constr'],
]

const bodyWith = (text: string) => `<!-- drover-level: change/v2 -->\n\`\`\`drover-manifest\n${text}`
const MARKER = '<!-- drover-level: change/v2 -->'

/** What can be wrong before there is a manifest to look at; each body also has what the rows below it have. */
const WRONG_BODIES: readonly (readonly [name: string, body: string, says: string])[] = [
  ['the opening', `${MARKER}\n\`\`\`manifest\n${MARKER}`, 'must be followed by'],
  ['the end', bodyWith(`${MARKER}\n`), 'is not closed'],
  ['a second marker', bodyWith(`\`\`\`\n${MARKER}`), 'has a second level marker'],
  ['nothing in it', bodyWith('\n```\n'), 'is empty'],
  ['its size', bodyWith(`${'{'.repeat(MANIFEST_LIMIT_BYTES + 1)}\n\`\`\`\n`), 'may have at most 262144'],
  ['its JSON', bodyWith('{"zz":1,"zz":1}\n```\n'), 'the object has this key already'],
]

describe('the first problem of a manifest', () => {
  it.each(WRONG_BODIES)('is %s, before all later rows of this table', (_name, body, says) => {
    const found = readBody(body)
    const rejection = found.is === 'found' ? readManifest(found) : found
    expect(rejection).toMatchObject({ code: 'source_manifest_invalid', error: expect.stringContaining(says) })
  })

  it.each(WRONG)('is %s, before all later rows of this table', (name, damage, says) => {
    expect(read(allFrom(WRONG, name, whole))).toMatchObject({ error: expect.stringContaining(says) })
    expect(read(damage(whole))).toMatchObject({ error: expect.stringContaining(says) })
  })
})
