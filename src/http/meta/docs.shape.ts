import { Type } from 'typebox'
import { literals } from '../../kit/shape.ts'
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
  operation('get /docs', 'getDocs', {
    tag: 'health',
    summary: 'Get this document as an interactive page',
    responses: cachedResponses('The page. It loads files of this server only.', 'text/html', Type.String()),
    errors: OPEN_ERRORS,
    isOpen: true,
  }),
  operation('get /docs/{asset}', 'getDocsAsset', {
    tag: 'health',
    summary: 'Get a file of that page',
    parameters: [
      {
        name: 'asset',
        in: 'path',
        shape: literals(['start.js', 'swagger-ui-bundle.js', 'swagger-ui.css', 'favicon-32x32.png'], {
          description: 'A script, a style sheet or an image.',
        }),
        isRequired: true,
      },
    ],
    responses: cachedResponses('The file, with its own media type.', '*/*', Type.String({ format: 'binary' })),
    errors: ['NotFound', ...OPEN_ERRORS],
    isOpen: true,
  }),
]
