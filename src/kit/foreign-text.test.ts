import { expect, it } from 'vitest'
import { withInertIssues, withInertMarkdown, withInertReferences, withoutInertMarks } from './foreign-text.ts'

const REFERENCES = [
  ['Fixes #12', 'Fixes #|12'],
  ['closes o/r#4 (#5)', 'closes o/r#|4 (#|5)'],
  ['Resolves o/r\\#4', 'Resolves o/r\\#|4'],
  ['fixes GH-5, gh-6 and GH\\-7', 'fixes GH-|5, gh-|6 and GH\\-|7'],
  ['closes https://github.com/o/r/issues/3', 'closes https://github.com/o/r/issues/|3'],
  ['see https://ghe.example.org/o/r/pull/3#issuecomment-1', 'see https://ghe.example.org/o/r/pull/|3#issuecomment-1'],
] as const
const PEOPLE = [
  ['@octocat and @org/team', '@|octocat and @|org/team'],
  ['(\\@octocat) _@octocat_', '(\\@|octocat) _@|octocat_'],
] as const

it.each([...REFERENCES, ...PEOPLE])('%s refers to nothing', (text, inert) => {
  expect(withInertReferences(text).replaceAll('\u200B', '|')).toBe(inert)
  expect(withoutInertMarks(withInertMarkdown(text))).toBe(text)
})

it.each([
  ['&#64;octocat &commat;octocat', '&|#|64;octocat &|commat;octocat'],
  ['@&#111;ctocat', '@|&|#|111;ctocat'],
  ['Fixes &num;12 and #&#49;2', 'Fixes &|num;12 and #&|#|49;2'],
])('%s refers to nothing in Markdown', (text, inert) => {
  expect(withInertMarkdown(text).replaceAll('\u200B', '|')).toBe(inert)
})

it.each(['ada@example.org', 'C# and # 1', 'a & b && c', '5 @ 3', 'tissues/3', 'https://github.com/o/r/issues'])(
  '%s stays as it is',
  (text) => {
    expect(withInertMarkdown(text)).toBe(text)
  },
)

it('names of people stay as they are in code', () => {
  expect(withInertIssues('src/@core/wind.ts')).toBe('src/@core/wind.ts')
})
