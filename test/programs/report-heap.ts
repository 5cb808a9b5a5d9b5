/** Loaded into a server by `--import`: on each message it collects garbage and sends the used heap to its parent. */
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'

process.on('message', () => {
  // Set late, because code that was compiled under other flags is compiled again.
  setFlagsFromString('--expose-gc')
  runInNewContext('gc')()
  process.send?.(process.memoryUsage().heapUsed)
})
// The parent has ended.
process.once('disconnect', () => process.kill(process.pid, 'SIGTERM'))
process.channel?.unref()
