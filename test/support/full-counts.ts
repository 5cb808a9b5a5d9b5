/**
 * `npm run test:full` runs every test, with every row, at every place at which a process can be killed or a disk can fail. The
 * gate runs what covers each guard once, and tries every sixth place.
 */
export const IS_FULL = process.env['PROGRAM_TESTS'] === 'full'

export const STEP = IS_FULL ? 1 : 6

/** All rows of a table, or those that the gate tries: the first ones. */
export function firstOf<const T>(rows: readonly T[], count = 1): readonly T[] {
  return IS_FULL ? rows : rows.slice(0, count)
}

/** The places from 1 to `last` that are tried: `last` and those before it, or with a shift those beside them. */
export function placesUpTo(last: number, shift = 0, step = STEP): number[] {
  const places = Array.from({ length: last }, (_, index) => index + 1)
  return places.filter((place) => (last - place) % step === shift % step)
}

/** How many random inputs a property is tried with: a quarter of them in the gate. */
export function runsOf(count: number): number {
  return IS_FULL ? count : Math.ceil(count / 4)
}
