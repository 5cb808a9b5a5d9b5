/** The lines of a native stream: what the agent said, and in which session. */
import { type TSchema, Type } from 'typebox'
import { EVENT_CONTENTS, type EventType } from '../agents/adapter/agent.shape.ts'
import { BACKENDS } from '../agents/adapter/agent.ts'
import { literals, type Message, named, tagged } from '../kit/shape.ts'

const ENVELOPE = {
  backend: literals(BACKENDS, { description: 'The agent.' }),
  session_id: Type.String({ description: "drover's own id; empty when no session is kept." }),
  timestamp: Type.String({ format: 'date-time', description: 'When it was said, in UTC.' }),
}

const sequence = Type.Integer({ minimum: 1, description: 'From 1, without gaps.' })

const event = <T extends EventType, N extends TSchema>(type: T, number: N, description: string) =>
  named(
    eventName(type),
    Type.Object(
      { type: Type.Literal(type), ...ENVELOPE, sequence: number, content: EVENT_CONTENTS[type] },
      { description },
    ),
  )

/** `tool_use` is called `ToolUseEvent`. */
function eventName(type: EventType): string {
  return `${type.replace(/(?:^|_)([a-z])/g, (_, letter: string) => letter.toUpperCase())}Event`
}

/** Waiting is said by the server and not by the agent, so that line is not counted. */
const sequenceUnlessWaiting = Type.Optional(
  Type.Integer({ minimum: 1, description: 'Left out where the stage is `waiting`: the agent is silent but alive.' }),
)

export const PromptEvent = named(
  'PromptEvent',
  tagged(
    'type',
    [
      event('init', sequence, 'The first: the agent has started.'),
      event('message', sequence, 'The agent says something to its user.'),
      event('thinking', sequence, 'The agent says something to itself.'),
      event('tool_use', sequence, 'The agent uses a tool.'),
      event('tool_result', sequence, 'A tool has given its result.'),
      event('progress', sequenceUnlessWaiting, 'The agent has come to another stage, or is still waited for.'),
      event('token_usage', sequence, 'What has been used so far.'),
      event('error', sequence, 'The run has failed; `done` still follows.'),
      event('done', sequence, 'The last: the agent has ended and the session is settled.'),
    ],
    { description: 'One line of a stream of the native API.' },
  ),
)
export type PromptEvent = Message<typeof PromptEvent>
