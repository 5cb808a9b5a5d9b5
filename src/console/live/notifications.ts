/** Notifications of the browser when something needs the user. Asked for once. */
import { effect, signal } from '@preact/signals'
import { toLine } from '../text/visible-text.ts'
import { needsYou } from './server-state.ts'

const isSupported = 'Notification' in window

export const permission = signal<NotificationPermission | 'unsupported'>(
  isSupported ? Notification.permission : 'unsupported',
)

export async function askForNotifications(): Promise<void> {
  if (isSupported) permission.value = await Notification.requestPermission()
}

/** Tells about what is new, while the page is not visible. */
export function startNotifications(): void {
  const told = new Set<string>()
  effect(() => {
    for (const { approval_id: id, tool_name: tool, command } of needsYou.value) {
      if (told.has(id)) continue
      told.add(id)
      if (permission.peek() !== 'granted' || !document.hidden) continue
      const body = toLine(command ?? 'An agent asks for permission.')
      const shown = new Notification(`drover: ${toLine(tool)} needs you`, { body, tag: id })
      shown.onclick = () => window.focus()
    }
  })
}
