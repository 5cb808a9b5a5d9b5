/** Leaves a prompt to the user's server and prints the id of its execution. */
import type { Config } from '../../config/config.shape.ts'
import type { PromptRequest } from '../../prompts/prompt-request.ts'
import { settingsOfCaller } from '../../service/over-socket.ts'
import type { Invocation } from '../command.ts'
import { callServer } from '../local/server-client.ts'

type Detached = { request: PromptRequest; config: Config }

export async function detachPrompt(invocation: Invocation, { request, config }: Detached): Promise<number> {
  const { out, err } = invocation.runtime.terminal
  const { resumes, forks, history: _history, wantsDeltas: _, ...asked } = request
  const origin = resumes ?? forks
  const post = (path: string, body: object) => callServer(invocation, { method: 'POST', path, body })
  const accepted =
    origin === undefined
      ? await post('/api/v1/prompt', {
          ...asked,
          ...settingsOfCaller(request, config),
          detach: true,
        })
      : await post(`/api/v1/sessions/${origin.id}/resume`, {
          ...withoutBackend(asked),
          ...(forks !== undefined && { fork: true, backend: asked.backend }),
          detach: true,
        })
  const isJson = invocation.flags.text('output-format') === 'json'
  if (config.executions.keep === 'none') {
    await err.write('drover: warning: executions.keep is none, so the answer is not kept\n')
  }
  await out.write(isJson ? `${JSON.stringify(accepted, null, 2)}\n` : `${accepted['execution_id']}\n`)
  return 0
}

/** The session has it. */
function withoutBackend({ backend: _, ...asked }: PromptRequest): Omit<PromptRequest, 'backend'> {
  return asked
}
