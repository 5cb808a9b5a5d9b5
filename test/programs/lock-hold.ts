/** Takes a lock, prints `held` or the code of the fault, and releases it when stdin ends: `<path> <mode> <waitMs>`. */
import { once } from 'node:events'
import { Fault } from '../../src/kit/fault.ts'
import { type LockMode, takeLock } from '../../src/kit/files/lock.ts'

const [path = '', mode = '', waitMs] = process.argv.slice(2)

try {
  using _lock = await takeLock({ path, mode: mode as LockMode, waitMs: Number(waitMs) })
  process.stdout.write('held\n')
  await once(process.stdin.resume(), 'end')
} catch (error) {
  if (!(error instanceof Fault)) throw error
  process.stdout.write(`${error.code}\n`)
}
