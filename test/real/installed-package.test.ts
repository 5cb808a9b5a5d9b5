/** The package, installed from its tarball into the project of a user, with the AI SDK: types are checked, programs run. */
import { cpSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, describe, expect, it } from 'vitest'
import { NPM, NPM_ENVIRONMENT, ROOT } from '../support/npm.ts'
import { packPackage } from '../support/packed-package.ts'
import { runAt, temporaryDirectory, temporaryDirectoryForAll } from '../support/run-drover.ts'

const { devDependencies } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'))
const withVersion = (name: string) => `${name}@${devDependencies[name]}`

/** Without `close()`: the program ends when its prompt has ended. */
const PROMPT = `const drover = createDrover({ demo: true })
  const { output } = await drover.prompt({ prompt: 'say hello', backend: 'codex' }).result
  console.log(output)`

describe('a project that has installed the package', () => {
  const directory = temporaryDirectoryForAll()
  const project = join(directory, 'project')

  beforeAll(async () => {
    mkdirSync(project)
    const { tarball } = await packPackage(directory)
    writeFileSync(join(project, 'package.json'), '{"type":"module"}')
    const packages = [tarball, withVersion('ai')]
    const install = [...NPM, 'install', '--no-audit', '--no-fund', ...packages]
    const { code, stderr } = await runAt(project, install, NPM_ENVIRONMENT)
    expect(code, stderr).toBe(0)
    cpSync(join(ROOT, 'test', 'package', 'library-user'), project, { recursive: true })
  }, 300_000)

  const runFile = (file: string) =>
    runAt(project, [process.execPath, file], {
      HOME: temporaryDirectory(),
      DEMO_AGENT_WORD_MS: '0',
      PATH: '/usr/bin:/bin',
    })

  it.each([
    ['node16', 'node16'],
    ['nodenext', 'nodenext'],
    ['esnext', 'bundler'],
  ])('finds no error in its types, with the module %s and the resolution %s', async (module, resolution) => {
    const tsc = join(ROOT, 'node_modules', '.bin', 'tsc')
    const rules = ['--strict', '--noUncheckedIndexedAccess', '--exactOptionalPropertyTypes', '--noEmit']
    const language = ['--target', 'es2024', '--module', module, '--moduleResolution', resolution, '--types', 'node']
    const all = [tsc, '--ignoreConfig', ...rules, ...language]
    expect(await runAt(project, [...all, '--skipLibCheck', 'false', 'use-types.ts'], {})).toMatchObject({
      code: 0,
      stdout: '',
    })
    const others = ['use-ai-sdk.ts', ...(module === 'nodenext' ? ['use-require.cts'] : [])]
    expect(await runAt(project, [...all, '--skipLibCheck', ...others], {})).toMatchObject({ code: 0, stdout: '' })
  })

  it.each([
    ['use.mjs', `import { createDrover } from 'drover'\n${PROMPT}`],
    ['use.cjs', `const { createDrover } = require('drover')\n;(async () => {\n${PROMPT}\n})()`],
  ])('runs a prompt, and ends: %s', async (file, text) => {
    writeFileSync(join(project, file), text)
    expect(await runFile(file)).toMatchObject({ code: 0, stdout: expect.stringContaining('say hello'), stderr: '' })
  })

  it('generates and streams text with the AI SDK', async () => {
    const { code, stdout, stderr } = await runFile('use-ai-sdk.ts')
    expect(code, stderr).toBe(0)
    expect(JSON.parse(stdout)).toEqual({
      generated: expect.stringContaining('say hello'),
      hasTokens: true,
      session: 'string',
      streamed: expect.stringContaining('say hello'),
      finish: 'stop',
      isKnownError: true,
      unused: 'drover',
    })
  })
})
