/** Tables of what can be wrong with an input, from which inputs with many things wrong are made. */

type Damage<T> = (whole: T) => T

/** The value with everything wrong from a row of such a table on; the row itself has the last word. */
export function allFrom<T>(
  rows: readonly (readonly [name: string, damage: Damage<T>, ...unknown[]])[],
  name: string,
  whole: T,
): T {
  const from = rows.findIndex(([each]) => each === name)
  return rows.slice(from).reduceRight((value, [, damage]) => damage(value), whole)
}

/** Puts a value into a copy of an object, at a place such as `comments.0.body`; what is not there is taken from `sound`. */
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
