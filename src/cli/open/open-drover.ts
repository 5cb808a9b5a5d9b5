/** Drover in the process of a command. Stores are opened when they are needed. */
import type { Config } from '../../config/config.shape.ts'
import { type DroverParts, InProcessDrover } from '../../service/in-process.ts'
import { slotsOfUser } from '../../service/prompt-contexts.ts'
import type { Invocation } from '../command.ts'
import { toMessage } from '../output/printable.ts'
import { findUserPaths, sandboxPartsFor } from '../settings.ts'
import { openCommandStores } from './open-command-stores.ts'

export type OpenOptions = Partial<Pick<DroverParts, 'keep' | 'createPool' | 'privateFiles'>> & {
  config: Config
  /** By default the flag `--demo` says so. */
  isDemo?: boolean
  /** The number of agents that the command runs at the same time. */
  atOnce?: number | undefined
}

export function openDrover(
  invocation: Invocation,
  { config, isDemo = invocation.flags.isOn('demo'), atOnce, keep = 'none', createPool, privateFiles }: OpenOptions,
): InProcessDrover {
  const { env, cwd, isRoot, clock, demoAgent, terminal } = invocation.runtime
  return new InProcessDrover({
    ...{ settings: config, env, cwd, isRoot, clock, keep, createPool, privateFiles },
    demo: isDemo ? demoAgent : undefined,
    version: invocation.runtime.version,
    sandbox: sandboxPartsFor(invocation, config),
    slots: slotsOfUser(config, atOnce),
    worktrees: findUserPaths(invocation).worktrees,
    templates: findUserPaths(invocation).templates,
    projects: findUserPaths(invocation).projects,
    findMachineSandbox: async () => {
      const { findSandbox } = await import('../sandbox/find-sandbox.ts')
      return findSandbox(invocation.runtime, findUserPaths(invocation), config)
    },
    openStores: () => openCommandStores(invocation, config),
    observer: { sessionLeft: (message) => void terminal.err.write(`drover: warning: ${toMessage(message)}\n`) },
  })
}
