/** Runs prompts from the queue of a PostgreSQL store, without serving requests. */
import { sweepScratch } from '../../agents/scratch-files.ts'
import { findPaths, privateFilesOf } from '../../config/paths.ts'
import type { Rights } from '../../drive/service/run-starter.ts'
import { secretWarnings } from '../../http/security-warnings.ts'
import { findReadableSecrets } from '../../kit/process/readable-secrets.ts'
import { endAllProcesses } from '../../kit/process/running-processes.ts'
import { USER } from '../../prompts/caller.ts'
import { ServedDrover } from '../../service/served.ts'
import type { Invocation, Run } from '../command.ts'
import { openUserStores } from '../sessions/open-sessions.ts'
import { configEnvironmentOf, readSettings } from '../settings.ts'
import { refusePassword } from '../store/refuse-password.ts'
import { agentsNotice } from './agents-notice.ts'
import { storeNotShared } from './faults.ts'
import type { Losses } from './serve.ts'
import { createServerLog } from './server-log.ts'
import { listenForSignals } from './server-signals.ts'

const DRAIN_MS = 30_000

export const run: Run = async (invocation) => {
  const { flags, runtime } = invocation
  refusePassword('--store', flags.text('store'))
  const { config } = await readSettings(invocation, [{ key: 'store.url', flag: '--store', value: flags.text('store') }])
  if (config.store.url === 'sqlite:') throw storeNotShared({ command: 'drover work' })
  const { log } = await createServerLog(runtime, { isQuiet: flags.isOn('quiet') })
  const lost: Losses = { notify: () => {} }
  const stores = await openUserStores(invocation, config, { onLost: (loss) => lost.notify(loss) })
  sweepScratch()
  const [shutdown, drainDeadline] = [new AbortController(), new AbortController()]
  const { env, cwd, isRoot, clock, demoAgent } = runtime
  const paths = findPaths(configEnvironmentOf(invocation))
  const drover = new ServedDrover({
    ...{ config, stores, log, env, cwd, isRoot, clock, demoAgent, version: runtime.version() },
    ...{ shutdown: shutdown.signal, drainDeadline: drainDeadline.signal },
    demo: flags.isOn('demo') ? demoAgent : undefined,
    directories: paths,
    privateFiles: privateFilesOf(paths, { cwd, keysFile: env['DROVER_API_KEYS_FILE'] }),
    rights: asAllowedBefore,
    // No command asks a worker for runs of other machines.
    userElsewhere: USER,
  })
  lost.notify = (loss) => drover.lose(loss)
  try {
    await work(invocation, drover, { shutdown, drainDeadline })
    return 0
  } finally {
    await stores.sessions.close()
  }
}

/** A worker has no clients, and no keys: a run is resumed with what a server allowed. Undefined if that is not known. */
const asAllowedBefore: Rights = (starter) =>
  starter.is === 'user' || starter.ceilings !== undefined ? starter : undefined

type Ending = { shutdown: AbortController; drainDeadline: AbortController }

async function work(
  { runtime, flags }: Invocation,
  drover: ServedDrover,
  { shutdown, drainDeadline }: Ending,
): Promise<void> {
  const { terminal, drainMs = DRAIN_MS } = runtime
  const signals = listenForSignals({
    isOnTerminal: terminal.err.isTty,
    reload: () => {},
    closeSessions: () => drover.opened.sessions.close(),
  })
  await drover.begin()
  await terminal.out.write(`drover works on ${drover.slots.limit} prompts at once. Press Ctrl+C to stop.\n`)
  await terminal.err.write(agentsNotice(drover.agents.list(), { isQuiet: flags.isOn('quiet') }))
  for (const { warning, suggestion } of secretWarnings(findReadableSecrets(runtime.env, runtime.readableVariables))) {
    await terminal.err.write(`drover: warning: ${warning}; ${suggestion}\n`)
  }
  await signals.stopped
  await terminal.err.write('drover: stopping; waiting for running prompts. Press Ctrl+C again to stop at once.\n')
  const deadline = setTimeout(() => {
    drainDeadline.abort()
    void endAllProcesses()
  }, drainMs)
  // Driven runs are interrupted, and go on when a worker starts here again.
  shutdown.abort()
  await drover.worker?.stop()
  await drover.background.idle()
  await drover.runs.close()
  clearTimeout(deadline)
  await drover.warm?.close()
  await drover.records.close()
}
