/** Beside a sum of costs: how many attempts it misses. Empty if none. Pure. */
export function describeUnknownCosts(count: number): string {
  return count === 0 ? '' : `${count === 1 ? '1 attempt' : `${count} attempts`} of unknown cost`
}
