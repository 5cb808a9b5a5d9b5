/** `drover drive --queue`: what is driven, and what is queued, in its order. */
import type { Config } from '../../config/config.shape.ts'
import { readQueue } from '../../drive/service/read-queue.ts'
import { USER } from '../../prompts/caller.ts'
import type { Invocation } from '../command.ts'
import { askStatus } from '../local/local-server.ts'
import { openQueue } from './queue-places.ts'
import { formatQueue } from './queue-text.ts'

const SHORT_ID = 8

export async function showQueue(invocation: Invocation, config: Config): Promise<number> {
  const { out } = invocation.runtime.terminal
  const queue = await readQueue(openQueue(invocation, config), USER)
  if (invocation.flags.isOn('json')) {
    await out.write(`${JSON.stringify(queue)}\n`)
    return 0
  }
  const isServed = (await askStatus(invocation)) !== undefined
  const nameOf = (id: string) => (out.isTty ? id.slice(0, SHORT_ID) : id)
  await out.write(`${formatQueue(queue, { nameOf, isServed }, out).join('\n')}\n`)
  return 0
}
