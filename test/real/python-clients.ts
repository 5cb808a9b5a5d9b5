/** Clients in Python, by exact version. They are installed outside of the repository; CLIENTS_PYTHON names the Python that has them. */
import { spawn, spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { PNG } from '../support/sample-files.ts'
import { CHOSEN, type Place, type Tried, type TriedClient } from './client-results.ts'

export const PYTHON = process.env['CLIENTS_PYTHON'] ?? 'python3'
export const SCRIPTS = join(import.meta.dirname, 'python')

/** The module in `python/`, and the package that it uses. */
const MODULES = [
  { client: '`openai` for Python, chat completions', module: 'openai_chat', pack: 'openai' },
  { client: '`openai` for Python, responses', module: 'openai_responses', pack: 'openai' },
  { client: '`anthropic` for Python', module: 'anthropic_messages', pack: 'anthropic' },
  { client: '`openai-agents`', module: 'openai_agents', pack: 'openai-agents' },
  { client: '`pydantic-ai`', module: 'pydantic_agents', pack: 'pydantic-ai-slim' },
  { client: '`instructor`, mode `TOOLS`', module: 'instructor_tools', pack: 'instructor' },
  { client: '`langchain-openai`', module: 'langchain_openai_chat', pack: 'langchain-openai' },
  { client: '`langchain-anthropic`', module: 'langchain_anthropic_chat', pack: 'langchain-anthropic' },
  { client: '`litellm`', module: 'litellm_chat', pack: 'litellm' },
]

const wanted = new Map(
  readFileSync(join(SCRIPTS, 'requirements.txt'), 'utf8')
    .trim()
    .split('\n')
    .map((line) => line.split('==') as [string, string]),
)

const LIST = 'import importlib.metadata as m, json; print(json.dumps({d.name: d.version for d in m.distributions()}))'
const listed = spawnSync(PYTHON, ['-c', LIST], { encoding: 'utf8' })
const found: Readonly<Record<string, string>> = listed.status === 0 ? JSON.parse(listed.stdout) : {}

const isThere = (name: string) => found[name] !== undefined && found[name] === wanted.get(name)

/** What `npm run test:real` did not find in the version that is wanted. */
export const missingPackages = [...wanted]
  .filter(([name]) => !isThere(name))
  .map(([name, version]) => `${name} ${version}`)

export const pythonClients: TriedClient[] = MODULES.filter(({ pack }) => isThere(pack)).map(
  ({ client, module, pack }) => ({
    client,
    version: wanted.get(pack) ?? '',
    run: (place) => runModule([module, ...CHOSEN], place),
  }),
)

/** The standard tests of LangChain, which take long. */
export const standardTests: TriedClient[] = pythonClients
  .filter(({ client }) => client.startsWith('`langchain'))
  .map(({ client, version }) => {
    const { module = '' } = MODULES.find((each) => each.client === client) ?? {}
    return { client, version, run: (place) => runModule([module, 'standard'], place) }
  })

async function runModule(words: readonly string[], { url, model }: Place): Promise<Tried[]> {
  const home = mkdtempSync(join(tmpdir(), 'drover-client-'))
  const child = spawn(PYTHON, ['features.py', ...words], {
    cwd: SCRIPTS,
    env: {
      ...{ HOME: home, TMPDIR: home, LANG: 'C.UTF-8', PATH: `${dirname(PYTHON)}:/usr/bin:/bin` },
      ...{ DROVER_URL: url, DROVER_MODEL: model, DROVER_PNG: PNG.toString('base64'), OPENAI_API_KEY: 'none' },
      ...{ PYTHONDONTWRITEBYTECODE: '1', LANGSMITH_TRACING: 'false' },
    },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  let printed = ''
  child.stdout.setEncoding('utf8').on('data', (text: string) => (printed += text))
  const status = await new Promise((resolve) => child.on('close', resolve))
  rmSync(home, { recursive: true, force: true, maxRetries: 5 })
  const lines = printed.split('\n').filter((line) => line.startsWith('{"feature"'))
  if (status !== 0) throw new Error(`${words.join(' ')} ended with ${status}`)
  return lines.map((line) => JSON.parse(line))
}
