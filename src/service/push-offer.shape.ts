import { type Message, namedObject, optionalText } from '../kit/shape.ts'

export const PushOffer = namedObject('PushOffer', {
  public_key: optionalText('What a browser needs to subscribe. Absent: this server notifies no browsers.'),
})
export type PushOffer = Message<typeof PushOffer>
