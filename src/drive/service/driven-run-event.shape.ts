/** The events of a driven run as they are sent to clients: the records of its driver, without what only a driver needs. */
import { type TSchema, Type } from 'typebox'
import { named, tagged } from '../../kit/shape.ts'
import { DriveEvent } from '../record/drive-event.shape.ts'
import { DRIVEN_STATES } from './driven-run.shape.ts'

const at = Type.String({ format: 'date-time', description: 'The time of the event, in UTC.' })

type Part = { readonly [word: string]: unknown }
type Branch = { description: string; properties: { type: { const: string }; data: Part } }

/** The type of each record and what it says. */
export const RECORD_TYPES = (DriveEvent.anyOf as unknown as readonly Branch[]).map(
  ({ description, properties: { type, data } }) => ({ type: type.const, description, data }),
)

const records = RECORD_TYPES.map(({ type, description, data }) =>
  named(
    `Run${pascal(type)}Event`,
    Type.Object(
      {
        seq: Type.Integer({ minimum: 1, description: 'Counts from 1, without gaps.' }),
        at,
        type: Type.Literal(type),
        data: toClient(data),
      },
      { description },
    ),
  ),
)

const state = named(
  'RunStateEvent',
  Type.Object(
    {
      at,
      type: Type.Literal('state'),
      data: Type.Object({
        state: Type.Enum([...DRIVEN_STATES], { description: 'The state of the run.' }),
        driven_by: Type.Optional(Type.Enum(['this_server', 'another_process'], { description: 'Who drives it.' })),
      }),
    },
    { description: 'The stream begins, or the state of the run has changed. It has no number.' },
  ),
)

export const DrivenRunEvent = named(
  'DrivenRunEvent',
  tagged('type', [...records, state]),
  'An event of a driven run. A later version may have more types, and more fields.',
)

/** Inside of the program, the fields of an event are read by name. */
export type DrivenRunEvent = {
  readonly seq?: number
  readonly at: string
  readonly type: string
  readonly data: Readonly<Record<string, unknown>>
}

/** `check_ran` is called `RunCheckRanEvent`. */
function pascal(type: string): string {
  return type.replace(/(?:^|_)([a-z])/g, (_, letter: string) => letter.toUpperCase())
}

/** Open to further fields, and without the state of every file. Names of parts of records are not public. */
function toClient(part: Part): TSchema {
  const { tree: _, ...properties } = (part['properties'] ?? {}) as Part
  const required = (part['required'] as readonly string[] | undefined)?.filter((name) => name !== 'tree')
  return { ...opened(part), properties: mapValues(properties), ...(required !== undefined && { required }) }
}

function opened(part: Part): TSchema & Part {
  const { $id: id, additionalProperties: others, patternProperties: patterns, ...rest } = part
  const isPublic = typeof id === 'string' && /^[A-Z]/.test(id)
  const [values] = Object.values((patterns ?? {}) as Part)
  return {
    ...rest,
    ...(isPublic && { $id: id }),
    ...(values !== undefined && { additionalProperties: opened(values as Part) }),
    ...(typeof others === 'object' && { additionalProperties: others }),
    ...(isPart(part['properties']) && { properties: mapValues(part['properties']) }),
    ...(isPart(part['items']) && { items: opened(part['items']) }),
    ...(Array.isArray(part['anyOf']) && { anyOf: part['anyOf'].map(opened) }),
  }
}

function isPart(value: unknown): value is Part {
  return typeof value === 'object' && value !== null
}

function mapValues(parts: Part): Record<string, TSchema> {
  return Object.fromEntries(Object.entries(parts).map(([name, part]) => [name, opened(part as Part)]))
}
