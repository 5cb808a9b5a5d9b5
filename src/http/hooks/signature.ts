/** Whether a delivery was signed with the secret (https://docs.github.com/webhooks/using-webhooks/validating-webhook-deliveries). Pure. */
import { createHmac, timingSafeEqual } from 'node:crypto'

export function isSigned(body: Buffer, signature: unknown, secret: string): boolean {
  const given = typeof signature === 'string' ? /^sha256=([0-9a-f]{64})$/.exec(signature)?.[1] : undefined
  if (given === undefined) return false
  return timingSafeEqual(createHmac('sha256', secret).update(body).digest(), Buffer.from(given, 'hex'))
}
