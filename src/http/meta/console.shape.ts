import { Type } from 'typebox'
import { OPEN_ERRORS } from '../api-description/error-responses.shape.ts'
import { cachedResponses, type Operation, operation } from '../api-description/operation.shape.ts'

export const OPERATIONS: readonly Operation[] = [
  operation('get /', 'getConsole', {
    tag: 'health',
    summary: 'Get the web console',
    responses: cachedResponses('The page. It loads files of this server only.', 'text/html', Type.String()),
    errors: ['NotFound', ...OPEN_ERRORS],
    isOpen: true,
  }),
  operation('get /console/{asset}', 'getConsoleAsset', {
    tag: 'health',
    summary: 'Get a file of that page',
    parameters: [
      {
        name: 'asset',
        in: 'path',
        shape: Type.String({ description: 'A script, a style sheet or an image, with a digest in its name.' }),
        isRequired: true,
      },
    ],
    responses: {
      200: {
        description: 'The file, with its own media type. It never changes.',
        content: { '*/*': { shape: Type.String({ format: 'binary' }), examples: {} } },
      },
    },
    errors: ['NotFound', ...OPEN_ERRORS],
    isOpen: true,
  }),
]
