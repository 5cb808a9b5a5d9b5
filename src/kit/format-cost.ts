/** Dollars: `$0.0043`, `$1.23`. `~` is in front of a cost that no agent reported, or a part of it. */
export function formatDollars(cost: number, isPriced = false): string {
  if (cost === 0) return '$0.00'
  const shown = cost < 0.0001 ? '<$0.0001' : `$${cost.toFixed(cost < 1 ? 4 : 2)}`
  return isPriced ? `~${shown}` : shown
}

/** Costs are recorded in millionths of a dollar. */
export function formatMicro(cost: number, isPriced = false): string {
  return formatDollars(cost / 1_000_000, isPriced)
}
