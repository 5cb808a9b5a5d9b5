/** Runs prompts from the queue of a PostgreSQL store, without serving requests. */
import { sweepScratch } from '../../agents/scratch-files.ts'
import { createKeyRing } from '../../config/key-ring.ts'
import { loseOwner } from '../../http/context/lose-owner.ts'
import type { ServerContext } from '../../http/context/server-context.ts'
import { workPromptsFor } from '../../http/response/prompts-of.ts'
import { secretWarnings } from '../../http/security-warnings.ts'
import { findReadableSecrets } from '../../kit/process/readable-secrets.ts'
import { endAllProcesses } from '../../kit/process/running-processes.ts'
import type { Invocation, Run } from '../command.ts'
import { openUserStores } from '../sessions/open-sessions.ts'
import { readSettings } from '../settings.ts'
import { refusePassword } from '../store/refuse-password.ts'
import { agentsNotice } from './agents-notice.ts'
import { contextOf } from './context-of.ts'
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
  const { log, writeAccessLog } = await createServerLog(runtime, { isQuiet: flags.isOn('quiet') })
  const lost: Losses = { notify: () => {} }
  const stores = await openUserStores(invocation, config, { onLost: (loss) => lost.notify(loss) })
  sweepScratch()
  const [shutdown, drainDeadline] = [new AbortController(), new AbortController()]
  const context = contextOf(invocation, {
    ...{ config, stores, log, writeAccessLog, shutdown: shutdown.signal, drainDeadline: drainDeadline.signal },
    // It has no clients. Servers decide what a key allows.
    keys: createKeyRing({ isRequired: false }),
  })
  lost.notify = (loss) => loseOwner(context, loss)
  try {
    await work(invocation, context, { shutdown, drainDeadline })
    return 0
  } finally {
    await stores.sessions.close()
  }
}

type Ending = { shutdown: AbortController; drainDeadline: AbortController }

async function work(
  { runtime, flags }: Invocation,
  context: ServerContext,
  { shutdown, drainDeadline }: Ending,
): Promise<void> {
  const { store, worker, executions, prompts, runs, background } = context
  const { terminal, drainMs = DRAIN_MS } = runtime
  const signals = listenForSignals({
    isOnTerminal: terminal.err.isTty,
    reload: () => {},
    closeSessions: () => store.close(),
  })
  await runs.continueAll(workPromptsFor(context))
  await worker?.start(prompts)
  const { slots } = prompts
  await terminal.out.write(`drover works on ${slots.limit} prompts at once. Press Ctrl+C to stop.\n`)
  await terminal.err.write(agentsNotice(context.agents.list(), { isQuiet: flags.isOn('quiet') }))
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
  await worker?.stop()
  await background.idle()
  await runs.close()
  clearTimeout(deadline)
  await prompts.warm?.close()
  await executions.close()
}
