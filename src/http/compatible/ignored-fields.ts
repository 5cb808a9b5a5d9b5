import { isDeepStrictEqual } from 'node:util'

/** Fields that drover ignores, each with the value that changes nothing. A missing or empty value changes nothing either. */
export type IgnoredFields = Readonly<Record<string, unknown>>

/** Fields of the native API. A client that sends one expects that it limits or changes what the agent does. */
export const NATIVE_FIELDS: readonly string[] = [
  ...['approval_mode', 'sandbox_mode', 'sandbox', 'workdir', 'additional_directories'],
  ...['max_turns', 'timeout_secs', 'system_prompt', 'output_schema', 'extra'],
]

const NEUTRAL_NATIVE_FIELDS = Object.fromEntries(NATIVE_FIELDS.map((name) => [name, null]))

/** The names of the ignored fields that would have changed the answer. */
export function namesOfIgnored(request: object, fields: IgnoredFields): string[] {
  return Object.entries({ ...fields, ...NEUTRAL_NATIVE_FIELDS })
    .filter(([name, neutral]) => {
      const value = (request as Readonly<Record<string, unknown>>)[name]
      return !isEmpty(value) && !isDeepStrictEqual(value, neutral)
    })
    .map(([name]) => name)
}

function isEmpty(value: unknown): boolean {
  if (value === undefined || value === null || value === '') return true
  return typeof value === 'object' && Object.keys(value).length === 0
}
