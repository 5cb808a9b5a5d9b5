import { spawnSync } from 'node:child_process'
import {
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  realpathSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { beforeAll, describe, expect, it } from 'vitest'
import { NO_SANDBOX } from '../../scripts/bubblewrap.ts'
import { IS_FULL } from '../support/full-counts.ts'
import { PLAIN_ENV } from '../support/git-repository.ts'
import { blocksIn } from '../support/markdown.ts'
import { linkProductionDependencies, NPM, NPM_ENVIRONMENT, ROOT } from '../support/npm.ts'
import { packPackage } from '../support/packed-package.ts'
import { DROVER, run, runAt, runDrover, temporaryDirectory, temporaryDirectoryForAll } from '../support/run-drover.ts'
import { hasSandbox } from '../support/sandbox.ts'
import { portOf, serveDrover } from '../support/serve-drover.ts'
import { createRepository } from '../support/temporary-repository.ts'

/** In a prefix. `man` looks there if `bin` beside it is on PATH. */
const MANUAL_PAGE = join('share', 'man', 'man1', 'drover.1')
const HAS_MAN = spawnSync('man', ['--version']).status === 0

describe.runIf(IS_FULL)('the clone', () => {
  it('provides a working drover through npx', async () => {
    const ran = await runAt(ROOT, [...NPM, 'exec', '--', 'drover', 'version'], NPM_ENVIRONMENT)
    expect(ran).toMatchObject({ code: 0, stdout: expect.stringMatching(/^drover \d/) })
  })

  it('can be installed globally, as a link to it', async () => {
    const prefix = join(temporaryDirectory(), 'prefix')
    const install = [...NPM, 'install', '--global', '--offline', '--prefix', prefix, '.']
    expect(await runAt(ROOT, install, NPM_ENVIRONMENT)).toMatchObject({ code: 0 })
    const ran = await run([join(prefix, 'bin', 'drover'), 'version'], {})
    expect(ran).toMatchObject({ code: 0, stdout: expect.stringMatching(/^drover \d/), stderr: '' })
    expect(realpathSync(join(prefix, MANUAL_PAGE))).toBe(realpathSync(join(ROOT, 'man', 'drover.1')))
  })
})

/** What may be in the package: the program as it runs, and what a user of it looks for. */
const WANTED: readonly RegExp[] = [
  /^package\.json$/,
  /^(README|CHANGELOG)\.md$/,
  /^LICENSE$/,
  /^bin\/(drover|run-bundle|run-newer-node|hide-variables|demo-agent|json-thread|sandbox-forwarder|sandbox-probe)\.cjs$/,
  /^bin\/sandbox-forwarder\.sh$/,
  /^dist\/((drover|prompts|changes|prompts-and-changes|others)\.cjs|facts\.json|json-thread\.js|demo\/demo-agent\.js)$/,
  /^dist\/docs\/(swagger-ui-bundle\.js|swagger-ui-bundle\.js\.LICENSE\.txt|swagger-ui\.css|favicon-32x32\.png)$/,
  /^dist\/packages\/(fastify\.cjs|yaml\.cjs|LICENSES\.txt)$/,
  /^dist\/docs\/(LICENSE|NOTICE)$/,
  /^dist\/library\/(drover|ai-sdk|part-[A-Z0-9]{8})\.js$/,
  /^dist\/library\/(drover|ai-sdk|drover-error|types|messages\.generated|error-codes\.generated)\.d\.ts$/,
  /^dist\/console\/(page\.html|LICENSES\.txt|(start-console|push-worker|part|style)-[A-Z0-9]{8}\.(js|css)|icon-(idle|working|needs)-[0-9a-f]{8}\.svg)$/,
  /^schema\/[a-z0-9-]+\.json$/,
  /^man\/drover\.1$/,
  /^deploy\/drover\.service$/,
]

const [OLD_NODE = ''] = ['/usr/bin/node', '/usr/local/bin/node'].filter((node) => {
  const { stdout = '' } = spawnSync(node, ['--version'], { encoding: 'utf8' })
  return /^v(20|22)\./.test(stdout)
})

it.skipIf(OLD_NODE === '').each(['drover', 'ai-sdk'])('tells an old Node that imports %s what it needs', (name) => {
  const entry = join(dirname(DROVER), '..', 'dist', 'library', `${name}.js`)
  const { stderr } = spawnSync(OLD_NODE, ['--eval', `import('${entry}')`], { encoding: 'utf8' })
  expect(stderr).toContain('drover needs Node 24 or newer, but this is Node ')
})

it('has a program that is bundled into files of the package only', () => {
  const files = readdirSync(join(dirname(DROVER), '..', 'dist'), { recursive: true, withFileTypes: true })
  const names = files
    .filter((file) => file.isFile())
    .map((file) => join('dist', relative(join(dirname(DROVER), '..', 'dist'), join(file.parentPath, file.name))))
  expect(names).toContain(join('dist', 'drover.cjs'))
  expect(names.filter((file) => !WANTED.some((pattern) => pattern.test(file)))).toEqual([])
})

/**
 * The package as npm would publish it, laid out as npm installs it globally, under a prefix that was empty. npm itself
 * would ask the network for what the lock file knows.
 */
describe.runIf(IS_FULL)('the published package', () => {
  let installed: string
  let tarball: string
  let packed: string[]
  let drover: readonly [string, string]

  const directory = temporaryDirectoryForAll()

  beforeAll(async () => {
    const prefix = join(directory, 'prefix')
    mkdirSync(prefix)
    ;({ tarball, files: packed } = await packPackage(directory))
    installed = join(prefix, 'lib', 'node_modules', 'drover')
    drover = [process.execPath, join(prefix, 'bin', 'drover')]
    mkdirSync(installed, { recursive: true })
    mkdirSync(join(prefix, 'bin'))
    const unpack = ['tar', '-xzf', tarball, '-C', installed, '--strip-components=1']
    expect(await run(unpack, {})).toMatchObject({ code: 0 })
    linkProductionDependencies(installed)
    symlinkSync('../lib/node_modules/drover/bin/drover.cjs', drover[1])
  }, 300_000)

  it('is built by the script that this test called', () => {
    const { scripts } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'))
    expect(scripts).toMatchObject({ prepack: 'npm run build', build: 'node scripts/build.ts' })
  })

  it('contains only the program', () => {
    expect(packed.filter((file) => !WANTED.some((pattern) => pattern.test(file)))).toEqual([])
  })

  it('contains everything that is needed', () => {
    expect(WANTED.filter((pattern) => !packed.some((file) => pattern.test(file)))).toEqual([])
  })

  it('depends on no package that runs a script when it is installed', () => {
    const { packages } = JSON.parse(readFileSync(join(ROOT, 'package-lock.json'), 'utf8'))
    const installed = Object.entries<{ dev?: true; hasInstallScript?: true }>(packages).filter(([, { dev }]) => !dev)
    const scripted = installed.filter(([, { hasInstallScript }]) => hasInstallScript).map(([path]) => path)
    expect(scripted).toEqual([])
    expect(installed.map(([path]) => path).filter((path) => /swagger|scarf/.test(path))).toEqual([])
  })

  it('lists only existing files', () => {
    const { files, man, bin } = JSON.parse(readFileSync(join(installed, 'package.json'), 'utf8'))
    const named = [...files.filter((each: string) => !each.startsWith('!')), ...man, ...Object.values<string>(bin)]
    expect(named.filter((path) => !existsSync(join(installed, path)))).toEqual([])
  })

  describe('that npm has installed globally', () => {
    const prefix = join(directory, 'by-npm')

    /** Without its dependencies, which npm would ask the network for. */
    beforeAll(async () => {
      const alone = join(directory, 'alone')
      cpSync(installed, alone, { recursive: true, filter: (path) => !path.includes('node_modules', installed.length) })
      const { dependencies: _, ...rest } = JSON.parse(readFileSync(join(alone, 'package.json'), 'utf8'))
      writeFileSync(join(alone, 'package.json'), JSON.stringify(rest))
      const pack = [...NPM, 'pack', '--ignore-scripts', '--json', '--pack-destination', alone]
      const [{ filename }] = JSON.parse((await runAt(alone, pack, NPM_ENVIRONMENT)).stdout)
      const install = [...NPM, 'install', '--global', '--offline', '--prefix', prefix, join(alone, filename)]
      expect(await run(install, NPM_ENVIRONMENT)).toMatchObject({ code: 0 })
    })

    it.skipIf(!HAS_MAN)('has a manual page that man finds', async () => {
      const env = { PATH: `${join(prefix, 'bin')}:${process.env['PATH']}`, HOME: directory, MANPAGER: 'cat' }
      const found = await run(['man', '--where', 'drover'], env)
      expect(found).toMatchObject({ code: 0, stderr: '' })
      expect(realpathSync(found.stdout.trim())).toBe(
        realpathSync(join(prefix, 'lib', 'node_modules', 'drover', 'man', 'drover.1')),
      )
    })

    it('leaves nothing in its prefix when npm uninstalls it', async () => {
      expect(existsSync(join(prefix, MANUAL_PAGE))).toBe(true)
      const uninstall = [...NPM, 'uninstall', '--global', '--offline', '--prefix', prefix, 'drover']
      expect(await run(uninstall, NPM_ENVIRONMENT)).toMatchObject({ code: 0 })
      const left = readdirSync(prefix, { recursive: true, withFileTypes: true }).filter((each) => !each.isDirectory())
      expect(left.map(({ name }) => name).filter((name) => name !== '.package-lock.json')).toEqual([])
    })
  })

  it('starts', async () => {
    expect(statSync(drover[1]).mode & 0o111).not.toBe(0)
    expect(await run([...drover, 'version'], {})).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(/^drover \d/),
      stderr: '',
    })
  })

  it('reads a config, runs the demo agent, completes words', async () => {
    const home = temporaryDirectory()
    const env = { HOME: home, DEMO_AGENT_WORD_MS: '0' }
    expect(await run([...drover, 'config', 'set', 'server.port', '1'], env)).toMatchObject({ code: 0, stderr: '' })
    expect(await run([...drover, 'config', 'get', 'server.port'], env)).toMatchObject({ stdout: '1\n' })
    expect(await run([...drover, '--demo', '-b', 'codex', 'hello there'], env)).toMatchObject({
      code: 0,
      stdout: expect.stringContaining('hello there'),
    })
    expect(await run([...drover, 'complete-words', '--', 'config', 'g'], env)).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(/^get/),
    })
  })

  it('runs a command in a sandbox, which its own script begins where there is socat', async ({ skip }) => {
    skip(!hasSandbox, NO_SANDBOX)
    const [home, repository] = [temporaryDirectory(), createRepository()]
    const script = join(installed, 'bin', 'sandbox-forwarder.sh')
    expect(statSync(script).mode & 0o111).not.toBe(0)
    const first = existsSync('/usr/bin/socat') ? script : script.replace(/sh$/, 'cjs')
    const inside = [...drover, 'sandbox', 'run', '--', 'cat', '/run/drover/forwarder']
    const ran = await runAt(repository.root, inside, { HOME: home })
    expect(ran).toEqual({ code: 0, stdout: readFileSync(first, 'utf8'), stderr: '' })
  })

  it('serves: its health, a prompt, the description of its API and the page that shows it', async () => {
    const server = serveDrover(['--demo', '--port', '0'], {}, { drover: drover[1] })
    const base = `http://127.0.0.1:${await portOf(server)}`
    const health = await fetch(`${base}/health`)
    expect(await health.json()).toMatchObject({ status: 'ok' })
    const prompt = { backend: 'gemini', prompt: 'hello there' }
    const headers = { 'content-type': 'application/json' }
    const answer = await fetch(`${base}/api/v1/prompt`, { method: 'POST', headers, body: JSON.stringify(prompt) })
    expect(await answer.json()).toMatchObject({ exit_code: 0, output: expect.stringContaining('hello there') })
    const pages = ['/', '/openapi.json', '/docs', '/docs/swagger-ui-bundle.js', '/docs/swagger-ui.css'].map(
      async (path) => (await fetch(base + path)).status,
    )
    expect(await Promise.all(pages)).toEqual([200, 200, 200, 200, 200])
  })

  it('runs a change to its end, installs a host, and finds nothing wrong with the repository', async () => {
    const { root } = createRepository()
    const change = async (...words: string[]) => {
      const ran = await run([...drover, ...words, '--root', root], PLAIN_ENV)
      expect(ran).toMatchObject({ code: 0, stderr: '' })
      return JSON.parse(ran.stdout)
    }
    let state = await change('run', 'Show the wind in knots', '--json')
    for (const kind of ['orient', 'summarize']) {
      expect(state.action.kind).toBe(kind)
      state = await change('protocol', 'skip', '--run', state.run_id, '--action', state.action.action_id)
    }
    expect(state.state).toBe('ended')
    expect(await change('install', 'claude', '--json')).toMatchObject({ transaction_outcome: 'committed' })
    const { checks } = await change('doctor', '--offline', '--json')
    expect(checks.filter((check: { status: string }) => check.status === 'error')).toEqual([])
  })

  it('prints the same help as the clone', async () => {
    const { stdout } = await runDrover(['--help'])
    expect(await run([...drover, '--help'], {})).toEqual({ code: 0, stdout, stderr: '' })
  })

  describe('for a program that imports it', () => {
    const program = temporaryDirectoryForAll()

    beforeAll(() => {
      mkdirSync(join(program, 'node_modules'), { recursive: true })
      symlinkSync(installed, join(program, 'node_modules', 'drover'))
      cpSync(join(ROOT, 'test', 'package', 'library-user'), program, { recursive: true })
      writeFileSync(join(program, 'package.json'), '{"type":"module"}')
    })

    it.each([
      ['node16', 'node16', []],
      ['esnext', 'bundler', ['--exactOptionalPropertyTypes']],
    ])(
      'has complete types, also for the docs, with the module %s and the resolution %s',
      async (module, resolution, more) => {
        const tsc = join(ROOT, 'node_modules', '.bin', 'tsc')
        const examples = writeExamples(program)
        expect(examples.length).toBeGreaterThan(8)
        const rules = [
          '--strict',
          '--noUncheckedIndexedAccess',
          '--skipLibCheck',
          'false',
          '--noEmit',
          '--ignoreConfig',
        ]
        const language = ['--target', 'es2024', '--module', module, '--moduleResolution', resolution]
        const ran = await runAt(program, [tsc, ...rules, ...more, ...language, 'use-types.ts', ...examples], {})
        expect(ran).toEqual({ code: 0, stdout: '', stderr: '' })
      },
    )

    it('runs a prompt, imported and required, and loads neither the server nor the command line for it', async () => {
      const text = `const { createDrover } = LOADED
        ;(async () => {
          const drover = createDrover({ demo: true, home: process.env.HOME + '/.drover' })
          const { output } = await drover.prompt({ prompt: 'hello there', backend: 'codex' }).result
          await drover.close()
          console.log(JSON.stringify({ output, fastify: loadedFastify() }))
          function loadedFastify() { return Object.keys(require.cache ?? {}).some((path) => path.includes('/fastify/')) }
        })()`
      writeFileSync(
        join(program, 'use.mjs'),
        `import { createRequire } from 'node:module'\nimport * as drover from 'drover'\nconst require = createRequire(import.meta.url)\n${text.replace('LOADED', 'drover')}`,
      )
      writeFileSync(join(program, 'use.cjs'), text.replace('LOADED', "require('drover')"))
      for (const file of ['use.mjs', 'use.cjs']) {
        const env = { HOME: temporaryDirectory(), DEMO_AGENT_WORD_MS: '0', PATH: '/usr/bin:/bin' }
        const ran = await runAt(program, [process.execPath, file], env)
        expect(ran).toMatchObject({ code: 0, stderr: '' })
        expect(JSON.parse(ran.stdout)).toEqual({ output: expect.stringContaining('hello there'), fastify: false })
      }
    })

    it('offers only what its exports name', async () => {
      const ran = await runAt(program, [process.execPath, '-e', "import('drover/dist/drover.cjs')"], {})
      expect(ran).toMatchObject({ code: 1, stderr: expect.stringContaining('ERR_PACKAGE_PATH_NOT_EXPORTED') })
    })
  })

  it('passes publint', async () => {
    const publint = join(ROOT, 'node_modules', '.bin', 'publint')
    expect(await runAt(ROOT, [publint, 'run', tarball, '--strict'], {})).toMatchObject({ code: 0 })
  })
})

/** The examples of pages for people who import drover, each in a module, as they may be pasted. */
function writeExamples(program: string): string[] {
  return ['library', 'testing', 'embed'].flatMap((page) => {
    const blocks = blocksIn(readFileSync(join(ROOT, 'docs', `${page}.md`), 'utf8'))
    const ours = blocks.filter(({ language, code }) => language === 'js' && !/from '(?!drover')/.test(code))
    return ours.map(({ code, line }) => {
      const name = `${page}-${line}.ts`
      const opened = "import { createDrover } from 'drover'\nconst drover = createDrover()\n"
      writeFileSync(join(program, name), code.includes('createDrover') ? code : opened + code)
      return name
    })
  })
}
