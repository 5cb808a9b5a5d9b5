import { orUndefined } from '../../kit/fault.ts'
import { isObject, type JsonRecord } from '../adapter/json-fields.ts'
import type { Schema } from './keywords.ts'

/** The schema that a reference names (RFC 6901); only references into the same schema are resolved. Pure. */
export function resolveReference(reference: string, root: JsonRecord): Schema | undefined {
  if (reference === '#') return root
  if (!reference.startsWith('#/')) return undefined
  let value: unknown = root
  for (const part of reference.slice(2).split('/')) {
    const name = decode(part)
    if (Array.isArray(value)) value = value[Number(name)]
    else value = isObject(value) && Object.hasOwn(value, name) ? value[name] : undefined
  }
  return isObject(value) || typeof value === 'boolean' ? value : undefined
}

function decode(part: string): string {
  const text = part.replaceAll('~1', '/').replaceAll('~0', '~')
  return orUndefined(() => decodeURIComponent(text)) ?? text
}
