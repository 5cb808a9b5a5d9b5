/** The lines of a stream of the native API. */
import { type TSchema, Type } from 'typebox'
import { type AgentEventType, EVENT_CONTENTS } from '../agents/adapter/agent.shape.ts'
import { type Message, named, optionalInteger, tagged } from '../kit/shape.ts'

const ENVELOPE = {
  backend: Type.String({ description: 'The name of the backend.' }),
  session_id: Type.String({ description: "drover's own id; empty when no session is stored." }),
  timestamp: Type.String({ format: 'date-time', description: 'The time of the event, in UTC.' }),
}

const sequence = Type.Integer({ minimum: 1, description: 'Counts from 1, without gaps.' })

const event = <T extends AgentEventType, N extends TSchema>(type: T, number: N, description: string) =>
  named(
    eventName(type),
    Type.Object(
      { type: Type.Literal(type), ...ENVELOPE, sequence: number, content: EVENT_CONTENTS[type] },
      { description },
    ),
  )

/** `tool_use` is called `ToolUseEvent`. */
function eventName(type: AgentEventType): string {
  return `${type.replace(/(?:^|_)([a-z])/g, (_, letter: string) => letter.toUpperCase())}Event`
}

/** The server sends the stage `waiting` itself, so these lines have no number. */
const sequenceUnlessWaiting = optionalInteger(
  'Absent if the stage is `waiting`: the agent prints nothing but is still running.',
  { minimum: 1 },
)

export const PromptEvent = named(
  'PromptEvent',
  tagged(
    'type',
    [
      event('init', sequence, 'The first event: the agent has started.'),
      event('message', sequence, 'The agent writes to the user.'),
      event('thinking', sequence, 'The agent reasons.'),
      event('tool_use', sequence, 'The agent uses a tool.'),
      event('tool_result', sequence, 'A tool has ended.'),
      event(
        'boundary',
        sequence,
        'An agent in a sandbox reaches a host, is refused one, or cannot write a path, for the first time in this prompt, or exceeds a limit.',
      ),
      event('approval_request', sequence, 'The agent asks whether it may do something, and waits for the decision.'),
      event('approval_decision', sequence, 'Someone has decided about what the agent asked for.'),
      event('user_message', sequence, 'Someone tells the agent something while it works.'),
      event(
        'tool_request',
        sequence,
        'The agent calls functions of its client, and waits for their results. Only on the compatible APIs.',
      ),
      event(
        'progress',
        sequenceUnlessWaiting,
        'The agent has reached another stage, or the server is still waiting for it.',
      ),
      event('token_usage', sequence, 'The tokens used so far.'),
      event('error', sequence, 'The prompt has failed; `done` follows.'),
      event('done', sequence, 'The last event: the agent has ended and the session is stored.'),
    ],
    { description: 'One line of a stream of the native API.' },
  ),
)
export type PromptEvent = Message<typeof PromptEvent>
