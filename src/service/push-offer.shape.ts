import { Type } from 'typebox'
import { type Message, named, optionalText } from '../kit/shape.ts'

export const PushOffer = named(
  'PushOffer',
  Type.Object({
    public_key: optionalText('What a browser needs to subscribe. Absent: this server notifies no browsers.'),
  }),
)
export type PushOffer = Message<typeof PushOffer>
