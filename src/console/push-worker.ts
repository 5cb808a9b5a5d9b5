/** Shows what the server has sent while no page is open. It runs in the browser apart from the page, and imports nothing. */

/** Types of service workers cannot be used together with those of pages. */
type Waiting = { waitUntil(done: Promise<unknown>): void }
type PushMessage = Waiting & { data: { json(): { id: string; title: string; text: string; url?: string } } | null }
type Click = Waiting & { notification: Notification }
type Page = { url: string; focus(): Promise<unknown>; navigate(url: string): Promise<unknown> }
type Worker = {
  addEventListener(type: 'push', listener: (event: PushMessage) => void): void
  addEventListener(type: 'notificationclick', listener: (event: Click) => void): void
  registration: { showNotification(title: string, options: NotificationOptions): Promise<void> }
  clients: {
    matchAll(options: { type: 'window'; includeUncontrolled: true }): Promise<Page[]>
    openWindow(url: string): Promise<unknown>
  }
}

const worker = self as unknown as Worker

worker.addEventListener('push', (event) => {
  const { id, title, text, url = '' } = event.data?.json() ?? { id: '', title: 'drover', text: '' }
  event.waitUntil(worker.registration.showNotification(title, { body: text, tag: id, data: toOwnUrl(url) }))
})

worker.addEventListener('notificationclick', (event) => {
  event.notification.close()
  event.waitUntil(show(String(event.notification.data)))
})

/** In the console that this browser knows, whatever address the server believes it has. */
function toOwnUrl(url: string): string {
  const { hash } = URL.canParse(url) ? new URL(url) : { hash: '' }
  return new URL(`../${hash}`, location.href).href
}

async function show(url: string): Promise<void> {
  const pages = await worker.clients.matchAll({ type: 'window', includeUncontrolled: true })
  const open = pages.find((page) => page.url.split('#')[0] === url.split('#')[0])
  if (open === undefined) return void (await worker.clients.openWindow(url))
  await open.navigate(url).catch(() => undefined)
  await open.focus()
}
