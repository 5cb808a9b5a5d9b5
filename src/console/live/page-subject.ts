/** What the open page shows, for the title of the tab. */
import { signal } from '@preact/signals'
import { useEffect } from 'preact/hooks'

export const pageSubject = signal('')

/** Called by a page that shows one thing, with its name as soon as it is known. */
export function usePageSubject(text = ''): void {
  useEffect(() => {
    pageSubject.value = text
    return () => {
      pageSubject.value = ''
    }
  }, [text])
}
