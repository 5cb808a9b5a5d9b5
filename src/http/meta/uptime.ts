/** `7s`, `2m31s`, `1h0m5s`: hours are not made into days, and leading units that are zero are left out. */
export function formatUptime(ms: number): string {
  const seconds = Math.round(ms / 1000)
  const [hours, minutes] = [Math.floor(seconds / 3600), Math.floor(seconds / 60) % 60]
  const units = [hours > 0 && `${hours}h`, seconds >= 60 && `${minutes}m`, `${seconds % 60}s`]
  return units.filter(Boolean).join('')
}
