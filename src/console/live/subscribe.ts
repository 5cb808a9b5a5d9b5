/** Notifications that reach this browser while no page is open. Loaded only if the user wants notifications. */
import type { PushOffer } from '../../service/administration.shape.ts'
import { call } from './api.ts'

/** Not in the types of TypeScript yet. */
type Policies = { createPolicy(name: string, rules: { createScriptURL(url: string): string }): Policy }
type Policy = { createScriptURL(url: string): string }

/** True: the server tells this browser. False: the server does not offer it, or the browser cannot be reached. */
export async function subscribe(): Promise<boolean> {
  if (!('serviceWorker' in navigator) || !('PushManager' in window)) return false
  const { public_key: key } = await call<PushOffer>('push')
  if (key === undefined) return false
  await navigator.serviceWorker.register(workerUrl())
  const registration = await navigator.serviceWorker.getRegistration(workerUrl())
  if (registration === undefined) return false
  const subscription = await subscribeWith(registration.pushManager, key)
  const { endpoint, keys } = subscription.toJSON()
  await call('push', { method: 'POST', body: { endpoint, keys } })
  return true
}

/** A subscription for another server key is of no use. */
async function subscribeWith(manager: PushManager, key: string): Promise<PushSubscription> {
  const options = { userVisibleOnly: true, applicationServerKey: key }
  try {
    return await manager.subscribe(options)
  } catch (error) {
    const old = await manager.getSubscription()
    if (old === null) throw error
    await old.unsubscribe()
    return await manager.subscribe(options)
  }
}

let known: string | undefined

/** The policy of the page lets no other script run as a worker. */
function workerUrl(): string {
  const source = document.querySelector<HTMLMetaElement>('meta[name=push-worker]')?.content ?? ''
  const { trustedTypes } = window as { trustedTypes?: Policies }
  const url = new URL(source, document.baseURI).href
  known ??= trustedTypes?.createPolicy('push-worker', { createScriptURL: () => url }).createScriptURL(url) ?? url
  return known
}
