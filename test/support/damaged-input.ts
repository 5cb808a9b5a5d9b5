/** Builds inputs with several errors from a table of single errors. */

type Damage<T> = (whole: T) => T

/** The value with the errors of this row and all rows after it; this row is applied last. */
export function allFrom<T>(
  rows: readonly (readonly [name: string, damage: Damage<T>, ...unknown[]])[],
  name: string,
  whole: T,
): T {
  const from = rows.findIndex(([each]) => each === name)
  return rows.slice(from).reduceRight((value, [, damage]) => damage(value), whole)
}

/** Sets a value in a copy of an object, at a path such as `comments.0.body`. Missing parents are copied from `sound`. */
export function putInto(sound: object): (place: string, value: unknown) => Damage<object> {
  return (place, value) => {
    const [name = '', ...rest] = place.split('.')
    const original = (sound as Record<string, object>)[name] ?? {}
    return (whole) => {
      const copy = (Array.isArray(whole) ? [...whole] : { ...whole }) as Record<string, object>
      const changed = rest.length === 0 ? value : putInto(original)(rest.join('.'), value)(copy[name] ?? original)
      return Object.assign(copy, { [name]: changed })
    }
  }
}
