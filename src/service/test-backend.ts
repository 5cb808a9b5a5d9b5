/** Finds out whether a backend works: sends it one short prompt, which costs what a prompt costs. */
import { Fault } from '../kit/fault.ts'
import { withoutUndefined } from '../kit/json-value.ts'
import type { Caller } from '../prompts/caller.ts'
import type { PromptRequest } from '../prompts/prompt-request.ts'
import { failedResult, type PromptResult, toPromptStatus } from '../prompts/prompt-result.ts'
import type { BackendTest, DroverService, TestOptions } from './drover-service.ts'

const PROMPT = 'Reply with the single word: ready'

export async function testBackend(
  prompts: Pick<DroverService['prompts'], 'start'>,
  { by, backend }: { by: Caller; backend: string },
  { signal, timeoutSecs, sandboxed }: TestOptions,
): Promise<BackendTest> {
  // Whatever the answer of the model, nothing may change.
  const request: PromptRequest = {
    backend,
    prompt: PROMPT,
    fallback: [],
    ephemeral: true,
    sandbox_mode: 'read-only',
    timeout_secs: timeoutSecs,
    ...(sandboxed !== undefined && { sandbox: 'required', workdir: sandboxed }),
  }
  try {
    const running = await prompts.start(by, request, { signal, isEphemeral: true, isCold: true })
    return toBackendTest(await running.result())
  } catch (error) {
    if (!(error instanceof Fault)) throw error
    return toBackendTest(failedResult(backend, error))
  }
}

function toBackendTest(result: PromptResult): BackendTest {
  const { backend, model, duration_ms, token_usage, cost_usd, cost_kind, error, error_code, output } = result
  return withoutUndefined({
    backend,
    works: toPromptStatus(result) === 'completed',
    answer: output.trim(),
    ...{ duration_ms, token_usage, model, cost_usd, cost_kind, error },
    error_code: error === undefined ? undefined : error_code,
  })
}
