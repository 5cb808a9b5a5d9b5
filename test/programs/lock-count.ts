/** Adds one to the number in a file, many times, under a lock: `<lock> <file> <times>`. */
import { readFileSync, writeFileSync } from 'node:fs'
import { withLock } from '../../src/kit/files/lock.ts'

const [path = '', file = '', times] = process.argv.slice(2)

for (let i = 0; i < Number(times); i++) {
  await withLock({ path, mode: 'exclusive', waitMs: 60_000 }, () => {
    writeFileSync(file, String(Number(readFileSync(file, 'utf8')) + 1))
  })
}
