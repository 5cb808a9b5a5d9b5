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
import { setTimeout as delay } from 'node:timers/promises'
import { stringify } from 'yaml'
import type { DriveEvent } from '../../src/drive/record/drive-event.shape.ts'
import { type FakeGitHub, installFakeGh } from '../support/fake-gh.ts'
import { DROVER, runAt } from '../support/run-drover.ts'
import { portOf, serveDrover } from '../support/serve-drover.ts'
import { runClient } from '../support/served-runs.ts'
import { ask } from '../support/start-server.ts'
import { createRepository } from '../support/temporary-repository.ts'
import { commandOf, configureAcpAgent, type installedAcp } from './acp-agents.ts'
import { type AgentSetup, configureAgents, MODELS } from './agent-setup.ts'
import { warmAgents } from './modes.ts'
import { installed } from './real-agents.ts'

export type DriveSetup = ReturnType<typeof createDriveSetup>

/** `drover serve` with agents that stay up, for the runs of its clients. */
export async function serveRealRuns({ env, home }: DriveSetup) {
  const serving = serveDrover(['--port', '0'], { ...env, DROVER_WARM_ENABLED: 'true', DROVER_WARM_SPARE_AFTER: '1' })
  const port = await portOf(serving)
  const send = (path: string, request: object = {}) => ask({ host: '127.0.0.1', port, path, ...request })
  const client = runClient(send)
  return {
    ...client,
    /** The run when nothing works on it any more. Real agents on a busy machine take their time. */
    settled: async (id: string) => {
      let run = await client.show(id)
      for (; run.state === 'running'; run = await client.show(id)) await delay(50)
      return run
    },
    /** Those processes of an agent that stay up. */
    warm: async (backend: string) => (await warmAgents({ home })).filter((each) => each.backend === backend),
    end: async () => {
      serving.child.kill('SIGTERM')
      await serving.ended
    },
  }
}

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
  const repository = createRepository({ at: join(home, 'weather') })
  repository.write('wind.txt', 'wind: 12 m/s\n')
  repository.write('check.sh', "grep 'knots$' wind.txt\n")
  repository.commit()
  // What an agent does in a sandbox is tried in sandboxed-drive.test.ts.
  const drive = { repositories: [repository.root], checks: ['sh check.sh'], sandbox: 'off' }
  writeFileSync(join(home, '.drover', 'config.yaml'), stringify({ backends: { ...section }, drive }))
  const env = {
    HOME: home,
    TMPDIR: join(home, 'tmp'),
    // Some agents that speak ACP start another program that is installed beside them.
    PATH: [
      bin,
      ...(acp ? [dirname(acp.path)] : []),
      dirname(process.execPath),
      '/usr/local/bin',
      '/usr/bin',
      '/bin',
    ].join(':'),
    LANG: 'C.UTF-8',
    REAL_AGENT_HOME: home,
    ...configureAgents(home, natives, base),
    ...(acp && configureAcpAgent(acp, home, base)),
  }
  const drover = (...args: string[]) => runAt(repository.root, [process.execPath, DROVER, ...args], env)
  return {
    home,
    env,
    repository,
    drover,
    /** The native agents with a model, as `--with` takes them. */
    nameOf: (backend: string) => (backend in MODELS ? `${backend}/${MODELS[backend as keyof typeof MODELS]}` : backend),
    /** The same for the API. */
    modelOf: (backend: string) => ({
      backend,
      ...(backend in MODELS && { model: MODELS[backend as keyof typeof MODELS] }),
    }),
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
