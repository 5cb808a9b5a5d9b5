/** The one way to build the command of a prompt: checks the request, then uses the builder of its agent. */
import { refuseBadArguments } from '../kit/process/start-fault.ts'
import { type AgentCommand, type AgentRequest, BACKENDS, type Backend } from './adapter/agent.ts'
import type { JsonObject } from './adapter/json-fields.ts'
import { checkSize, checkTexts } from './check-prompt.ts'
import { agentSessionIdInvalid, outputSchemaInvalid, outputSchemaUnsupported } from './faults.ts'
import { AGENTS } from './registry.ts'
import { findSchemaProblem } from './schema/check-schema.ts'

/** Throws a Fault for texts, ids and arguments that the agent does not accept. */
export function buildCommand(request: AgentRequest): AgentCommand {
  const { backend, resumeId, extra, workdir } = request
  const agent = AGENTS[backend]
  checkTexts(request)
  if (request.outputSchema !== undefined) checkOutputSchema(request.outputSchema, backend)
  const command = agent.toCommand(request)
  // Some agents get the system prompt in front of the prompt: the size of both counts.
  checkSize(command.stdin, backend)
  if (resumeId !== undefined) checkSessionId(resumeId, backend)
  // Whether the caller's arguments fit depends on the environment too.
  if (extra.length > 0) refuseBadArguments({ argv: [agent.executable, ...extra], cwd: workdir, env: command.env })
  return command
}

/** All three agents use UUIDs. Words such as `latest` would select a session of another prompt. */
const SESSION_ID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i

export function isSessionId(id: string): boolean {
  return SESSION_ID.test(id)
}

function checkSessionId(id: string, backend: Backend): void {
  if (!isSessionId(id)) throw agentSessionIdInvalid({ backend, id })
}

function checkOutputSchema(schema: JsonObject, backend: Backend): void {
  if (!AGENTS[backend].abilities.output_schema) {
    const able = BACKENDS.filter((each) => AGENTS[each].abilities.output_schema)
    throw outputSchemaUnsupported({ backend, able })
  }
  const problem = findSchemaProblem(schema)
  if (problem !== undefined) throw outputSchemaInvalid({ problem })
}
