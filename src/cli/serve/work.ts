/** Runs prompts from the queue of a PostgreSQL store, without serving requests. */
import type { AgentLocation } from '../../agents/locate-agents.ts'
import { readConfig } from '../../config/read-config.ts'
import type { Rights } from '../../drive/service/run-starter.ts'
import { findReadableSecrets } from '../../kit/process/processes-around.ts'
import { endAllProcesses } from '../../kit/process/running-processes.ts'
import { formatBackend } from '../../prompts/format-backend.ts'
import { ServedDrover } from '../../service/served.ts'
import { Ending, startServerLife } from '../../service/start-and-stop.ts'
import type { Invocation, RunCommand } from '../command.ts'
import { storeNotShared } from '../faults.ts'
import { openCommandStores } from '../open/open-command-stores.ts'
import { findSandbox } from '../sandbox/find-sandbox.ts'
import {
  findUserPaths,
  privateFilesFor,
  readSettings,
  refusePassword,
  sandboxPartsFor,
  toConfigEnvironment,
} from '../settings.ts'
import { secretWarnings } from './security-warnings.ts'
import type { Losses } from './serve.ts'
import { createServerLog } from './server-log.ts'
import { listenForSignals } from './server-signals.ts'

export const run: RunCommand = async (invocation) => {
  const { flags, runtime } = invocation
  refusePassword('--store', flags.text('store'))
  if (flags.isOn('drain')) return await (await import('./machines-command.ts')).drainHere(invocation)
  const labels = flags.texts('label')
  const { config, file, origins } = await readSettings(invocation, [
    { key: 'store.url', flag: '--store', value: flags.text('store') },
    { key: 'work.labels', flag: '--label', value: labels.length === 0 ? undefined : labels },
  ])
  if (config.store.url === 'sqlite:') throw storeNotShared({ command: 'drover work' })
  const { log } = await createServerLog(runtime, { isQuiet: flags.isOn('quiet') })
  const lost: Losses = { notify: () => {} }
  const stores = await openCommandStores(invocation, config, { onLost: (loss) => lost.notify(loss) })
  const ending = new Ending()
  const { env, cwd, isRoot, clock, demoAgent } = runtime
  const drover = new ServedDrover({
    ...{ config, stores, log, env, cwd, isRoot, clock, demoAgent, version: runtime.version() },
    ...ending.signals,
    demo: flags.isOn('demo') ? demoAgent : undefined,
    directories: findUserPaths(invocation),
    privateFiles: privateFilesFor(invocation),
    sandbox: sandboxPartsFor(invocation, config),
    machineSandbox: findSandbox(runtime, findUserPaths(invocation), config),
    rights: asAllowedBefore,
    // No one asks a worker for keys.
    source: {
      ...{ origins, file, readKeys: async () => config.server.keys },
      readBudgets: async () => (await readConfig(toConfigEnvironment(invocation))).config.budgets,
    },
    // No command asks a worker for runs of other machines.
    userElsewhere: undefined,
  })
  lost.notify = (loss) => drover.lose(loss)
  try {
    await work(invocation, { drover, ending, config, log, clock })
    return 0
  } finally {
    await stores.sessions.close()
  }
}

/** A worker has no clients, and no keys: a run is resumed with what a server allowed. Undefined if that is not known. */
const asAllowedBefore: Rights = (starter) =>
  starter.is === 'user' || starter.ceilings !== undefined ? starter : undefined

type Working = Pick<Parameters<typeof startServerLife>[0], 'drover' | 'ending' | 'config' | 'log' | 'clock'>

async function work({ runtime, flags }: Invocation, parts: Working): Promise<void> {
  const { drover } = parts
  const { terminal, drainMs = parts.config.work.drain_secs * 1000 } = runtime
  const signals = listenForSignals({
    isOnTerminal: terminal.err.isTty,
    reload: () => void drover.reloadBudgets(),
    closeSessions: () => drover.opened.sessions.close(),
  })
  const life = await startServerLife({ ...parts, cleansStore: false, takesWork: true })
  await terminal.out.write(`drover runs up to ${drover.slots.limit} prompts at the same time. Press Ctrl-C to stop.\n`)
  await terminal.err.write(agentsNotice(drover.agents.list(), { isQuiet: flags.isOn('quiet') }))
  for (const { warning, suggestion } of secretWarnings(findReadableSecrets(runtime.env, runtime.readableVariables))) {
    await terminal.err.write(`drover: warning: ${warning}; ${suggestion}\n`)
  }
  await Promise.race([signals.stopped, drover.worker?.drained])
  await terminal.err.write('drover: stopping; waiting for running prompts. Press Ctrl-C again to stop immediately.\n')
  await life.stop({ drainMs, endProcesses: () => endAllProcesses() })
}

type Facts = Pick<AgentLocation, 'backend' | 'isEnabled' | 'program' | 'isDemo'>

/** Which agents a worker has. One without agents gets no prompts, and nothing else would say why. Pure. */
export function agentsNotice(agents: readonly Facts[], { isQuiet }: { isQuiet: boolean }): string {
  const usable = agents.filter(({ isEnabled, program }) => isEnabled && program !== undefined)
  const names = usable.map(({ backend, isDemo }) => formatBackend({ backend, is_demo: isDemo }))
  if (names.length > 0) return isQuiet ? '' : `drover: agents of this machine: ${names.join(', ')}\n`
  return 'drover: warning: this machine has no agent, so it gets no prompts; "drover backends list" shows what is missing\n'
}
