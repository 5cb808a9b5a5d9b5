/** The address of the page after `#`: works under any path of a proxy, and is never sent to the server. */
import { signal } from '@preact/signals'

export type Route = { page: string; id: string; query: URLSearchParams }

export const route = signal<Route>(parseHash(location.hash))

window.addEventListener('hashchange', () => {
  route.value = parseHash(location.hash)
})

export function parseHash(hash: string): Route {
  const [path = '', query = ''] = hash.replace(/^#\/?/, '').split('?')
  const [page = '', id = ''] = path.split('/')
  return { page: page || 'home', id: decode(id), query: new URLSearchParams(query) }
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}

export function toHash(page: string, id = '', query: Record<string, string> = {}): string {
  const search = new URLSearchParams(query).toString()
  const path = [page, ...(id === '' ? [] : [encodeURIComponent(id)])].join('/')
  return `#/${path}${search === '' ? '' : `?${search}`}`
}

export function goTo(hash: string): void {
  location.hash = hash
}

/** Without a new entry in the history. */
export function replaceHash(hash: string): void {
  history.replaceState(null, '', hash)
  route.value = parseHash(hash)
}
