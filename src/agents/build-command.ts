/** The one way to build the command of a prompt: checks the request, then uses the builder of its agent. */
import { refuseBadArguments } from '../kit/process/start-fault.ts'
import { type Agent, type AgentCommand, type AgentRequest, type Backend, NATIVE_BACKENDS } from './adapter/agent.ts'
import { isImage } from './adapter/attached-file.ts'
import { attachmentsUnsupported } from './adapter/faults.ts'
import type { JsonRecord } from './adapter/json-fields.ts'
import {
  agentSessionIdInvalid,
  outputSchemaInvalid,
  outputSchemaUnsupported,
  promptEmpty,
  promptNotText,
  promptTooLarge,
} from './faults.ts'
import { NATIVE_AGENTS } from './registry.ts'
import { findSchemaProblem } from './schema/check-schema.ts'

/** Throws a Fault for texts, ids and arguments that the agent does not accept. */
export function buildCommand(request: AgentRequest): AgentCommand {
  const { agent, backend, resumeId, extra, workdir } = request
  checkTexts(request)
  checkAttachments(request)
  if (request.outputSchema !== undefined) checkOutputSchema(request.outputSchema, agent)
  const command = agent.toCommand(request)
  // Some agents get the system prompt in front of the prompt: the size of both counts.
  checkSize(command.stdin, backend)
  if (resumeId !== undefined) checkSessionId(resumeId, agent)
  // Whether the caller's arguments fit depends on the environment too.
  if (extra.length > 0) refuseBadArguments({ argv: [agent.executable, ...extra], cwd: workdir, env: command.env })
  return command
}

/** The native agents use UUIDs. Words such as `latest` would select a session of another prompt. */
const SESSION_ID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i

export function isSessionId(id: string): boolean {
  return SESSION_ID.test(id)
}

/** Only native agents take the id in an argument. */
function checkSessionId(id: string, agent: Agent): void {
  if (!('profile' in agent) && !isSessionId(id)) throw agentSessionIdInvalid({ backend: agent.backend, id })
}

function checkOutputSchema(schema: JsonRecord, { backend, abilities }: Agent): void {
  if (!abilities.output_schema) {
    const able = NATIVE_BACKENDS.filter((each) => NATIVE_AGENTS[each].abilities.output_schema)
    throw outputSchemaUnsupported({ backend, able })
  }
  const problem = findSchemaProblem(schema)
  if (problem !== undefined) throw outputSchemaInvalid({ problem })
}

function checkAttachments({ attachments = [], agent }: AgentRequest): void {
  const { backend, abilities } = agent
  const missing = attachments.map((file) => (isImage(file) ? 'images' : 'documents')).find((kind) => !abilities[kind])
  if (missing !== undefined) throw attachmentsUnsupported({ backend, kind: missing })
}

/** Limits on standard input. Codex refuses more; gemini silently cuts it off. */
export const PROMPT_LIMITS: Partial<Record<Backend, { limit: number; unit: 'characters' | 'bytes' }>> = {
  codex: { limit: 1_048_576, unit: 'characters' },
  gemini: { limit: 8 * 1024 * 1024, unit: 'bytes' },
}

/** Throws a Fault for a prompt that is empty, not text, or too large. */
export function checkPrompt(prompt: string, backend: Backend): void {
  if (prompt.trim() === '') throw promptEmpty({ backend })
  checkText('prompt', prompt)
  checkSize(prompt, backend)
}

/** Throws a Fault for a text that the agent would refuse or cut off. */
function checkSize(text: string, backend: Backend): void {
  const rule = PROMPT_LIMITS[backend]
  if (rule === undefined) return
  const size = rule.unit === 'bytes' ? Buffer.byteLength(text) : countCharacters(text)
  if (size > rule.limit) throw promptTooLarge({ backend, size, ...rule })
}

function checkTexts({ backend, prompt, systemPrompt }: AgentRequest): void {
  checkPrompt(prompt, backend)
  if (systemPrompt !== undefined) checkText('system prompt', systemPrompt)
}

function checkText(part: 'prompt' | 'system prompt', text: string): void {
  if (text.includes('\0')) throw promptNotText({ part, problem: 'contains a NUL character' })
  if (!text.isWellFormed()) throw promptNotText({ part, problem: 'contains half a surrogate pair' })
}

/** Code points, which is what codex counts. */
function countCharacters(text: string): number {
  let count = 0
  for (const _ of text) count += 1
  return count
}
