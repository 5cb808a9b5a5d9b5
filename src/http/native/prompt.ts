/** `POST /api/v1/prompt` */
import { toTimestamp } from '../../kit/clock.ts'
import { requestChecker } from '../../kit/schema.ts'
import { validatePromptRequest } from '../../prompts/checks.generated.js'
import type { PromptBody } from '../../prompts/prompt-request.shape.ts'
import type { RegisterRoutes, ServerContext } from '../context/server-context.ts'
import { checkBody } from '../request/body.ts'
import { type ReplyFormat, sendPrompt } from '../response/send-prompt.ts'
import type { StreamFormat } from '../response/send-stream.ts'

const checkPrompt = requestChecker<PromptBody>('the request', validatePromptRequest)

export const registerPrompt: RegisterRoutes = (scope, context) => {
  scope.post('/prompt', async (request, reply) => {
    const { detach = false, ...prompt } = checkBody(request.body, checkPrompt)
    return await sendPrompt(
      { request, reply, context },
      { prompt, detach, toFormat: () => nativeFormat(prompt, context) },
    )
  })
}

/** The result as JSON, or the events as lines of JSON. */
export function nativeFormat(
  prompt: Pick<PromptBody, 'backend' | 'output_format'>,
  context: ServerContext,
): ReplyFormat {
  const format = prompt.output_format ?? context.config.output.format
  if (format === 'stream-json') return ndjson(prompt.backend, context)
  return { toBody: (result) => result }
}

/** The heartbeat is an event too, because some clients cannot read an empty line. */
function ndjson(backend: string, context: ServerContext): StreamFormat {
  let sessionId = ''
  return {
    contentType: 'application/x-ndjson',
    frame: (event) => {
      sessionId = event.session_id
      return `${JSON.stringify(event)}\n`
    },
    end: () => '',
    heartbeat: () => {
      const timestamp = toTimestamp(context.clock.now())
      const content = { stage: 'waiting' }
      return `${JSON.stringify({ type: 'progress', backend, session_id: sessionId, timestamp, content })}\n`
    },
  }
}
