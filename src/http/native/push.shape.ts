import { Type } from 'typebox'
import { type Message, namedObject, namedRequest, type Static, strict } from '../../kit/shape.ts'
import { PushOffer } from '../../service/administration.shape.ts'
import { BODY_ERRORS, COMMON_ERRORS } from '../api-description/error-responses.shape.ts'
import { jsonResponse, type Operation, operation } from '../api-description/operation.shape.ts'

const key = (description: string) => Type.String({ minLength: 1, maxLength: 200, description })

export const PushBody = namedRequest('PushRequest', {
  endpoint: Type.String({
    minLength: 1,
    maxLength: 2000,
    description: 'Where the push service of the browser takes messages: https, and a host of `notify.push_hosts`.',
  }),
  keys: strict({
    p256dh: key('The public key of the browser, in Base64 for addresses.'),
    auth: key('Its secret, in Base64 for addresses.'),
  }),
})
export type PushBody = Static<typeof PushBody>

const PushState = namedObject('PushState', {
  notified: Type.Boolean({ description: 'Whether the browser is notified from now on.' }),
})
export type PushState = Message<typeof PushState>

const publicKey = 'BP4z9KsN6nGRTbVYI_c7VJSPQTBtkgcy27mlmlMoZIIgDll6e3vCYLocInmYWAmS6TlzAC8wEqKK6PBru3jl7A8'
const body: PushBody = {
  endpoint: 'https://fcm.googleapis.com/fcm/send/dGhlIGVuZCBvZiBhbiBhZGRyZXNz',
  keys: {
    p256dh: 'BCVxsr7N_eNgVRqvHtD0zTZsEc6-VV-JvLexhqUzORcxaOzi6-AYWXvTBHm4bjyPjs7Vd8pZGH6SRpkNtoIAiw4',
    auth: 'BTBZMqHH6r4Tts7J_aSIgg',
  },
}

export const OPERATIONS: readonly Operation[] = [
  operation('get /api/v1/push', 'getPushOffer', {
    summary: 'Get the key with which a browser subscribes to notifications',
    responses: { 200: jsonResponse('The key, if the server notifies browsers.', PushOffer, { public_key: publicKey }) },
    errors: COMMON_ERRORS,
  }),
  operation('post /api/v1/push', 'subscribeToPush', {
    summary: 'Notify this browser',
    description:
      'For the console: what a browser returned when it subscribed. With keys, it needs a login, and ends with it. It gets what its key may see.',
    body: { shape: PushBody, examples: { chrome: body } },
    responses: { 201: jsonResponse('The browser is notified.', PushState, { notified: true }) },
    errors: ['Conflict', ...BODY_ERRORS],
  }),
  operation('delete /api/v1/push', 'unsubscribeFromPush', {
    summary: 'Do not notify the browsers of this login any more',
    responses: { 200: jsonResponse('They are not notified any more.', PushState, { notified: false }) },
    errors: ['Conflict', ...COMMON_ERRORS],
  }),
]
