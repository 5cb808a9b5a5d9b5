/** What each kind of program sees of the environment of the drover that starts it. */
import { mkdirSync, readdirSync, readFileSync, realpathSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { installAcpAgent } from './support/acp-agent.ts'
import { callMain } from './support/call-main.ts'
import { createDrivenHome } from './support/driven-home.ts'
import { createPostgresDatabase, POSTGRES_PROGRAMS } from './support/postgres.ts'
import { temporaryDirectoryForAll } from './support/run-drover.ts'
import { startServer } from './support/start-server.ts'
import { until } from './support/until.ts'
import { installWarmAgents } from './support/warm-agents.ts'

/** Every secret has this word. */
const MARK = 'canary'
const PASSWORD = `${MARK}-of-the-store`

const SECRETS = {
  DROVER_API_KEYS: `${MARK}-key-of-a-client`,
  PGPASSWORD: `${MARK}-of-libpq`,
  PGPASSFILE: `/${MARK}/pgpass`,
  PGSERVICEFILE: `/${MARK}/services`,
  OTEL_EXPORTER_OTLP_HEADERS: `authorization=${MARK}`,
  OTEL_EXPORTER_OTLP_TRACES_HEADERS: `authorization=${MARK}`,
  OTEL_EXPORTER_OTLP_ENDPOINT: `https://me:${MARK}@collector.example.com`,
  DATABASE_URL: `postgres://drover:${PASSWORD}@db.example.com/drover`,
  POSTGRES_PASSWORD: PASSWORD,
  APP_SETTINGS: JSON.stringify({ database: { password: PASSWORD } }),
} as const
const HARMLESS = { COLOR: 'blue', OTEL_SERVICE_NAME: 'mine', ANTHROPIC_API_KEY: 'of-the-agent' } as const

const scratch = realpathSync(temporaryDirectoryForAll())
const [bin, real, seen] = [join(scratch, 'bin'), join(scratch, 'real'), join(scratch, 'seen')]
const [WARM, PRELOAD] = [join(scratch, 'warm'), join(scratch, 'preload.cjs')]
const home = createDrivenHome(scratch)
const env = { ...home.env, DEMO_AGENT_WORD_MS: '0', ...SECRETS, ...HARMLESS }

/** The address of the store; its password is in other variables. */
let url = ''

const drover = (...args: string[]) => droverWith({}, ...args)
const droverWith = (more: Record<string, string>, ...args: string[]) =>
  callMain(args, { cwd: home.repository.root, homeDirectory: home.home, env: { ...env, ...more } })

/** Writes a program that notes its environment under this name before it becomes the real one. */
function reveal(name: string, becomes: string, path = join(bin, name)): string {
  writeFileSync(path, `#!/bin/sh\nenv > '${seen}/${name}'.$$\nexec '${becomes}' "$@"\n`, { mode: 0o755 })
  return path
}

function installPrograms(): void {
  renameSync(join(bin, 'claude'), join(real, 'claude'))
  for (const name of ['claude', 'gopass']) reveal(name, join(real, name))
  for (const name of ['check', 'notify']) reveal(name, '/bin/true')
  reveal('git', '/usr/bin/git')
  reveal('gh', '/bin/false')
  writeFileSync(join(real, 'gopass'), '#!/bin/sh\necho a-key-of-gopass\n', { mode: 0o755 })
  const note = `Object.entries(process.env).map((entry) => entry.join('=')).join('\\n')`
  writeFileSync(PRELOAD, `require('node:fs').writeFileSync('${seen}/demo.' + process.pid, ${note})\n`)
  mkdirSync(WARM)
  reveal('warm-claude', join(installWarmAgents(join(real, 'warm')), 'claude'), join(WARM, 'claude'))
}

async function warmPrompt(): Promise<void> {
  const config = { warm: { enabled: true, spare_after: 1 }, store: { url } }
  const { DROVER_HOME: _, HOME: __, ...rest } = env
  const server = await startServer({ agents: 'none', env: { ...rest, PATH: `${WARM}:/usr/bin:/bin` }, config })
  const body = { backend: 'claude', prompt: 'hi', workdir: server.workdir }
  await server.request('/api/v1/prompt', { method: 'POST', body, headers: { 'X-API-Key': SECRETS.DROVER_API_KEYS } })
  await until(() => server.context.drover.warm?.list().some(({ state }) => state === 'idle'))
}

/** Each starts the programs of these names. */
const KINDS: readonly [what: string, names: readonly string[], run: () => Promise<unknown>][] = [
  ['an agent', ['claude'], () => drover('prompt', 'hi', '-b', 'claude')],
  ['an agent that stays up', ['warm-claude'], warmPrompt],
  [
    'an agent that speaks ACP, and a command of it',
    ['kimi', 'terminal'],
    () => drover('prompt', 'hi', '-b', 'mine', '--approval', 'none'),
  ],
  ['an agent that is tried', ['kimi'], () => drover('backends', 'test', 'mine')],
  ['the demo agent', ['demo'], () => droverWith({ NODE_OPTIONS: `--require ${PRELOAD}` }, '--demo', 'say hi')],
  [
    'a driven agent, a check, the program of --notify, and git',
    ['claude', 'check', 'notify', 'git'],
    () => drover('drive', 'Show knots', '--no-review', '--check', join(bin, 'check'), '--notify', join(bin, 'notify')),
  ],
  ['gh', ['gh'], () => drover('doctor')],
  ['gopass', ['gopass'], () => startServer({ env: { ...env, DROVER_API_KEYS_GOPASS_PATH: 'a/b' } })],
]

describe.skipIf(POSTGRES_PROGRAMS === undefined)('secrets of drover, of its store and of telemetry', () => {
  beforeAll(async () => {
    for (const directory of [real, seen]) mkdirSync(directory)
    installPrograms()
    const address = new URL(await createPostgresDatabase())
    url = `postgres://drover:${PASSWORD}@localhost${address.pathname}${address.search}`
    const terminal = { command: `env > '${seen}/terminal.1'` }
    // Drover runs the commands of kimi.
    const acp = installAcpAgent(real, { steps: [{ terminal }, { say: 'ready' }] })
    const backends = { mine: { protocol: 'acp', command: [reveal('kimi', acp)] } }
    home.configure(JSON.stringify({ backends, store: { url } }))
  })

  beforeEach(() => {
    rmSync(seen, { recursive: true })
    mkdirSync(seen)
  })

  it.each(KINDS)('are not seen by %s', async (_, names, run) => {
    await run()
    for (const name of names) {
      const files = await until(() => {
        const found = readdirSync(seen).filter((file) => file.startsWith(`${name}.`))
        return found.length > 0 && found
      })
      for (const file of files) {
        const lines = readFileSync(join(seen, file), 'utf8').split('\n')
        expect(lines.filter((line) => line.includes(MARK))).toEqual([])
        const harmless = Object.entries(HARMLESS).map(([variable, value]) => `${variable}=${value}`)
        expect(lines).toEqual(expect.arrayContaining(harmless))
      }
    }
  })
})
