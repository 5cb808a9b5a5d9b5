/** Notifications of the browser when something needs the user. Asked for once. */
import { effect, signal } from '@preact/signals'
import { toLine } from '../text/visible-text.ts'
import { waitingRuns } from './poll-runs.ts'
import { needsYou } from './server-state.ts'

const isSupported = 'Notification' in window

export const permission = signal<NotificationPermission | 'unsupported'>(
  isSupported ? Notification.permission : 'unsupported',
)

export async function askForNotifications(): Promise<void> {
  if (isSupported) permission.value = await Notification.requestPermission()
}

type PageNotification = { id: string; title: string; body: string }

/** Tells about what is new, while the page is not visible. */
export function startNotifications(): void {
  const told = new Set<string>()
  effect(() => {
    for (const { id, title, body } of listNotifications()) {
      if (told.has(id)) continue
      told.add(id)
      if (permission.peek() !== 'granted' || !document.hidden) continue
      const shown = new Notification(`drover: ${toLine(title)} needs you`, { body: toLine(body), tag: id })
      shown.onclick = () => window.focus()
    }
  })
}

/** A run may wait several times: each time it has changed since. */
function listNotifications(): PageNotification[] {
  return [
    ...needsYou.value.map(({ approval_id: id, tool_name: title, command: body = 'An agent asks for permission.' }) => ({
      id,
      title,
      body,
    })),
    ...waitingRuns.value.map(({ id, updated_at: at, goal: title, waits_for: wait, state }) => ({
      id: `${id} ${at}`,
      title,
      body: wait?.question ?? state,
    })),
  ]
}
