/** A dry run: the result is the command that would be started. */
import type { AgentCommand, AgentRequest } from '../agents/adapter/agent.ts'
import { NO_USAGE } from '../agents/adapter/token-usage.ts'
import { quoteText, quoteWord } from '../kit/shell-words.ts'
import { openTurn, type PreparedPrompt } from './open-turn.ts'
import type { PromptStream } from './prompt-context.ts'
import { createEnvelope, withWarnings } from './prompt-event.ts'
import { dryRunResult, type PromptResult } from './prompt-result.ts'

export async function* runDry(prompt: PreparedPrompt): PromptStream {
  const { agentRequest, context } = prompt
  const { backend, model, workdir } = agentRequest
  const result = await finishDry(prompt)
  const toEvent = createEnvelope({ backend, sessionId: result.session_id, clock: context.clock })
  yield toEvent({ type: 'init', content: { ...(model !== undefined && { model }), working_dir: workdir } })
  yield toEvent({ type: 'message', content: { text: result.output, role: 'assistant' } })
  const done = { exit_code: 0, duration_ms: 0, token_usage: NO_USAGE }
  yield toEvent(withWarnings({ type: 'done', content: done }, result.warnings ?? []))
  return result
}

/** The result alone, for callers who want no events: a dry run is often a load test. */
export async function finishDry(prompt: PreparedPrompt): Promise<PromptResult> {
  const { agentRequest, command } = prompt
  const { backend, model } = agentRequest
  const isSandboxed = agentRequest.boundary !== undefined
  const line = formatDryRun({ argv: shownArgv(agentRequest, command), stdin: command.stdin, isSandboxed })
  const { sessionId, warnings } = await storeDrySession(prompt)
  return dryRunResult(line, { backend, model, sessionId, warnings: [...command.warnings, ...warnings] })
}

function shownArgv({ program, shownAs }: AgentRequest, { argv }: AgentCommand): readonly string[] {
  return [...(shownAs === undefined ? program : [shownAs]), ...argv.slice(program.length)]
}

/** A client gets a session, as for any other prompt. */
async function storeDrySession(prompt: PreparedPrompt): Promise<{ sessionId: string; warnings: string[] }> {
  if (prompt.context.by.is !== 'client' || prompt.request.resumes !== undefined) return { sessionId: '', warnings: [] }
  const turn = await openTurn(prompt)
  const warnings = await turn.finish({ outcome: 'completed', usage: NO_USAGE })
  return { sessionId: turn.sessionId, warnings }
}

/** No one reads more, and quoting megabytes takes long. */
const MAX_SHOWN = 64 * 1024

type Shown = { argv: readonly string[]; stdin: string; isSandboxed: boolean }

/** One line that shows how the agent would be started, fit to be pasted into bash. */
export function formatDryRun({ argv, stdin, isSandboxed }: Shown): string {
  const shown = stdin.slice(0, MAX_SHOWN).toWellFormed()
  const notes = [
    ...(stdin.length > MAX_SHOWN ? [`only ${MAX_SHOWN} of ${stdin.length} characters are shown`] : []),
    // An agent that runs there may have its own sandbox and its questions turned off.
    ...(isSandboxed ? ["in drover's sandbox"] : []),
  ]
  const note = notes.length === 0 ? '' : ` # ${notes.join('; ')}`
  return `Would execute: ${argv.map(quoteWord).join(' ')} <<< ${quoteText(shown)}${note}`
}
