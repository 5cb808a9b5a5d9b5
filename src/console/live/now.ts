/** The time, for ages and elapsed times: changes once a second while the page is visible. */
import { signal } from '@preact/signals'

export const now = signal(Date.now())

setInterval(() => {
  if (!document.hidden) now.value = Date.now()
}, 1000)
