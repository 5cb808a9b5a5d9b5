/** The HTTP request that tells a target of an event. Pure. */
import { createHmac } from 'node:crypto'
import type { NotifyEvent } from './notify-event.ts'

export type NotifyRequest<Body extends string | Uint8Array = string> = {
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: Body
}

type Facts = { readonly url: string; readonly secret: string; readonly now: Date }

/** By https://www.standardwebhooks.com. The time is that of this attempt; the id stays the same. */
export function toWebhook(event: NotifyEvent, { url, secret, now }: Facts): NotifyRequest {
  const { id, kind, at, title, text, url: link, data } = event
  const more = { title, text, ...(link !== undefined && { url: link }) }
  const body = JSON.stringify({ type: `drover.${kind}`, timestamp: at, data: { ...data, ...more } })
  const seconds = String(Math.floor(now.getTime() / 1000))
  const signature = createHmac('sha256', toKey(secret)).update(`${id}.${seconds}.${body}`).digest('base64')
  const signed = { 'webhook-id': id, 'webhook-timestamp': seconds, 'webhook-signature': `v1,${signature}` }
  return { url, headers: { 'content-type': 'application/json', ...signed }, body }
}

/** A secret with this prefix is Base64. Any other one is used as it is. */
function toKey(secret: string): Buffer {
  return secret.startsWith('whsec_') ? Buffer.from(secret.slice(6), 'base64') : Buffer.from(secret)
}

export function toSlack(event: NotifyEvent, url: string): NotifyRequest {
  const link = event.url === undefined ? '' : `\n<${event.url}|Open in the console>`
  const text = `*${escapeSlack(event.title)}*\n${escapeSlack(event.text)}${link}`
  return { url, headers: { 'content-type': 'application/json' }, body: JSON.stringify({ text }) }
}

/** Otherwise a question could mention everybody, or hide where a link leads. */
function escapeSlack(text: string): string {
  return text.replace(/&/g, '&amp;').replace(/</g, '&lt;').replace(/>/g, '&gt;')
}

/** The address of a target names the topic last. JSON goes to the address before it. */
export function toNtfy({ title, text, url: click }: NotifyEvent, address: string): NotifyRequest {
  const url = new URL(address)
  const [, base = '/', topic = ''] = /^(.*\/)([^/]*)$/.exec(url.pathname.replace(/\/$/, '')) ?? []
  url.pathname = base
  const body = JSON.stringify({ topic, title, message: text, ...(click !== undefined && { click }) })
  return { url: url.href, headers: { 'content-type': 'application/json' }, body }
}

/** The arguments of the program that shows a notification on this desktop; undefined if there is none. */
export function toDesktop({ title, text }: NotifyEvent, platform: string): [string, ...string[]] | undefined {
  if (platform === 'linux') return ['notify-send', '--app-name=drover', '--', title, text]
  if (platform !== 'darwin') return undefined
  const script = ['on run argv', 'display notification (item 2 of argv) with title (item 1 of argv)', 'end run']
  return ['osascript', ...script.flatMap((line) => ['-e', line]), '--', title, text]
}
