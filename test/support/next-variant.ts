import type { NextVariant } from '../../src/contract/next.shape.ts'

/** The arguments of an offered command, with its inputs added as the protocol says. */
export function wordsOf(
  { id, base_argv, inputs }: NextVariant,
  values: Readonly<Record<string, string>> = {},
): string[] {
  const unknown = Object.keys(values).filter((name) => !inputs.some((input) => input.name === name))
  if (unknown.length > 0) throw new Error(`${id} takes no ${unknown.join(', ')}`)
  const added = inputs.flatMap(({ name, flag, required }) => {
    const value = values[name]
    if (value === undefined && required) throw new Error(`${id} needs ${name}`)
    return value === undefined ? [] : [flag, value]
  })
  return [...base_argv.slice(1), ...added]
}

/** The offered variant with this id. */
export function variantOf({ next }: { next: { variants: readonly NextVariant[] } }, id: string): NextVariant {
  const variant = next.variants.find((each) => each.id === id)
  if (variant === undefined) throw new Error(`${id} is not offered, but ${next.variants.map((each) => each.id)}`)
  return variant
}
