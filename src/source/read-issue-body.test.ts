import { describe, expect, it } from 'vitest'
import { bodyOf } from '../../test/support/source-bundle.ts'
import { readBody } from './read-issue-body.ts'

const MARKER = '<!-- drover-level: change/v2 -->'
const codeOf = (body: string) => {
  const read = readBody(body)
  return read.is === 'found' ? 'found' : read.code
}

describe('the level marker', () => {
  it.each([
    ['is missing in an empty body', '', 'change_marker_required', 'the body is empty'],
    ['is missing in a blank body', ' \n\t\n\u2003\n', 'change_marker_required', 'the body is empty'],
    ['is an objective', '<!-- drover-level: objective/v1 -->', 'objective_marker', 'line 1 of the body marks'],
    ['is an objective, whatever else', `x drover-level: objective/ ${MARKER}`, 'objective_marker', 'line 1'],
    ['is of another version', '<!-- drover-level: change/v1 -->', 'unsupported_marker', 'change/v1'],
    ['has a space in front', ` ${MARKER}`, 'unsupported_marker', 'line 1'],
    ['has a space behind', `${MARKER} `, 'unsupported_marker', 'line 1'],
    ['has a line with nothing but a byte order mark in front', `\ufeff\n${MARKER}`, 'change_marker_required', 'line 1'],
    ['has a byte order mark in front', `\ufeff${MARKER}`, 'unsupported_marker', 'line 1'],
    ['has no space', '<!--drover-level:change/v2-->', 'unsupported_marker', 'line 1'],
    ['has text above it', `\nHello.\n${MARKER}`, 'change_marker_required', 'line 2 of the body is "Hello."'],
    ['is in capitals', MARKER.toUpperCase(), 'change_marker_required', 'line 1'],
  ])('%s', (_name, body, code, says) => {
    expect(readBody(body)).toMatchObject({ is: 'rejected', code, error: expect.stringContaining(says) })
  })

  it('may have blank lines above it', () => {
    expect(codeOf(` \n\n${bodyOf('{}')}`)).toBe('found')
  })

  it('is quoted only at its start', () => {
    expect(readBody('🧪'.repeat(100_000))).toMatchObject({
      error: `line 1 of the body is "${'🧪'.repeat(60)}…", which is not a level marker; it must be exactly ${MARKER}`,
    })
  })
})

describe('the manifest', () => {
  it.each([
    ['has all lines between its fences', bodyOf('{\n\n}'), { text: '{\n\n}', lineAbove: 2 }],
    ['may be a few lines below', `${MARKER}\n\n \n\`\`\`drover-manifest\n{}\n\`\`\``, { text: '{}', lineAbove: 4 }],
    ['ends at the first end', bodyOf('1', '2\n```\n'), { text: '1', lineAbove: 2 }],
    ['is not ended by more than an end', bodyOf('```` \n ```\n``` '), { text: '```` \n ```\n``` ', lineAbove: 2 }],
    ['may be nothing', `${MARKER}\n\`\`\`drover-manifest\n\`\`\``, { text: '', lineAbove: 2 }],
    ['may be a blank line', bodyOf(''), { text: '', lineAbove: 2 }],
  ])('%s', (_name, body, found) => {
    expect(readBody(body)).toEqual({ is: 'found', ...found })
  })

  it.each([
    ['is not there', MARKER, 'there is nothing'],
    ['is not next', `${MARKER}\ntext\n\`\`\`drover-manifest\n{}\n\`\`\``, 'line 2 is "text"'],
    ['has a space before its name', `${MARKER}\n\`\`\` drover-manifest\n{}\n\`\`\``, 'line 2 is'],
    ['has something behind its name', `${MARKER}\n\`\`\`drover-manifest json\n{}\n\`\`\``, 'line 2 is'],
    ['has four backticks', `${MARKER}\n\`\`\`\`drover-manifest\n{}\n\`\`\`\``, 'line 2 is'],
    ['is indented', `${MARKER}\n \`\`\`drover-manifest\n{}\n\`\`\``, 'line 2 is'],
    ['has no end', `${MARKER}\n\`\`\`drover-manifest\n{}\n\`\`\`\`\n`, 'that line 2 opens is not closed'],
  ])('%s', (_name, body, says) => {
    const code = 'source_manifest_invalid'
    expect(readBody(body)).toMatchObject({ is: 'rejected', code, error: expect.stringContaining(says) })
  })
})

