/** The tab of the browser. Its icon shows whether something works or needs the user; the page names one file for each. */
import { signal } from '@preact/signals'
import { useEffect } from 'preact/hooks'

type IconState = 'idle' | 'working' | 'needs'

const link = () => document.querySelector<HTMLLinkElement>('link[rel=icon]')

export function iconOf(state: IconState): string {
  return link()?.dataset[state] ?? ''
}

export function showIcon(state: IconState): void {
  link()?.setAttribute('href', iconOf(state))
}

/** What the open page shows, for the title of the tab. */
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
