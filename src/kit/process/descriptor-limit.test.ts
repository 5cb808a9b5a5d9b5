import { execFileSync } from 'node:child_process'
import { join } from 'node:path'
import { expect, it } from 'vitest'

const FILE = join(import.meta.dirname, 'descriptor-limit.ts')
const SCRIPT = `const { descriptorLimit } = await import(process.argv[1]); console.log(descriptorLimit())`

it('is the limit that the process was started with', () => {
  const argv = [
    '-c',
    'ulimit -n 345 && exec "$@"',
    'sh',
    process.execPath,
    '--input-type=module',
    '--eval',
    SCRIPT,
    FILE,
  ]
  expect(execFileSync('/bin/sh', argv, { encoding: 'utf8' })).toBe('345\n')
})
