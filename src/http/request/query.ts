/** Reads the query of a URL, whose values are all texts. */

/** `integers` are the names of the parameters that are numbers. Empty ones, as a form sends them, are not given. */
export function readQuery<T>(query: unknown, check: (value: unknown) => T, integers: readonly string[]): T {
  const fields = Object.entries(query as Record<string, unknown>).filter((field) => !isEmpty(field))
  return check(
    Object.fromEntries(fields.map(([name, value]) => [name, integers.includes(name) ? toInteger(value) : value])),
  )
}

/** A limit of 0 also means that the parameter is not given. */
function isEmpty([name, value]: [string, unknown]): boolean {
  return value === '' || (name === 'limit' && value === '0')
}

/** One that is not an integer is left for the check, which refuses it. */
function toInteger(value: unknown): unknown {
  return typeof value === 'string' && /^-?\d{1,15}$/.test(value) ? Number(value) : value
}
