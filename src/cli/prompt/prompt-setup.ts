/** Creates the context in which the CLI runs prompts, and opens the sessions on demand. */
import type { Config } from '../../config/config.shape.ts'
import { type OpenedPrompts, type OpenPromptsOptions, openPrompts } from '../../executions/open-prompts.ts'
import type { Invocation } from '../command.ts'
import { toMessage } from '../output/printable.ts'
import { openUserStores } from '../sessions/open-sessions.ts'

export type PromptSetup = OpenedPrompts

export type SetupOptions = Pick<OpenPromptsOptions, 'atOnce' | 'keep' | 'createPool'> & {
  config: Config
  /** By default the flag `--demo` says so. */
  isDemo?: boolean
}

export function setUpPrompts(
  invocation: Invocation,
  { config, isDemo = invocation.flags.isOn('demo'), ...options }: SetupOptions,
): PromptSetup {
  const { runtime } = invocation
  return openPrompts({
    ...options,
    settings: config,
    env: runtime.env,
    cwd: runtime.cwd,
    isRoot: runtime.isRoot,
    clock: runtime.clock,
    demo: isDemo ? runtime.demoAgent : undefined,
    openStores: () => openUserStores(invocation, config),
    onWarning: (message) => void runtime.terminal.err.write(`drover: warning: ${toMessage(message)}\n`),
  })
}
