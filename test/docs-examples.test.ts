import { spawnSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { readConfig, readEnvironment } from '../src/config/read-config.ts'
import { splitCommand } from '../src/kit/shell-words.ts'
import { installDrover } from './support/drover-shim.ts'
import { IS_FULL } from './support/full-counts.ts'
import { type Block, blocksIn, patternOf, readPages } from './support/markdown.ts'
import { ROOT } from './support/npm.ts'
import { hasTerminals, screenOf, startOnTerminal } from './support/on-terminal.ts'
import { DROVER, type Ran, runAt, temporaryDirectory, temporaryDirectoryForAll } from './support/run-drover.ts'
import { portOf, serveDrover } from './support/serve-drover.ts'

const KEY = 'a-key-of-the-server'

/** Their examples need a repository, and test/run-docs.test.ts runs them in one. */
const IN_A_REPOSITORY = ['docs/change-runs.md', 'docs/machine-protocol.md']

const allPages = readPages().map(({ path, text }) => ({ path, blocks: blocksIn(text) }))
const pages = allPages.filter(({ path }) => !IN_A_REPOSITORY.includes(path))

/** `run`: in a pipe. `terminal`: on a terminal, where drover asks a question. */
const isRun = ({ mark }: Block) => mark === 'run' || mark === 'terminal'
/** The SDKs take long to load, and others drive or compare: test/http and test/cli do what they do. */
const SLOW = [
  ...['clients/openai', 'clients/anthropic', 'clients/ai-sdk', 'compare-agents', 'library', 'embed'],
  ...['deployment', 'executions', 'prompts', 'telemetry'],
].map((name) => `docs/${name}.md`)
const runnable = pages
  .map(({ path, blocks }) => ({ path, examples: blocks.filter(isRun) }))
  .filter(({ examples }) => examples.length > 0)

/**
 * Shell examples that are not run, by page, with the reason. Those of docs/cli.md are put before the parser by
 * test/cli/command-line.test.ts.
 */
const NOT_RUN: Readonly<Record<string, readonly [count: number, because: string]>> = {
  'README.md': [2, 'npm start installs and does not end; test/package does what the other does'],
  'docs/http-api.md': [3, 'its requests are those of docs/clients/curl.md and of test/http/idempotency.test.ts'],
  'docs/console.md': [1, 'needs a browser; test/http/serve.test.ts runs drover open, test/console opens the page'],
  'docs/team-endpoint.md': [3, 'need a server with keys of its own; test/cli/keys.test.ts creates them'],
  'docs/compare-agents.md': [1, 'needs agents; the one above it is the same with the demo agent'],
  'docs/overnight.md': [3, 'end in the background and need the id of a run; test/drive runs these commands'],
  'docs/embed.md': [1, 'needs Claude Code, Codex and Gemini CLI; test/real/mcp.test.ts does what it does'],
  'docs/executions.md': [1, 'needs a server of the same user; test/cli/executions.test.ts runs them'],
  'docs/library.md': [4, 'need agents, and a repository; test/library does the same with scripted ones'],
  'docs/drive.md': [6, 'need agents; test/drive runs these commands with scripted ones'],
  'docs/notifications.md': [
    2,
    'one needs a target, which test/notify.test.ts gives it; one makes a secret in the home directory',
  ],
  'docs/watch.md': [2, 'ask GitHub and do not end; test/drive/watch.test.ts runs these commands with a fake forge'],
  'docs/sandbox.md': [2, 'need bubblewrap; test/sandbox runs these commands'],
  'docs/reliability.md': [3, 'take minutes; test/faults and test/journal are run as they are, or in part'],
  'docs/benchmarks.md': [1, 'takes long, and asks for a quiet machine'],
  'docs/agents.md': [2, 'need a file with a schema, or other agents; test/cli runs the same commands'],
  'docs/config.md': [2, 'test/cli/config.test.ts runs these commands; the other makes a random key'],
  'docs/clients/curl.md': [1, 'sets variables that the test sets'],
  'docs/clients/codex.md': [1, 'needs Codex CLI; test/real/client-programs.test.ts does what it does'],
  'docs/clients/claude-code.md': [1, 'needs Claude Code; test/real/client-programs.test.ts does what it does'],
  'docs/clients/agents-sdk.md': [1, 'needs Python packages'],
  'docs/clients/langchain.md': [1, 'needs Python packages'],
  'docs/clients/litellm.md': [1, 'needs Python packages'],
  'docs/clients/aider.md': [1, 'needs aider'],
  'docs/source-bundles.md': [1, 'asks GitHub; test/cli/source.test.ts runs them with a fake gh'],
  'docs/many-machines.md': [5, 'need a PostgreSQL server, or Docker; test/many-machines.test.ts does what they do'],
  'docs/production.md': [16, 'need PostgreSQL and root; test/production.test.ts runs all of them'],
  'docs/install.md': [5, 'install on the machine, need Docker, or change the shell; test/package does what they do'],
  'docs/deployment.md': [6, 'need root, Docker or a server in /run; test/package tries the unit and the image'],
  'docs/kubernetes.md': [1, 'need a cluster; test/package/kubernetes.test.ts checks the manifests'],
}

/** What commands with several prompts print to a pipe. */
const PROGRESS = /^(?:\[\d\/\d\] (?:started|finished after [\d.]+ m?s): \w+|\w+: .* passed \([\d.]+ m?s\))\n/gm

const hasCurl = spawnSync('curl', ['--version']).status === 0
const hasJq = spawnSync('jq', ['--version']).status === 0

/** Two servers for all pages: one for every client, and one with a key. */
const servers = { open: '', withKey: '' }
const homes = [temporaryDirectoryForAll(), temporaryDirectoryForAll()] as const
const kills: (() => Promise<void>)[] = []

beforeAll(async () => {
  const start = async (env: Record<string, string>) => {
    const server = serveDrover(['--demo', '--port', '0', '--quiet'], env, { end: (kill) => kills.push(kill) })
    return `http://127.0.0.1:${await portOf(server)}`
  }
  servers.open = await start({ HOME: homes[0] })
  servers.withKey = await start({ HOME: homes[1], DROVER_API_KEYS: KEY })
})

afterAll(async () => {
  await Promise.all(kills.map((kill) => kill()))
})

describe('the examples', () => {
  it.for(runnable.filter(({ path }) => IS_FULL || !SLOW.includes(path)))(
    'of $path print what they say',
    { timeout: 120_000 },
    async ({ path, examples }, { skip }) => {
      skip(!hasCurl && examples.some(({ code }) => code.includes('curl ')), 'curl is not installed')
      skip(!hasJq && examples.some(({ code }) => /^jq /m.test(code)), 'jq is not installed')
      skip(!hasTerminals && examples.some(({ mark }) => mark === 'terminal'), 'script is not installed')
      const hasKey = path.startsWith('docs/clients/') || path === 'docs/team-endpoint.md'
      const url = hasKey ? servers.withKey : servers.open
      const home = temporaryDirectory()
      const env = { ...surroundings(home), ...(hasKey && variablesOf(url)) }
      // Like in one terminal, an example begins where the one before it has gone.
      const place = join(home, 'directory')
      writeFileSync(place, ROOT)
      for (const { line, mark, language, code, below = '' } of examples) {
        const cwd = language === 'js' ? ROOT : readFileSync(place, 'utf8').trimEnd()
        const command = fillIn(code, url)
        const ran =
          mark === 'terminal'
            ? await answer(command, { cwd, env })
            : await runAt(cwd, toCommand(language, command, place), env)
        const expected = { line, code: 0, stderr: '', stdout: expect.stringMatching(patternOf(below.trimEnd())) }
        // Some output does not end with a line feed.
        const stderr = ran.stderr.replace(PROGRESS, '')
        expect({ line, ...ran, stdout: ran.stdout.trimEnd(), stderr }).toEqual(expected)
      }
    },
  )

  it('are many, of each kind', () => {
    const languages = runnable.flatMap(({ examples }) => examples.map(({ language }) => language))
    expect(languages.length).toBeGreaterThan(15)
    expect([...new Set(languages)].sort()).toEqual(['js', 'sh'])
  })

  it('that are not run are listed with the reason', () => {
    const left = pages
      .filter(({ path }) => path !== 'docs/cli.md')
      .map(({ path, blocks }) => {
        const others = blocks.filter(
          (block) => ['sh', 'js', 'bash', 'python'].includes(block.language) && !isRun(block),
        )
        return [path, others.length]
      })
    const known = Object.entries(NOT_RUN).map(([path, [count]]) => [path, count])
    expect(left.filter(([, count]) => count !== 0).sort()).toEqual(known.sort())
  })

  it('can be pasted into every shell: zsh treats a comment as arguments', () => {
    const commands = allPages
      .filter(({ path }) => path !== 'docs/cli.md')
      .flatMap(({ blocks }) => blocks.filter(({ language }) => language === 'sh').map(({ code }) => code))
    expect(commands.length).toBeGreaterThan(15)
    expect(commands.filter((code) => /(^|\s)#\s/m.test(code))).toEqual([])
  })

  it('set no variable that drover warns about', () => {
    const codes = pages.flatMap(({ blocks }) => blocks.map(({ code }) => code))
    const names = new Set(codes.flatMap((code) => code.match(/\bDROVER_\w+/g) ?? []))
    expect(names.size).toBeGreaterThan(2)
    const { warnings } = readEnvironment(Object.fromEntries([...names].map((name) => [name, 'x'])))
    expect(warnings).toEqual([])
  })
})

const settings = pages.flatMap(({ path, blocks }) =>
  blocks.filter(({ mark }) => mark === 'config').map(({ line, code }) => ({ path, line, code })),
)

describe('the settings', () => {
  it.each(settings)('at $path:$line are accepted without a warning', async ({ code }) => {
    const file = join(temporaryDirectory(), 'config.yaml')
    writeFileSync(file, code)
    const read = readConfig({ env: { DROVER_CONFIG: file }, homeDirectory: '/', cwd: '/' })
    await expect(read).resolves.toMatchObject({ file: { exists: true }, warnings: [] })
  })
})

/** The address of the server, and the library as the tests have bundled it. */
function fillIn(code: string, url: string): string {
  const library = pathToFileURL(join(dirname(DROVER), '..', 'dist', 'library')).href
  return code
    .replaceAll('http://127.0.0.1:8080', url)
    .replaceAll(/ from 'drover(?:\/([a-z-]+))?'/g, (_, entry = 'drover') => ` from '${library}/${entry}.js'`)
}

/** Those that the pages name. The SDKs of OpenAI read theirs by themselves. */
function variablesOf(url: string): Record<string, string> {
  return { SERVER_URL: url, SERVER_KEY: KEY, OPENAI_BASE_URL: `${url}/openai/v1`, OPENAI_API_KEY: KEY }
}

/** A home with `drover` in PATH, and no agent. */
function surroundings(home: string): Record<string, string> {
  const { bin } = installDrover(home)
  const absent = ['CLAUDE', 'CODEX', 'GEMINI'].map((name) => [
    `DROVER_BACKENDS_${name}_COMMAND`,
    'none-of-this-machine',
  ])
  const path = [bin, join(ROOT, 'node_modules', '.bin'), process.env['PATH']].join(':')
  return {
    HOME: home,
    // Files that an example creates with mktemp are removed with the test.
    TMPDIR: home,
    PATH: path,
    DEMO_AGENT_WORD_MS: '0',
    npm_config_loglevel: 'error',
    ...Object.fromEntries(absent),
  }
}

function toCommand(language: string, code: string, place: string): readonly string[] {
  if (language === 'js') return [process.execPath, '--input-type=module', '--eval', code]
  return ['/bin/sh', '-c', `${code}\ncode=$?; pwd > '${place}'; exit $code`]
}

const COLUMNS = 120

/** What a person sees who answers the one question of `drover drive`. */
async function answer(command: string, where: { cwd: string; env: Record<string, string> }): Promise<Ran> {
  const split = splitCommand(command.trim())
  if ('problem' in split) throw new Error(split.problem)
  const terminal = startOnTerminal(split.words.slice(1), { ...where, columns: COLUMNS })
  await terminal.shows('Answer (')
  terminal.type('Rounded.\n')
  const { code, seen } = await terminal.ended
  return { code, stdout: screenOf(seen, COLUMNS).join('\n'), stderr: '' }
}
