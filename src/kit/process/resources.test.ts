import { execFileSync } from 'node:child_process'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { availableMemoryShare, residentBytes, shareIn } from './resources.ts'

describe.skipIf(process.platform !== 'linux')('residentBytes', () => {
  it('adds up the memory of processes, and skips those that are gone', () => {
    const own = { pid: process.pid, startTime: 0 }
    const [once, twice] = [residentBytes([own]), residentBytes([own, own, { pid: 2 ** 30, startTime: 0 }])]
    expect(once).toBeGreaterThan(10 * 1024 * 1024)
    expect(twice / once).toBeCloseTo(2, 0)
  })

  it('knows how much memory is available', () => {
    expect(availableMemoryShare()).toBeGreaterThan(0)
    expect(availableMemoryShare()).toBeLessThanOrEqual(1)
  })
})

describe('shareIn', () => {
  it.each([
    ['MemTotal:       1000 kB\nMemAvailable:    250 kB\n', 0.25],
    ['MemTotal:       1000 kB\n', 1],
    ['', 1],
  ])('reads %j', (meminfo, share) => {
    expect(shareIn(meminfo)).toBe(share)
  })
})

const FILE = join(import.meta.dirname, 'resources.ts')
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
