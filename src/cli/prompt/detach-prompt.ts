/** Leaves a prompt to the user's server and prints the id of its execution. */
import type { Backend } from '../../agents/adapter/agent.ts'
import type { Config } from '../../config/config.shape.ts'
import { applySettings } from '../../prompts/apply-settings.ts'
import type { PromptRequest } from '../../prompts/prompt-request.ts'
import type { Invocation } from '../command.ts'
import { postToServer } from '../server-client.ts'

type Detached = { request: PromptRequest; config: Config }

export async function detachPrompt(invocation: Invocation, { request, config }: Detached): Promise<number> {
  const { out, err } = invocation.runtime.terminal
  const { resumes, forks, history: _history, wantsDeltas: _, ...asked } = request
  const origin = resumes ?? forks
  const accepted =
    origin === undefined
      ? await postToServer(invocation, '/api/v1/prompt', {
          ...asked,
          ...settingsOfCaller(request, config),
          detach: true,
        })
      : await postToServer(invocation, `/api/v1/sessions/${origin.id}/resume`, {
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

/** The server may have other settings, or another working directory. */
function settingsOfCaller(request: PromptRequest, config: Config) {
  const own = config.backends[request.backend as Backend]
  const { approvalMode, sandboxMode, model } = applySettings(request, { own, shared: config.unified_flags })
  return { approval_mode: approvalMode, sandbox_mode: sandboxMode, ...(model !== undefined && { model }) }
}

/** The session has it. */
function withoutBackend({ backend: _, ...asked }: PromptRequest): Omit<PromptRequest, 'backend'> {
  return asked
}
