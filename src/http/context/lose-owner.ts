import type { ServerContext } from './server-context.ts'

/** Other machines took this process for dead: what it ran is ended, and its driven runs go on as after a restart. */
export function loseOwner({ runs, executions, log }: Pick<ServerContext, 'runs' | 'executions' | 'log'>): void {
  // First, so that drivers see an interruption and not agents that were cancelled.
  const restarted = runs.restart()
  executions.loseOwner()
  restarted.catch((error: unknown) => log.error({ reason: String(error) }, 'driven runs could not go on'))
}
