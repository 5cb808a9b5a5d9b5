/** `PROGRAM_TESTS=full` tries every place at which a process can be killed or a disk can fail, and not every third. */
export const IS_FULL = process.env['PROGRAM_TESTS'] === 'full'

export const STEP = IS_FULL ? 1 : 3

/** The places from 1 to `last` that are tried: `last` and those before it, or with a shift those beside them. */
export function placesUpTo(last: number, shift = 0): number[] {
  const places = Array.from({ length: last }, (_, index) => index + 1)
  return places.filter((place) => (last - place) % STEP === shift % STEP)
}
