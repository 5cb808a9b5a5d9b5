/** The one way to build the command of a prompt: checks the request, then uses the builder of its agent. */
import { refuseBadArguments } from '../kit/process/start-fault.ts'
import { type Agent, type AgentCommand, type AgentRequest, NATIVE_BACKENDS } from './adapter/agent.ts'
import type { JsonRecord } from './adapter/json-fields.ts'
import { checkSize, checkTexts } from './check-prompt.ts'
import { agentSessionIdInvalid, outputSchemaInvalid, outputSchemaUnsupported } from './faults.ts'
import { NATIVE_AGENTS } from './registry.ts'
import { findSchemaProblem } from './schema/check-schema.ts'

/** Throws a Fault for texts, ids and arguments that the agent does not accept. */
export function buildCommand(request: AgentRequest): AgentCommand {
  const { agent, backend, resumeId, extra, workdir } = request
  checkTexts(request)
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
