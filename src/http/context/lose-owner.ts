import { setTimeout as sleep } from 'node:timers/promises'
import type { Loss } from '../../executions/store/open-stores.ts'
import type { ServerContext } from './server-context.ts'

const ASK_AGAIN_MS = 1000

const REASONS: Readonly<Record<Loss, string>> = {
  taken: 'other machines took this process for dead, so what ran here is ended',
  silent: 'the store gives no answer, so what ran here is ended: other machines may take over',
}

type Losing = Pick<ServerContext, 'runs' | 'executions' | 'store' | 'shutdown' | 'log'>

/** Other machines have taken over, or may have: what ran here is ended. Driven runs go on as after a restart. */
export function loseOwner(context: Losing, loss: Loss): void {
  const { runs, executions, log } = context
  log.error({}, REASONS[loss])
  // First, so that drivers see an interruption and not agents that were cancelled.
  const restarted = runs.restart(() => storeAnswers(context))
  executions.loseOwner()
  restarted.catch((error: unknown) => log.error({ reason: String(error) }, 'driven runs could not go on'))
}

/** Resolves when something can be stored, or when the server stops. */
async function storeAnswers({ store, shutdown }: Losing): Promise<void> {
  while (!shutdown.aborted) {
    try {
      return await store.checkWritable()
    } catch {
      await sleep(ASK_AGAIN_MS, undefined, { ref: false })
    }
  }
}
