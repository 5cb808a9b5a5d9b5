/** Opens the boundary that an agent is started in. */
import { mkdtempSync, realpathSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Fault } from '../../kit/fault.ts'
import type { ProcessExit } from '../../kit/process/process.ts'
import type { BoundaryEvent } from '../../sandbox/boundary-report.ts'
import { createCaches } from '../../sandbox/create-caches.ts'
import { explainFailure } from '../../sandbox/explain-failure.ts'
import { sandboxUnavailable } from '../../sandbox/faults.ts'
import { type Boundary, openBoundary } from '../../sandbox/open-boundary.ts'
import type { AgentCommand, AgentRequest } from '../adapter/agent.ts'
import { NO_NEEDS } from '../adapter/boundary-needs.ts'
import type { BoundaryPlan } from '../adapter/boundary-plan.ts'
import { userHome } from '../adapter/surroundings.ts'
import { toAgentPolicy, toInnerArgv, toInnerEnvironment } from './agent-policy.ts'
import { stageHome } from './stage-home.ts'

export type AgentBoundary = {
  /** For `startProcess`. */
  command: Boundary['command']
  /** Call it before each turn but the first. */
  beginTurn(): void
  /** Keeps a login that the agent has refreshed, and what it has committed. Call it after each turn. A limit that it exceeds is an event. */
  endTurn(): Promise<void>
  /** Why the agent was not started; undefined if it was. */
  failureOf(exit: Pick<ProcessExit, 'stderrTail'>): Fault | undefined
  /** Call it when nothing runs inside any more. */
  close(): Promise<void>
}

/** Throws a Fault of the sandbox. Call it when the scratch directory is written. */
export async function openAgentBoundary(
  request: AgentRequest,
  command: Pick<AgentCommand, 'argv' | 'env'> & { plan: BoundaryPlan },
  onEvent: (event: BoundaryEvent) => void,
): Promise<AgentBoundary> {
  const { agent, env: given, workdir } = request
  const { plan } = command
  const needs = agent.boundaryNeeds?.({ env: given, workdir }) ?? NO_NEEDS
  const home = realpathSync.native(userHome(given))
  const directory = realpathSync.native(mkdtempSync(join(tmpdir(), 'drover-home-')))
  const remove = () => rmSync(directory, { recursive: true, force: true })
  try {
    const staged = stageHome(needs, { home, directory })
    const argv = toInnerArgv(command.argv)
    const caches = createCaches(plan.worktree, { droverHome: plan.droverHome, home, names: plan.caches })
    const stages = [...staged.stages, ...caches]
    const policy = toAgentPolicy(request, { plan, needs, home, stages, argv })
    const { env, names } = toInnerEnvironment(command, { given, plan, needs })
    const { programs } = plan
    const inside = { ...policy, env: names }
    const boundary = await openBoundary({ argv, cwd: workdir, env, policy: inside, programs, onEvent })
    return {
      command: boundary.command,
      beginTurn: boundary.bringIn,
      async endTurn() {
        staged.endTurn()
        await boundary.settle()
      },
      failureOf: ({ stderrTail }) =>
        boundary.hasStarted() ? undefined : sandboxUnavailable({ problem: explainFailure(stderrTail) }),
      async close() {
        staged.endTurn()
        await boundary.close()
        remove()
      },
    }
  } catch (error) {
    remove()
    throw error
  }
}
