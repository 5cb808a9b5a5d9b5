/** Reads `--fallback`: backends, separated by commas. */
import { flagValueInvalid } from './faults.ts'

export function readFallback(text: string): string[] {
  const names = text.split(',').map((each) => each.trim())
  if (names.includes(''))
    throw flagValueInvalid({ flag: '--fallback', given: text, allowed: 'backends, separated by commas' })
  return names
}
