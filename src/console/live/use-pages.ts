/** A list that the server searches and pages: what is loaded of it, and how to load more. */
import { useSignal } from '@preact/signals'
import { useEffect } from 'preact/hooks'
import { attempt } from './actions.ts'
import { call } from './api.ts'

/** The user is still typing. */
const TYPING_MS = 200

type Loaded<P> = {
  /** Newest first. Undefined before the first one is here; the pages of another path stay until then. */
  readonly pages: readonly P[] | undefined
  /** Undefined if the server has no older ones. */
  readonly older: (() => void) | undefined
}

/** Without a path nothing is read. Another version reads the first page again. */
export function usePages<P extends { readonly next?: string | undefined }>(
  path: string | undefined,
  version = '',
): Loaded<P> {
  const pages = useSignal<readonly P[] | undefined>(undefined)
  useEffect(() => {
    let isOld = false
    const read = async () => {
      const page = path === undefined ? undefined : await attempt(() => call<P>(path))
      if (!isOld && (page !== undefined || path === undefined)) pages.value = page && [page]
    }
    const timer = setTimeout(read, pages.peek() === undefined ? 0 : TYPING_MS)
    return () => {
      isOld = true
      clearTimeout(timer)
    }
  }, [path, version])
  const next = pages.value?.at(-1)?.next
  const older = async () => {
    const known = pages.peek() ?? []
    const page = await attempt(() => call<P>(`${path}&before=${next}`))
    // Another search may have begun meanwhile.
    if (page !== undefined && pages.peek() === known) pages.value = [...known, page]
  }
  return { pages: pages.value, older: next === undefined ? undefined : () => void older() }
}

type Listed = { readonly id: string; readonly created_at: string }

/** What is loaded, and what the stream has brought of the same kind, which is newer. Newest first. */
export function withLive<T extends Listed>(loaded: readonly T[], live: readonly T[]): readonly T[] {
  const all = new Map([...loaded, ...live].map((each) => [each.id, each]))
  return [...all.values()].sort((a, b) => (a.created_at < b.created_at ? 1 : -1))
}
