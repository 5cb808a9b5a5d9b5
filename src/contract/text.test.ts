import { describe, expect, it } from 'vitest'
import { loadValidators } from '../../test/support/load-validators.ts'
import { findProblems } from '../kit/schema.ts'
import { CommentUrl, Digest, NodeId } from './identifiers.shape.ts'
import {
  MarkdownText,
  NonEmptyMarkdownText,
  NonEmptyPlainText,
  NonEmptyText,
  PathText,
  PlainText,
} from './text-kinds.shape.ts'

const SHAPES = {
  plainText: PlainText,
  nonEmptyPlainText: NonEmptyPlainText,
  markdownText: MarkdownText,
  nonEmptyMarkdownText: NonEmptyMarkdownText,
  nonEmptyText: NonEmptyText,
  pathText: PathText,
  nodeID: NodeId,
}
type Name = keyof typeof SHAPES
const NAMES = Object.keys(SHAPES) as Name[]

const validators = await loadValidators({ ...SHAPES, digest: Digest, commentURL: CommentUrl })
const isAccepted = (name: keyof typeof validators, text: unknown) => findProblems(validators[name], text).length === 0
const takers = (text: string) => NAMES.filter((name) => isAccepted(name, text))

const ANY: Name[] = ['plainText', 'markdownText']
const FILLED: Name[] = [
  'plainText',
  'nonEmptyPlainText',
  'markdownText',
  'nonEmptyMarkdownText',
  'nonEmptyText',
  'pathText',
]
const WITH_LINES: Name[] = ['markdownText', 'nonEmptyMarkdownText', 'nonEmptyText', 'pathText']
const WITH_CONTROLS: Name[] = ['nonEmptyText', 'pathText']

describe('a text', () => {
  it.each<[string, string, Name[]]>([
    ['a word', 'word', [...FILLED, 'nodeID']],
    ['words', 'two words', FILLED],
    ['any script', 'größe 風 😀', FILLED],
    ['nothing', '', ANY],
    ['a space', ' ', [...ANY, 'pathText']],
    ['a no-break space', '\u00a0', [...ANY, 'pathText']],
    ['a tab', 'a\tb', WITH_LINES],
    ['a line feed', 'a\nb', WITH_LINES],
    ['a line feed at the end', 'a\n', WITH_LINES],
    ['a carriage return', 'a\rb', WITH_LINES],
    ['blank lines', '\n\t\r', ['markdownText', 'pathText']],
    ['NUL', 'a\u0000', WITH_CONTROLS],
    ['U+0008', 'a\u0008', WITH_CONTROLS],
    ['U+000B', 'a\u000b', WITH_CONTROLS],
    ['U+000C', 'a\u000c', WITH_CONTROLS],
    ['U+000E', 'a\u000e', WITH_CONTROLS],
    ['U+001F', 'a\u001f', WITH_CONTROLS],
    ['U+007F', 'a\u007f', WITH_CONTROLS],
    ['U+0080', 'a\u0080', WITH_CONTROLS],
    ['U+009F', 'a\u009f', WITH_CONTROLS],
    ['U+00A0, which is no control character', 'a\u00a0b', FILLED],
    ['a line separator, which is white space', 'a\u2028b', FILLED],
  ])('of %s is accepted by the right kinds', (_name, text, names) => {
    expect(takers(text).sort()).toEqual([...names].sort())
  })

  it('of a million characters is checked in linear time', () => {
    const long = 'a'.repeat(1_000_000)
    expect(takers(`${long}\u0001`).sort()).toEqual([...WITH_CONTROLS].sort())
    expect(takers(' '.repeat(1_000_000)).sort()).toEqual([...ANY, 'pathText'].sort())
  })
})

describe('a digest', () => {
  it.each([
    [`sha256:${'0'.repeat(64)}`, true],
    [`sha256:${'0123456789abcdef'.repeat(4)}`, true],
    [`sha256:${'0'.repeat(63)}`, false],
    [`sha256:${'0'.repeat(65)}`, false],
    [`sha256:${'A'.repeat(64)}`, false],
    [`SHA256:${'0'.repeat(64)}`, false],
    [`sha512:${'0'.repeat(64)}`, false],
    ['0'.repeat(64), false],
    [`sha256:${'0'.repeat(64)}\n`, false],
  ])('is %s: %s', (text, isDigest) => {
    expect(isAccepted('digest', text)).toBe(isDigest)
  })
})

describe('a comment URL', () => {
  const issue = 'https://github.com/a/b/issues/7'

  it.each([
    [`${issue}#issuecomment-1`, true],
    [`${issue}#issuecomment-0`, false],
    [`${issue}#issuecomment-01`, false],
    [`${issue}#issuecomment-`, false],
    [`${issue}#discussion-1`, false],
    [`${issue}/#issuecomment-1`, false],
    [issue, false],
  ])('is %s: %s', (text, isUrl) => {
    expect(isAccepted('commentURL', text)).toBe(isUrl)
  })
})
