import { type PromptResult, toPromptStatus } from '../../prompts/prompt-result.ts'
import type { Exchange } from '../executions/requested-execution.ts'

/** The native API answers 200 if an agent has failed, so the line of the request does not tell. */
export function logFailure({ request, context }: Exchange, result: PromptResult): void {
  if (toPromptStatus(result) !== 'failed') return
  request.facts.isFailureLogged = true
  const { execution_id: execution, backend, error_code: error, exit_code: exitCode } = result
  const reason = result.error ?? `it ended with exit code ${exitCode}`
  context.log.warn({ request_id: request.id, execution, backend, error, reason }, 'agent failed')
}

/** Also for a client that does not wait. Never throws: an error is that of the request. */
export async function logFailures(exchange: Exchange, running: Promise<readonly PromptResult[]>): Promise<void> {
  const results = await running.catch(() => [])
  for (const result of results) logFailure(exchange, result)
}
