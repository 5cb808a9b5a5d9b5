import { isDeepStrictEqual } from 'node:util'

/** Fields that drover ignores, each with the value that changes nothing. A missing or empty value changes nothing either. */
export type IgnoredFields = Readonly<Record<string, unknown>>

/** The names of the ignored fields that would have changed the answer. */
export function namesOfIgnored(request: object, fields: IgnoredFields): string[] {
  return Object.entries(fields)
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
