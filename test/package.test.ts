import { readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, describe, expect, it } from 'vitest'
import { run, runAt, temporaryDirectoryForAll } from './support/run-drover.ts'

/** The npm that runs the tests, on its own Node: on another it would not find the machine's settings. */
const { npm_execpath: script, npm_node_execpath: node } = process.env
const NPM = script?.endsWith('.js') && node !== undefined ? [node, script] : ['npm']

const ROOT = join(import.meta.dirname, '..')

describe('the clone', () => {
  it('gives a working drover through npx', async () => {
    const home = process.env['HOME'] ?? ''
    const ran = await runAt(ROOT, [...NPM, 'exec', '--', 'drover', 'version'], { HOME: home })
    expect(ran).toMatchObject({ code: 0, stdout: expect.stringMatching(/^drover \d/) })
  })
})

/** The package as npm would publish it, installed as a user would. */
describe('the published package', () => {
  let drover: readonly [string, string]
  let packed: string[]

  beforeAll(async () => {
    const room = temporaryDirectoryForAll()
    const env = { HOME: process.env['HOME'] ?? room }
    const pack = await runAt(ROOT, [...NPM, 'pack', '--json', '--pack-destination', room], env)
    expect(pack).toMatchObject({ code: 0 })
    packed = JSON.parse(pack.stdout.slice(pack.stdout.indexOf('[')))[0].files.map((file: { path: string }) => file.path)
    const tarball = join(room, readdirSync(room).find((file) => file.endsWith('.tgz')) ?? '')
    const install = [...NPM, 'install', '--prefer-offline', '--no-audit', '--no-fund', '--fetch-retries=1', tarball]
    writeFileSync(join(room, 'package.json'), '{"private":true}')
    expect(await runAt(room, install, env)).toMatchObject({ code: 0 })
    drover = [process.execPath, join(room, 'node_modules', '.bin', 'drover')]
  }, 300_000)

  it('holds the program and no sources, tests or recordings', () => {
    expect(packed).toEqual(
      expect.arrayContaining(['bin/drover.cjs', 'dist/bin.js', 'package.json', 'README.md', 'LICENSE']),
    )
    expect(packed.filter((file) => /\.ts$|^(src|test|scripts|bench|runtime|node_modules)\//.test(file))).toEqual([])
  })

  it('starts', async () => {
    expect(await run([...drover, 'version'], {})).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(/^drover \d/),
      stderr: '',
    })
  })

  it('reads a config, runs the demo agent, completes words', async () => {
    const home = temporaryDirectoryForAll()
    expect(await run([...drover, 'config', 'set', 'server.port', '1'], { HOME: home })).toMatchObject({
      code: 0,
      stderr: '',
    })
    expect(await run([...drover, 'config', 'get', 'server.port'], { HOME: home })).toMatchObject({ stdout: '1\n' })
    const env = { HOME: home, DEMO_AGENT_WORD_MS: '0' }
    expect(await run([...drover, '--demo', '-b', 'codex', 'hello there'], env)).toMatchObject({
      code: 0,
      stdout: expect.stringContaining('hello there'),
    })
    expect(await run([...drover, 'complete-words', '--', 'config', 'g'], env)).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(/^get/),
    })
  })

  it('is well formed in the eyes of publint', async () => {
    const publint = join(ROOT, 'node_modules', '.bin', 'publint')
    expect(await runAt(ROOT, [publint, '--strict', '--pack', 'npm'], {})).toMatchObject({ code: 0 })
  })
})
