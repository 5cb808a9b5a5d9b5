/** `drover drive --queue`: what is driven, and what is queued, in its order. */
import type { Config } from '../../config/config.shape.ts'
import { readQueue } from '../../drive/service/read-queue.ts'
import { USER } from '../../prompts/caller.ts'
import { listWatchers } from '../../watch/record/watch-records.ts'
import type { Invocation } from '../command.ts'
import { askStatus } from '../local/local-server.ts'
import { findUserPaths } from '../settings.ts'
import { formatWatcher } from '../watch/watcher-text.ts'
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
  const watchers = await listWatchers(findUserPaths(invocation).watch)
  const watched = watchers.filter((each) => each.is_running).map((each) => `Watching ${formatWatcher(each)}`)
  await out.write(`${[...formatQueue(queue, { nameOf, isServed }, out), ...watched].join('\n')}\n`)
  return 0
}
