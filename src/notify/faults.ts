import { defineFault } from '../kit/fault.ts'

export const pushAddressNotAllowed = defineFault('push_address_not_allowed', 'invalid', {
  when: 'A browser asked for notifications at an address that is not one of a known push service (`notify.push_hosts`).',
  message: ({ host }: { host: string }) =>
    `notifications are not sent to ${host || 'this address'}: it is no push service in notify.push_hosts`,
})

export const pushKeysInvalid = defineFault('push_keys_invalid', 'invalid', {
  when: 'A browser asked for notifications with keys that are none.',
  message: (_: Record<never, never>) => 'keys.p256dh or keys.auth is no key of a browser',
})
