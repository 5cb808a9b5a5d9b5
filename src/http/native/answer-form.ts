import { toTimestamp } from '../../kit/clock.ts'
import type { PromptRequest } from '../../prompts/prompt-request.ts'
import type { ServerContext } from '../context/server-context.ts'
import type { AnswerForm } from '../response/answer-prompt.ts'
import type { StreamStyle } from '../response/send-stream.ts'

/** The result as it is, or its events line by line. */
export function answerForm(prompt: PromptRequest, context: ServerContext): AnswerForm {
  const format = prompt.output_format ?? context.config.output.format
  return format === 'stream-json' ? ndjson(prompt.backend, context) : { toBody: (result) => result }
}

/** Heartbeats are lines of their own kind, because some readers do not take an empty one. */
function ndjson(backend: string, { clock }: ServerContext): StreamStyle {
  let sessionId = ''
  return {
    contentType: 'application/x-ndjson',
    frame: (event) => {
      sessionId = event.session_id
      return `${JSON.stringify(event)}\n`
    },
    end: () => '',
    heartbeat: () => {
      const timestamp = toTimestamp(clock.now())
      const content = { stage: 'waiting' }
      return `${JSON.stringify({ type: 'progress', backend, session_id: sessionId, timestamp, content })}\n`
    },
  }
}