const taken: readonly (readonly [string, string])[] = [
  ['prose', 'Some words.\n\n- and a list\n'],
  ['publication receipts', '<!-- drover-publication-operation: 1 -->\n<!-- drover-publication-item: 2 -->\n'],
  ['a marker in a fence', `\`\`\`\n${MARKER}\n\`\`\`\n`],
  ['a manifest in a fence that is longer', `\`\`\`\`md\n${MARKER}\n\`\`\`drover-manifest\n{}\n\`\`\`\n\`\`\`\`\n`],
  ['a marker in the fence of a quote', `> \`\`\`\n> ${MARKER}\n> \`\`\`\n`],
  ['a marker in the fence of a list item', `- \`\`\`\n  ${MARKER}\n  \`\`\`\n`],
  ['a marker in a quote inside a list', `- > \`\`\`\n  > ${MARKER}\n  > \`\`\`\n`],
  ['a marker in a list inside a quote', `> - \`\`\`\n>   ${MARKER}\n>   \`\`\`\n`],
  ['a fence that continues an item below a blank line', `- a\n\n  \`\`\`\n  ${MARKER}\n  \`\`\`\n`],
  ['a fence that continues an item', `- a\n  \`\`\`\n  ${MARKER}\n  \`\`\`\n`],
  ['a fence in nested lists', `- a\n  - b\n    \`\`\`\n    ${MARKER}\n    \`\`\`\n`],
  ['a manifest that is quoted as code', '> ```drover-manifest\n> {}\n> ```\n'],
  ['a fence that never ends', `\`\`\`\n${MARKER}\n`],
  ['a marker in the fence of an item that a tab indents', `-\t\`\`\`\n\t${MARKER}\n\t\`\`\`\n`],
]

const refused: readonly (readonly [string, string])[] = [
  ['a second marker', `${MARKER}\n`],
  ['a marker of another level', 'see <!-- drover-level: objective/v1 --> here\n'],
  ['a second manifest', '```drover-manifest\n{}\n```\n'],
  ['a second manifest with white space around', '  \t```drover-manifest \n{}\n```\n'],
  ['a marker behind a fence', `\`\`\`\nx\n\`\`\`\n${MARKER}\n`],
  ['a manifest behind a fence', '```\nx\n```\n```drover-manifest\n'],
  ['a marker in a quote', `> ${MARKER}\n`],
  ['a marker that has left the fence of a quote', `> \`\`\`\n${MARKER}\n`],
  ['a marker that has left the fence of a list', `- \`\`\`\n${MARKER}\n`],
  ['a marker in a fence that an item 2. does not open', `text\n2. \`\`\`\n   ${MARKER}\n   \`\`\`\n`],
  ['a marker in a fence that an item 0. does not open', `text\n0. \`\`\`\n   ${MARKER}\n   \`\`\`\n`],
  ['a marker in code of one line', `\`${MARKER}\`\n`],
  ['a marker in indented code', `text\n\n    ${MARKER}\n`],
  ['a marker in what only looks like a fence, inside HTML', `<div>\n\`\`\`\n${MARKER}\n\`\`\`\n</div>\n`],
  ['a marker in the fence of a quote that a blank line has ended', `> \`\`\`\n\n> ${MARKER}\n`],
]

describe('below the manifest', () => {
  it.each(taken)('there may be %s', (_name, trailing) => {
    expect(codeOf(bodyOf('{}', trailing))).toBe('found')
  })

  it.each(refused)('there may not be %s', (_name, trailing) => {
    expect(codeOf(bodyOf('{}', trailing))).toBe('source_manifest_invalid')
  })

  it('the line of what is refused is named', () => {
    expect(readBody(bodyOf('{}', `a\n${MARKER}`))).toMatchObject({
      error: 'line 6 of the body has a second level marker',
    })
    expect(readBody(bodyOf('{}', '```drover-manifest'))).toMatchObject({
      error: 'line 5 of the body opens a second manifest',
    })
  })

  it.each([
    ['of 60,000 lines', 'a\n'.repeat(60_000)],
    ['of a line of 1 MiB', `${'a'.repeat(1024 * 1024)}\n`],
    ['of 10,000 examples', `\`\`\`\n${MARKER}\n\`\`\`\n`.repeat(10_000)],
  ])('there may be an example in a text %s', (_name, long) => {
    const example = `\`\`\`\n${MARKER}\n\`\`\`\n`
    expect(codeOf(bodyOf('{}', example + long + example))).toBe('found')
    expect(codeOf(bodyOf('{}', example + long + MARKER))).toBe('source_manifest_invalid')
  })

  it('there may be no example in a text that is nested too deep for the parser', () => {
    const example = `\`\`\`\n${MARKER}\n\`\`\`\n`
    expect(codeOf(bodyOf('{}', example + '> '.repeat(100)))).toBe('found')
    expect(readBody(bodyOf('{}', example + '> '.repeat(101)))).toMatchObject({
      code: 'source_manifest_invalid',
      error: expect.stringMatching(/^line 6 of the body has a second level marker; examples in code .* 50 deep/),
    })
  })

  it('is looked at before the manifest is', () => {
    expect(readBody(bodyOf('', MARKER))).toMatchObject({ error: expect.stringContaining('second level marker') })
  })
})
