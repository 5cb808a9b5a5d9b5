/** The error responses of the OpenAPI document, one component for each error and error format. */
import type { TSchema } from 'typebox'
import {
  ERROR_RESPONSES,
  type ErrorName,
  type ErrorResponse,
  OTHER_ERROR,
} from '../../src/http/api-description/error-responses.shape.ts'
import { type ApiStyle, findApiStyle } from '../../src/http/errors/api-style.ts'
import { ChatProblem, MessageProblem, NativeError } from '../../src/http/errors/error-body.shape.ts'
import { toErrorBody } from '../../src/http/errors/error-body.ts'
import { toHttpError } from '../../src/http/errors/http-error.ts'
import type { Fault } from '../../src/kit/fault.ts'
import type { Json } from '../rewrite-shape.ts'
import { headerReferences, toMedia } from './operation.ts'
import type { SchemaBook } from './schema.ts'

const FORMATS = {
  Native: { style: 'native', mediaType: 'application/json', shape: NativeError },
  Chat: { style: 'chat', mediaType: 'application/problem+json', shape: ChatProblem },
  Message: { style: 'message', mediaType: 'application/problem+json', shape: MessageProblem },
} satisfies Record<string, { style: ApiStyle; mediaType: string; shape: TSchema }>

type ErrorFormat = keyof typeof FORMATS

/** References to the errors that an operation lists, and a default for all others. */
export function errorReferences(path: string, names: readonly ErrorName[]): Json {
  const format = formatOf(path)
  const listed = names.map((name) => [
    ERROR_RESPONSES[name].status,
    { $ref: `#/components/responses/${format}${name}` },
  ])
  return { ...Object.fromEntries(listed), default: { $ref: `#/components/responses/${format}Other` } }
}

const FORMAT_OF_STYLE = { native: 'Native', chat: 'Chat', message: 'Message' } as const

function formatOf(path: string): ErrorFormat {
  return FORMAT_OF_STYLE[findApiStyle(path)]
}

export function errorComponents(book: SchemaBook): Json {
  const components = (Object.keys(FORMATS) as ErrorFormat[]).flatMap((format) => [
    ...Object.entries(ERROR_RESPONSES).map(([name, error]) => [`${format}${name}`, toComponent(format, error, book)]),
    [`${format}Other`, toComponent(format, OTHER_ERROR, book)],
  ])
  return Object.fromEntries(components)
}

function toComponent(format: ErrorFormat, error: Omit<ErrorResponse, 'status'>, book: SchemaBook): Json {
  const { description, headers = [], examples, onlyNative = [], onlyCompatible = [] } = error
  const own = format === 'Native' ? onlyNative : onlyCompatible
  const bodies = [...own, ...examples].map((fault) => toExample(format, fault))
  const { mediaType, shape } = FORMATS[format]
  return {
    description,
    headers: headerReferences(headers),
    content: { [mediaType]: toMedia({ shape, examples: Object.fromEntries(bodies) }, book) },
  }
}

function toExample(format: ErrorFormat, fault: Fault): [string, object] {
  const error = toHttpError(fault)
  const { body } = toErrorBody(error, { style: FORMATS[format].style, errorsBase: 'https://drover.dev/errors' })
  return [error.code, body]
}
