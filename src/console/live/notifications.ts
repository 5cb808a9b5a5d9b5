/** Notifications of the browser when something needs the user. Asked for once. */
import { effect, signal } from '@preact/signals'
import { toLine } from '../text/visible-text.ts'
import { sender } from './api.ts'
import { waitingRuns } from './known-runs.ts'
import { needsYou } from './server-state.ts'

const isSupported = 'Notification' in window

export const permission = signal<NotificationPermission | 'unsupported'>(
  isSupported ? Notification.permission : 'unsupported',
)

/** The server tells this browser, even if no page is open. */
let isTold = false

export async function askForNotifications(): Promise<void> {
  if (!isSupported) return
  permission.value = await Notification.requestPermission()
  await useServer()
}

/** Otherwise the page tells, as long as it is open. */
async function useServer(): Promise<void> {
  if (permission.peek() !== 'granted') return
  const { subscribe } = await import('./subscribe.ts')
  // Some browsers have no push service, and some servers do not offer it.
  isTold = await subscribe().catch(() => false)
}

type PageNotification = { id: string; title: string; body: string }

/** Tells about what is new, while the page is not visible. */
export function startNotifications(): void {
  const told = new Set<string>()
  // For each login: the server has forgotten the browser when it was logged out.
  effect(() => {
    isTold = false
    if (sender.value) void useServer()
  })
  effect(() => {
    for (const { id, title, body } of listNotifications()) {
      if (told.has(id)) continue
      told.add(id)
      if (permission.peek() !== 'granted' || !document.hidden || isTold) continue
      const shown = new Notification(`drover: ${toLine(title)} needs you`, { body: toLine(body), tag: id })
      shown.onclick = () => window.focus()
    }
  })
}

/** A run may wait several times: each time it has changed since. */
function listNotifications(): PageNotification[] {
  return [
    ...needsYou.value.map(({ approval_id: id, tool_name: title, command, questions }) => ({
      id,
      title,
      body: command ?? questions?.[0]?.text ?? 'An agent asks for permission.',
    })),
    ...waitingRuns.value.map(({ id, updated_at: at, goal: title, waits_for: wait, state }) => ({
      id: `${id} ${at}`,
      title,
      body: wait?.question ?? state,
    })),
  ]
}
