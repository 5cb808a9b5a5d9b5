import {
  chownSync,
  cpSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { beforeAll, describe, expect, it } from 'vitest'
import { bundle } from '../../scripts/bundle.ts'
import { ROOT } from '../support/npm.ts'
import { run, temporaryDirectory, temporaryDirectoryForAll } from '../support/run-drover.ts'

describe('the code cache', () => {
  let drover: string

  const directory = temporaryDirectoryForAll()

  beforeAll(async () => {
    for (const part of ['bin', 'package.json']) cpSync(join(ROOT, part), join(directory, part), { recursive: true })
    symlinkSync(join(ROOT, 'node_modules'), join(directory, 'node_modules'))
    await bundle(ROOT, join(directory, 'dist'))
    drover = join(directory, 'bin', 'drover.cjs')
  }, 60_000)

  /** A place for the cache, and the commands that have something in it. Caches of further scripts end in `.cjs`. */
  function openCache() {
    const [home, place] = [temporaryDirectory(), temporaryDirectory()]
    const files = () =>
      readdirSync(place, { recursive: true, encoding: 'utf8' }).filter((path) => /drover-.*(?<!\.cjs)$/.test(path))
    return {
      run: (args: readonly string[], env: Record<string, string> = {}) =>
        run([process.execPath, drover, ...args], { HOME: home, NODE_COMPILE_CACHE: place, ...env }),
      commands: () => files().map((path) => path.replace(/.*drover-[0-9a-f]{16}-/, '')),
      paths: () => files().map((path) => join(place, path)),
    }
  }

  it.each([
    { args: ['--version', '--config', 'x'], command: 'version' },
    { args: ['--help'], command: 'help' },
    { args: ['config', 'get', '--help'], command: 'help' },
    { args: ['version', '--json'], command: 'version' },
    { args: ['config', 'get', 'server.port'], command: 'config-get' },
    { args: ['sessions', 'list'], command: 'sessions-list' },
    { args: ['--demo', '--dry-run', 'say hello'], command: 'prompt' },
    { args: ['--demo', '--dry-run', 'prompt', 'status'], command: 'prompt' },
    { args: ['-b', 'claude', '--demo', '--dry-run', 'hello'], command: 'prompt' },
  ])('is the one of $command for $args', async ({ args, command }) => {
    const cache = openCache()
    expect(await cache.run(args)).toMatchObject({ code: 0 })
    expect(cache.commands()).toEqual([command])
  })

  it('contains the functions that were called, not only the code compiled on load', async () => {
    const cache = openCache()
    await cache.run(['version'])
    await cache.run(['--help'])
    const [help = 0, version = 0] = cache
      .paths()
      .sort()
      .map((path) => readFileSync(path).length)
    // Of one script, two caches without such functions differ by some hundred bytes at most.
    expect(help - version).toBeGreaterThan(1000)
  })

  it('is written for an unknown command, which always fails', async () => {
    const cache = openCache()
    expect(await cache.run(['frobnicate'])).toMatchObject({ code: 2 })
    expect(cache.commands()).toEqual(['unknown'])
  })

  it('does not change the output of a command', async () => {
    const cache = openCache()
    const first = await cache.run(['config', 'show'])
    expect(first).toMatchObject({ code: 0, stderr: '' })
    expect(await cache.run(['config', 'show'])).toEqual(first)
  })

  it('is not written again if it exists', async () => {
    const cache = openCache()
    await cache.run(['version'])
    const [path = ''] = cache.paths()
    const before = readFileSync(path)
    await cache.run(['version'])
    expect(readFileSync(path).equals(before)).toBe(true)
  })

  it('is not written for a command that fails', async () => {
    const cache = openCache()
    expect((await cache.run(['config', 'get', 'no.such.key'])).code).toBeGreaterThan(0)
    expect(cache.commands()).toEqual([])
  })

  it.each([
    { problem: 'is cut off', spoil: (path: string) => truncateSync(path, 1000) },
    { problem: 'is empty', spoil: (path: string) => truncateSync(path, 0) },
    { problem: 'is something else', spoil: (path: string) => writeFileSync(path, 'a text') },
  ])('is created again if it $problem', async ({ spoil }) => {
    const cache = openCache()
    const first = await cache.run(['version'])
    const [path = ''] = cache.paths()
    const { length } = readFileSync(path)
    spoil(path)
    expect(await cache.run(['version'])).toEqual(first)
    expect(readFileSync(path).length).toBeGreaterThan(length / 2)
  })

  it.runIf(process.getuid?.() === 0)('is not taken from others', async () => {
    const cache = openCache()
    await cache.run(['version'])
    const [path = ''] = cache.paths()
    chownSync(path, 1, 1)
    expect(await cache.run(['version'])).toMatchObject({ code: 0, stderr: '' })
    expect(statSync(path).uid).toBe(0)
  })

  it('is optional if nothing can be written', async () => {
    const cache = openCache()
    await cache.run(['version'])
    const [path = ''] = cache.paths()
    const inTheWay = path.replace(/version$/, 'help')
    mkdirSync(inTheWay)
    expect(await cache.run(['--help'])).toMatchObject({ code: 0, stderr: '' })
    expect(cache.commands().sort()).toEqual(['help', 'version'])
  })

  it('is not written if it is disabled', async () => {
    const cache = openCache()
    expect(await cache.run(['version'], { NODE_DISABLE_COMPILE_CACHE: '1' })).toMatchObject({ code: 0, stderr: '' })
    expect(cache.commands()).toEqual([])
  })
})
