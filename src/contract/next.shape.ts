import { type TSchema, Type } from 'typebox'
import { literals, type Message, meaning, named, strict, tagged, textLike } from '../kit/shape.ts'
import { Digest } from './identifiers.shape.ts'
import { noneOf, someOf } from './list.shape.ts'
import { NonEmptyText } from './text.shape.ts'

const name = textLike('^[a-z][a-z0-9_]*$', 'a lowercase name such as goal_file', {
  description: 'What it is called: a lowercase letter, then lowercase letters, digits and underscores.',
})
const flag = textLike('^--[a-z][a-z0-9-]*$', 'a flag such as --goal-file', {
  description: 'The flag it goes with: two hyphens and a lowercase letter, then lowercase letters, digits and hyphens.',
})
const required = Type.Boolean({ description: 'Whether the command needs it.' })

export const NextInput = named(
  'nextInput',
  tagged(
    'type',
    [
      strict({ name, type: literals(['string', 'path', 'digest'], { description: 'What it is.' }), flag, required }),
      strict({
        name,
        type: Type.Literal('enum', { description: 'What it is.' }),
        flag,
        required,
        choices: Type.Array(NonEmptyText, { minItems: 1, uniqueItems: true, description: 'What can be chosen.' }),
      }),
    ],
    {
      title: 'Next input',
      description: 'Something that a command takes from its caller. An `enum` has `choices`, nothing else has.',
    },
  ),
)
export type NextInput = Message<typeof NextInput>

/** A word for a person to replace (`FILE`, `<path>`) would be taken for the value. */
const NO_PLACEHOLDER = '(?!\\s*["\']*(?:FILE|<[\\s\\S]*>)["\']*\\s*$)'

export const NextVariant = named(
  'nextVariant',
  strict(
    {
      id: textLike('^[a-z][a-z0-9-]*$', 'a lowercase name such as skip-action', {
        description: 'What it is called: a lowercase letter, then lowercase letters, digits and hyphens.',
      }),
      base_argv: Type.Unsafe<readonly [string, string, ...string[]]>({
        type: 'array',
        minItems: 2,
        prefixItems: [Type.Literal('drover')],
        items: textLike(`^${NO_PLACEHOLDER}[^\\u0000]+$`, 'a word that is no placeholder and has no NUL'),
        description:
          'The command as separate words, to be run without a shell: first `drover`, then at least one more, none of them empty, with a NUL, or a placeholder such as `FILE` or `<path>`.',
      }),
      inputs: Type.Array(NextInput, {
        description: 'What to add to it: for each, in order, its flag and the value as two words.',
      }),
    },
    { title: 'Next variant', description: 'One command that would do it.' },
  ),
)
export type NextVariant = Message<typeof NextVariant>

/** Where something is next, there is a command for it. */
export type NextVariants = readonly [NextVariant, ...NextVariant[]]

const next = <O extends TSchema, V extends TSchema>(operation: O, variants: V) =>
  strict({ operation, workspace_identity: meaning('The worktree that the commands are for.', Digest), variants })

const VARIANTS = { description: 'The commands, of which one is to be chosen.' }

const OPERATION = { description: 'What sort of step is next.' }

export const Next = named(
  'next',
  tagged(
    'operation',
    [
      next(literals(['action', 'answer', 'resume', 'start', 'command'], OPERATION), someOf(NextVariant, VARIANTS)),
      next(Type.Literal('none', OPERATION), noneOf(NextVariant, VARIANTS)),
    ],
    {
      title: 'Next',
      description: 'What can be done next, as commands that run as they stand.',
      'x-rules': {
        variantsAreDistinct: 'No two variants have the same id.',
        commandsAreKnown:
          'Each variant is, word for word, one of the commands of its operation in the table of variants.',
        rootsAreTheSame: 'All variants have the same value for `--root`.',
      },
    },
  ),
)
export type Next = Message<typeof Next>
