/** Names are camelCase inside and snake_case on the wire; this is the border for what faults tell. */
export function toWireNames(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(toWireNames)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([name, part]) => [toWireName(name), toWireNames(part)]))
}

function toWireName(name: string): string {
  return name.replace(/(?<=[a-z0-9])[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)
}
