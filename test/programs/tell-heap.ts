/** Loaded before a server (`--import`): tells its parent how much is still in use once the garbage is collected. */
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'

process.on('message', () => {
  // Not before: code that was compiled under other flags is compiled again.
  setFlagsFromString('--expose-gc')
  runInNewContext('gc')()
  process.send?.(process.memoryUsage().heapUsed)
})
// Whoever wanted to know was interrupted.
process.once('disconnect', () => process.kill(process.pid, 'SIGTERM'))
process.channel?.unref()
