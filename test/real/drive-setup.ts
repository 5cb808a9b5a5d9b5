/** A home with several real agents and a repository, for driven runs. Made-up keys, and a model server on this machine. */
import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { stringify } from 'yaml'
import type { DriveEvent } from '../../src/drive/record/event.shape.ts'
import { type FakeGitHub, installFakeGh } from '../support/fake-gh.ts'
import { DROVER, runAt } from '../support/run-drover.ts'
import { createRepository } from '../support/temporary-repository.ts'
import { commandOf, configureAcpAgent, type installedAcp } from './acp-agents.ts'
import { type AgentSetup, configureAgents, MODELS } from './agent-setup.ts'
import { installed } from './real-agents.ts'

export type DriveSetup = ReturnType<typeof createDriveSetup>

type Surroundings = { port: number; acp?: (typeof installedAcp)[number] | undefined }

/** `acp` is an agent that speaks ACP, besides the native ones. */
export function createDriveSetup({ port, acp }: Surroundings) {
  const home = realpathSync(mkdtempSync(join(tmpdir(), 'drover-real-drive-')))
  const bin = join(home, 'bin')
  for (const folder of ['bin', 'tmp', '.drover', 'github']) mkdirSync(join(home, folder))
  for (const { backend, path } of installed) symlinkSync(realpathSync(path), join(bin, backend))
  const base = `http://127.0.0.1:${port}/drive`
  const natives = installed.map(({ backend }) => backend)
  const section = acp && { [acp.name]: { protocol: 'acp', command: commandOf(acp) } }
  writeFileSync(join(home, '.drover', 'config.yaml'), stringify({ backends: { ...section } }))
  const repository = createRepository({ at: join(home, 'weather') })
  repository.write('wind.txt', 'wind: 12 m/s\n')
  repository.write('check.sh', "grep 'knots$' wind.txt\n")
  repository.commit()
  const env = {
    HOME: home,
    TMPDIR: join(home, 'tmp'),
    PATH: [bin, dirname(process.execPath), '/usr/local/bin', '/usr/bin', '/bin'].join(':'),
    LANG: 'C.UTF-8',
    REAL_AGENT_HOME: home,
    ...configureAgents(home, natives, base),
    ...(acp && configureAcpAgent(acp, home, base)),
  }
  const drover = (...args: string[]) => runAt(repository.root, [process.execPath, DROVER, ...args], env)
  return {
    home,
    repository,
    drover,
    /** The native agents with a model, as `--with` takes them. */
    nameOf: (backend: string) => (backend in MODELS ? `${backend}/${MODELS[backend as keyof typeof MODELS]}` : backend),
    installGitHub: (github: FakeGitHub) => {
      installFakeGh(join(home, 'github'), github)
      symlinkSync(join(home, 'github', 'bin', 'gh'), join(bin, 'gh'))
    },
    records: (): DriveEvent[] => {
      const runs = join(repository.root, '.git', 'drover', 'runs')
      return readdirSync(runs).flatMap((id) => readLines(join(runs, id, 'drive.jsonl')))
    },
    asAgentSetup: (): AgentSetup => ({ home, work: repository.root, env: () => env, remove: () => undefined }),
    remove: () => rmSync(home, { recursive: true, force: true, maxRetries: 5 }),
  }
}

function readLines(path: string): DriveEvent[] {
  const lines = readFileSync(path, 'utf8').split('\n').slice(0, -1)
  return lines.map((line) => JSON.parse(line))
}
