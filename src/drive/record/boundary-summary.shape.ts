/** What a run reached and what it was refused, in all. */
import { Type } from 'typebox'
import { literals, type Message, named, optionalText, strict } from '../../kit/shape.ts'

const BOUNDARY_USERS = ['setup', 'baseline', 'check', 'clean_checkout', 'agent'] as const

const [text, seenCount] = [Type.String(), Type.Integer({ minimum: 0 })]

/** As one of them saw it. */
export const BoundarySeen = strict({
  by: literals(BOUNDARY_USERS),
  attempt: Type.Optional(seenCount),
  reached: Type.Array(strict({ host: text, count: seenCount })),
  refused: Type.Array(strict({ host: text, reason: text, count: seenCount })),
  unwritable: Type.Array(text),
  /** Absent in older records. */
  exceeded: Type.Optional(Type.Array(text)),
})
export type BoundarySeen = Message<typeof BoundarySeen>

const host = Type.String({ description: 'The host and its port.' })
const count = Type.Integer({ minimum: 0, description: 'How often.' })
const by = Type.Array(literals(BOUNDARY_USERS), { description: 'What asked for it.' })
const rounds = Type.Optional(
  Type.Array(Type.Integer({ minimum: 1 }), { description: 'The rounds. Absent: the run has only one.' }),
)
const enforcement = {
  enforced_by: Type.Optional(
    Type.Literal('bubblewrap', { description: 'The program that enforces it. Absent: there was no sandbox.' }),
  ),
  around: optionalText('What ran in it: agents, checks, setups.'),
  why_not: optionalText('Why there was none.'),
}

export const BoundarySummary = named(
  'RunBoundary',
  Type.Object({
    ...enforcement,
    rounds,
    other_rounds: Type.Optional(
      Type.Array(Type.Object({ round: Type.Integer({ minimum: 1, description: 'The round.' }), ...enforcement }), {
        description: 'Earlier rounds with another sandbox, or without one.',
      }),
    ),
    reached: Type.Array(Type.Object({ host, count, by, rounds }), { description: 'Hosts that were reached.' }),
    refused: Type.Array(
      Type.Object({ host, reason: Type.String({ description: 'Why it was refused.' }), count, by, rounds }),
      {
        description: 'Hosts that were refused.',
      },
    ),
    unwritable: Type.Array(Type.Object({ path: Type.String({ description: 'The path.' }), by, rounds }), {
      description: 'Paths that could not be written, as commands printed it.',
    }),
    exceeded: Type.Array(Type.Object({ limit: Type.String({ description: 'The limit.' }), by, rounds }), {
      description: 'Limits that were exceeded, and commits that were not taken for that reason.',
    }),
  }),
  'What agents, checks and setups of a run reached, and what they were refused, in all of its rounds up to this one.',
)
export type BoundarySummary = Message<typeof BoundarySummary>
