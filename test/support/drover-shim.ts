import { chmodSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { DROVER } from './run-drover.ts'

/** Writes an executable `drover` into `directory/bin`, for PATH. */
export function installDrover(directory: string): { bin: string } {
  const bin = join(directory, 'bin')
  mkdirSync(bin, { recursive: true })
  const drover = join(bin, 'drover')
  writeFileSync(drover, `#!/bin/sh\nexec '${process.execPath}' '${DROVER}' "$@"\n`)
  chmodSync(drover, 0o755)
  return { bin }
}
