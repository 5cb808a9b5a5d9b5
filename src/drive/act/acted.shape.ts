/** What people answered, and what they did with the work of a run, as it is sent to clients. */
import { Type } from 'typebox'
import { Decider, SteeredMessage } from '../../agents/adapter/agent.shape.ts'
import { literals, meaning } from '../../kit/shape.ts'
import { ACTS } from '../record/act-state.ts'

const text = (description: string) => Type.String({ description })
const moment = (description: string) => Type.String({ format: 'date-time', description })
const optional = Type.Optional

/** A part of every run. */
export const ACTED = {
  base_branch: optional(
    text(
      'The branch that was checked out when the run was started. `merge` merges into it. Absent if it is not known.',
    ),
  ),
  merged: optional(
    Type.Object(
      { into: optional(text('The branch.')), commit: optional(text('The commit that has the work.')) },
      { description: 'Where the work was merged, here or on the forge.' },
    ),
  ),
  discarded: optional(
    Type.Object(
      { commit: optional(text('The commit that has the work.')), until: optional(moment('It is kept until then.')) },
      { description: 'The work was discarded. `undo-discard` brings it back. Empty if nothing was changed.' },
    ),
  ),
  messages: optional(
    Type.Array(SteeredMessage, { description: 'What people told agents while they worked, oldest first.' }),
  ),
  answers: optional(
    Type.Array(
      Type.Object({
        action_id: text('The action that asked.'),
        text: text('The answer.'),
        is_permit: Type.Boolean({ description: 'Whether it permits to destroy what the action asked to destroy.' }),
        at: moment('When it was given.'),
      }),
      { description: 'What people answered, oldest first; only in a single run.' },
    ),
  ),
  acts: optional(
    Type.Array(
      Type.Object({
        did: literals(ACTS, { description: 'What was done.' }),
        at: moment('When.'),
        by: meaning('Who did it.', Decider),
        text: text('The same in words.'),
      }),
      { description: 'What people did with the work, oldest first.' },
    ),
  ),
}
