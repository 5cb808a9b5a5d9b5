/** The kinds of text in messages, which differ in the characters that they allow. */
import { type TSchemaOptions, Type } from 'typebox'
import { named, textLike } from '../kit/shape.ts'
import { MARKDOWN, PLAIN } from './control-characters.ts'

/** A lookahead, because splitting the text around a character would take quadratic time on long input. */
const NOT_BLANK = '(?=\\s*\\S)'

const without = ({ controls, says }: typeof PLAIN, options: TSchemaOptions) =>
  textLike(`^[^${controls}]*$`, says, options)

/** A field that has this pattern inline, not by reference, repeats it in its description. */
const notBlank = (controls: string, says: string, { description, ...options }: TSchemaOptions) =>
  textLike(`^${NOT_BLANK}[^${controls}]*$`, says, {
    minLength: 1,
    ...options,
    ...(description !== undefined && { description: `${description} It is ${says}.` }),
  })

export const nonEmptyPlain = (options: TSchemaOptions = {}) =>
  notBlank(PLAIN.controls, 'text that is not blank and has no control characters', options)

export const nonEmptyMarkdown = (options: TSchemaOptions = {}) =>
  notBlank(
    MARKDOWN.controls,
    'text that is not blank and has no control characters except tabs and line endings',
    options,
  )

export const PlainText = named('plainText', without(PLAIN, { title: 'Plain text' }))

export const NonEmptyPlainText = named('nonEmptyPlainText', nonEmptyPlain({ title: 'Plain text, not blank' }))

export const MarkdownText = named('markdownText', without(MARKDOWN, { title: 'Markdown' }))

export const NonEmptyMarkdownText = named('nonEmptyMarkdownText', nonEmptyMarkdown({ title: 'Markdown, not blank' }))

/** Any characters, but not white space only. */
export const NonEmptyText = named(
  'nonEmptyText',
  textLike('\\S', 'text that is not blank', { minLength: 1, title: 'Text, not blank' }),
)

/** A path as the system returns it. A single space is a valid path. */
export const PathText = named('pathText', Type.String({ minLength: 1, title: 'Path', description: 'A path.' }))

/** A stable code such as `run_busy`. */
export const Code = named('code', textLike('^[a-z][a-z0-9_]*$', 'a lowercase word such as run_busy', { title: 'Code' }))
