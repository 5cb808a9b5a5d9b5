/** `npm run bench [name…]`: prints ratios, measured side by side in one run. */
import { cpus, totalmem } from 'node:os'
import { BENCHES } from './benches.ts'

const asked = process.argv.slice(2)
const unknown = asked.filter((name) => !(name in BENCHES))
if (unknown.length > 0) {
  console.error(`no bench named ${unknown.join(', ')}; there are: ${Object.keys(BENCHES).join(', ')}`)
  process.exitCode = 2
} else {
  const gib = (totalmem() / 2 ** 30).toFixed(0)
  console.log(
    `Node ${process.versions.node}, ${process.platform}-${process.arch}, ${cpus().length} cores, ${gib} GiB\n`,
  )
  for (const [name, { run }] of Object.entries(BENCHES)) {
    if (asked.length === 0 || asked.includes(name)) console.log(`${await run()}\n`)
  }
}
