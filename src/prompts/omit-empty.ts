/** Fields of requests for prompts that an empty value leaves open. Pure. */

const TEXTS: readonly string[] = ['model', 'workdir', 'approval_mode', 'sandbox_mode', 'output_format', 'name']
const NUMBERS: readonly string[] = ['max_turns', 'timeout_secs']
const NULLABLE: readonly string[] = [...TEXTS, ...NUMBERS, 'max_parallel', 'extra', 'metadata', 'system_prompt']
/** Lists of requests. */
const LISTS: readonly string[] = ['tasks', 'steps']

/**
 * Removes fields whose empty value means that they are not given, also from tasks and steps. Clients in languages whose
 * fields always have a value send them. Everything else is left for the validator.
 */
export function omitEmpty(request: unknown): unknown {
  if (typeof request !== 'object' || request === null || Array.isArray(request)) return request
  const fields = Object.entries(request)
  const isList = ([name, value]: [string, unknown]) => LISTS.includes(name) && Array.isArray(value)
  // Most requests have nothing to remove, and every prompt passes here.
  if (!fields.some((field) => isEmpty(field) || isList(field))) return request
  const given = fields.filter((field) => !isEmpty(field))
  return Object.fromEntries(
    given.map(([name, value]) => [name, LISTS.includes(name) && Array.isArray(value) ? value.map(omitEmpty) : value]),
  )
}

function isEmpty([name, value]: [string, unknown]): boolean {
  if (value === '') return TEXTS.includes(name)
  if (value === null) return NULLABLE.includes(name)
  if (name === 'max_parallel') return typeof value === 'number' && value <= 0
  return value === 0 && NUMBERS.includes(name)
}
