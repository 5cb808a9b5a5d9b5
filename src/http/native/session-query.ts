import { checker } from '../../kit/schema.ts'
import type { SessionFilter } from '../../sessions/session-store.ts'
import { validateSessionQuery } from '../checks.generated.js'
import type { SessionQuery } from './session-requests.shape.ts'

const checkQuery = checker<SessionQuery>('the query', validateSessionQuery)

const DEFAULT_LIMIT = 100

/** In a query everything is text; what looks like a whole number is one where a number is wanted. */
export function readSessionQuery(query: unknown): { filter: SessionFilter; page: { limit: number; offset: number } } {
  const fields = Object.entries(query as Record<string, unknown>)
  const typed = Object.fromEntries(fields.map(([name, value]) => [name, NUMBERS.has(name) ? toInteger(value) : value]))
  const { limit = DEFAULT_LIMIT, offset = 0, ...filter } = checkQuery(typed)
  return { filter, page: { limit, offset } }
}

const NUMBERS = new Set(['limit', 'offset'])

function toInteger(value: unknown): unknown {
  return typeof value === 'string' && /^-?\d{1,15}$/.test(value) ? Number(value) : value
}
