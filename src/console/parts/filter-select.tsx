import { replaceHash, route, toHash } from '../live/router.ts'
import { toLine } from '../text/visible-text.ts'
import { Choice } from './form-fields.tsx'

type FilterSelectProps = {
  name: string
  /** In the address. */
  field: string
  choices: readonly string[]
  viewOf?: (choice: string) => string
  /** What says in the address where the list begins: another list begins at its first entry. */
  from?: string
}

/** A filter that is in the address, so that the page can be shared and found again. */
export function FilterSelect({ name, field, choices, viewOf = toLine, from = '' }: FilterSelectProps) {
  const { query } = route.value
  const value = query.get(field) ?? ''
  if (choices.length === 0 && value === '') return null
  const known = new Set([...choices, ...(value === '' ? [] : [value])])
  return (
    <Choice
      name={name}
      value={value}
      choices={[['', `${name}: all`], ...[...known].map((choice) => [choice, viewOf(choice)] as const)]}
      onChoose={(choice) => setQuery({ [field]: choice, [from]: '' })}
    />
  )
}

/** Changes values in the address; an empty one is removed. */
export function setQuery(changes: Readonly<Record<string, string>>): void {
  const { page, id, query } = route.peek()
  const values = Object.entries({ ...Object.fromEntries(query), ...changes }).filter(([, value]) => value !== '')
  replaceHash(toHash(page, id, Object.fromEntries(values)))
}

/** A search that is in the address. */
export function SearchField({ says, from = '' }: { says: string; from?: string }) {
  return (
    <input
      type="search"
      data-search
      aria-label={says}
      placeholder="Search"
      value={route.value.query.get('search') ?? ''}
      onInput={(event) => setQuery({ search: event.currentTarget.value, [from]: '' })}
    />
  )
}
