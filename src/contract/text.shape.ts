/** The kinds of text in messages. All are told apart by which characters they may hold. */
import { type TSchemaOptions, Type } from 'typebox'
import { named, textLike } from '../kit/shape.ts'
import { MARKDOWN, PLAIN } from './control-characters.ts'

/** Looks ahead instead of splitting the text around a character, which would take quadratic time to refuse a long one. */
const NOT_BLANK = '(?=\\s*\\S)'

const without = ({ controls, says }: typeof PLAIN, options: TSchemaOptions) =>
  textLike(`^[^${controls}]*$`, says, options)

/** A field that is such a text itself, and no reference to one, says so where it says what it means. */
const notBlank = (controls: string, says: string, { description, ...options }: TSchemaOptions) =>
  textLike(`^${NOT_BLANK}[^${controls}]*$`, says, {
    minLength: 1,
    ...options,
    ...(description !== undefined && { description: `${description} It is ${says}.` }),
  })

export const nonEmptyPlain = (options: TSchemaOptions = {}) =>
  notBlank(PLAIN.controls, 'text that is not blank and has no control characters', options)

export const nonEmptyMarkdown = (options: TSchemaOptions = {}) =>
  notBlank(MARKDOWN.controls, 'text that is not blank and has no control characters but tabs and line ends', options)

export const PlainText = named('plainText', without(PLAIN, { title: 'Plain text' }))

export const NonEmptyPlainText = named('nonEmptyPlainText', nonEmptyPlain({ title: 'Plain text, not blank' }))

export const MarkdownText = named('markdownText', without(MARKDOWN, { title: 'Markdown' }))

export const NonEmptyMarkdownText = named('nonEmptyMarkdownText', nonEmptyMarkdown({ title: 'Markdown, not blank' }))

/** Any characters, but not only white space. */
export const NonEmptyText = named(
  'nonEmptyText',
  textLike('\\S', 'text that is not blank', { minLength: 1, title: 'Text, not blank' }),
)

/** A path as the system gives it: one that consists of a space is a path. */
export const PathText = named('pathText', Type.String({ minLength: 1, title: 'Path', description: 'A path.' }))

/** Text of one line that drover words as a key: `run_busy`. */
export const Code = named('code', textLike('^[a-z][a-z0-9_]*$', 'a lowercase word such as run_busy', { title: 'Code' }))
