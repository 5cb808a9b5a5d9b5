import { Type } from 'typebox'
import { OPEN_ERRORS } from '../api-description/error-responses.shape.ts'
import { cachedResponses, type Operation, operation } from '../api-description/operation.shape.ts'

export const OPERATIONS: readonly Operation[] = [
  operation('get /openapi.json', 'getOpenApi', {
    tag: 'health',
    summary: 'Get this document',
    responses: cachedResponses('OpenAPI 3.0.', 'application/json', Type.Unsafe<object>({ type: 'object' })),
    errors: OPEN_ERRORS,
    isOpen: true,
  }),
]
