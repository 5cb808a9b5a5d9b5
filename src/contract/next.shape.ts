import { type TSchema, Type } from 'typebox'
import { literals, type Message, meaning, named, strict, tagged, textLike } from '../kit/shape.ts'
import { Digest } from './identifiers.shape.ts'
import { emptyList, nonEmptyList } from './list.shape.ts'
import { NonEmptyText } from './text-kinds.shape.ts'

const name = textLike('^[a-z][a-z0-9_]*$', 'a lowercase name such as goal_file', {
  description: 'Name: a lowercase letter, then lowercase letters, digits and underscores.',
})
const flag = textLike('^--[a-z][a-z0-9-]*$', 'a flag such as --goal-file', {
  description: 'Flag: two hyphens and a lowercase letter, then lowercase letters, digits and hyphens.',
})
const required = Type.Boolean({ description: 'Whether the command requires it.' })

export const NextInput = named(
  'nextInput',
  tagged(
    'type',
    [
      strict({
        name,
        type: literals(['string', 'path', 'digest'], { description: 'Type of the value.' }),
        flag,
        required,
      }),
      strict({
        name,
        type: Type.Literal('enum', { description: 'Type of the value.' }),
        flag,
        required,
        choices: Type.Array(NonEmptyText, { minItems: 1, uniqueItems: true, description: 'The allowed values.' }),
      }),
    ],
    {
      title: 'Next input',
      description: 'An input of a command. Only an `enum` has `choices`.',
    },
  ),
)
export type NextInput = Message<typeof NextInput>

/** A placeholder such as `FILE` or `<path>` would be used as the value. */
const NO_PLACEHOLDER = '(?!\\s*["\']*(?:FILE|<[\\s\\S]*>)["\']*\\s*$)'

export const NextVariant = named(
  'nextVariant',
  strict(
    {
      id: textLike('^[a-z][a-z0-9-]*$', 'a lowercase name such as skip-action', {
        description: 'Name: a lowercase letter, then lowercase letters, digits and hyphens.',
      }),
      base_argv: Type.Unsafe<readonly [string, string, ...string[]]>({
        type: 'array',
        minItems: 2,
        prefixItems: [Type.Literal('drover')],
        items: textLike(`^${NO_PLACEHOLDER}[^\\u0000]+$`, 'a word without NUL that is not a placeholder'),
        description:
          'The command as separate words, to run without a shell: `drover` and at least one more word. No word is empty, has a NUL, or is a placeholder such as `FILE` or `<path>`.',
      }),
      inputs: Type.Array(NextInput, {
        description: 'The inputs to add: for each, in order, its flag and its value as two words.',
      }),
    },
    { title: 'Next variant', description: 'One command that can be run next.' },
  ),
)
export type NextVariant = Message<typeof NextVariant>

/** Every operation but `none` has at least one command. */
export type NextVariants = readonly [NextVariant, ...NextVariant[]]

const next = <O extends TSchema, V extends TSchema>(operation: O, variants: V) =>
  strict({ operation, workspace_identity: meaning('Id of the worktree of the commands.', Digest), variants })

const VARIANTS = { description: 'The commands to choose from.' }

const OPERATION = { description: 'Kind of the next step.' }

export const Next = named(
  'next',
  tagged(
    'operation',
    [
      next(
        literals(['action', 'answer', 'resume', 'start', 'command'], OPERATION),
        nonEmptyList(NextVariant, VARIANTS),
      ),
      next(Type.Literal('none', OPERATION), emptyList(NextVariant, VARIANTS)),
    ],
    {
      title: 'Next',
      description: 'The commands that can be run next, ready to run.',
      'x-rules': {
        variantsAreDistinct: 'No two variants have the same id.',
        commandsAreKnown: 'Each variant matches, word for word, a command of its operation in the table of variants.',
        rootsAreTheSame: 'All variants have the same value for `--root`.',
      },
    },
  ),
)
export type Next = Message<typeof Next>
