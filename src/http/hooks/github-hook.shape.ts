import { Type } from 'typebox'
import { namedObject } from '../../kit/shape.ts'
import { COMMON_ERRORS } from '../api-description/error-responses.shape.ts'
import { jsonResponse, type Operation, operation } from '../api-description/operation.shape.ts'

const HookAnswer = namedObject('HookAnswer', {
  is_new: Type.Boolean({ description: 'False: a delivery with this id was received before.' }),
  is_watched: Type.Boolean({ description: 'Whether this server watches the repository, and looks at it soon.' }),
})

const header = (name: string, description: string) => ({
  ...{ name, in: 'header' as const, isRequired: true },
  shape: Type.String({ description }),
})

export const OPERATIONS: readonly Operation[] = [
  operation('post /hooks/github', 'receiveGitHubHook', {
    summary: 'Receive a webhook of GitHub, and look at its repository soon',
    description:
      'Only exists if `server.webhook_secret_file` is set. Needs no API key, but the signature of GitHub. Only the name of the repository is used; what happened there is read from GitHub.',
    parameters: [
      header('X-Hub-Signature-256', 'The HMAC of the body with the secret, as `sha256=` and 64 hexadecimal digits.'),
      header('X-GitHub-Delivery', 'The id of the delivery.'),
    ],
    body: {
      shape: Type.Object({ repository: Type.Optional(Type.Object({ full_name: Type.String() })) }),
      examples: { labeled: { repository: { full_name: 'ada/weather' } } },
    },
    responses: { 202: jsonResponse('It was received.', HookAnswer, { is_new: true, is_watched: true }) },
    errors: ['BadRequest', 'NotFound', ...COMMON_ERRORS],
    isOpen: true,
  }),
]
