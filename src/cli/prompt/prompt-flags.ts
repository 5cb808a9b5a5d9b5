/** How the prompt commands are asked for an agent's run, in flags. */
import { statSync } from 'node:fs'
import { resolve } from 'node:path'
import type { ApprovalMode, SandboxMode } from '../../agents/adapter/agent.ts'
import type { Config } from '../../config/config.shape.ts'
import type { LoadedConfig } from '../../config/read-config.ts'
import type { PromptRequest } from '../../prompts/prompt-request.shape.ts'
import type { Invocation } from '../command.ts'
import { workdirMissing } from '../faults.ts'

export type Format = 'text' | 'json' | 'stream-json' | 'raw'

/** A person wants the answer; the configured format counts once somebody has set it. */
export function formatOf({ flags }: Invocation, { config, origins }: Pick<LoadedConfig, 'config' | 'origins'>): Format {
  if (flags.isOn('raw')) return 'raw'
  const isSet = origins['output.format'].from !== 'default'
  const asked = flags.text('output-format') ?? (isSet ? config.output.format : 'text')
  return asked === 'json' || asked === 'stream-json' ? asked : 'text'
}

/** Pieces of text are wanted where they are shown as they come. */
export function wantsDeltas({ runtime }: Invocation, format: Format): boolean {
  return format === 'stream-json' || (format === 'text' && runtime.terminal.out.isTty)
}

/** What the flags say of a prompt, without the prompt itself. */
export function requestOf({ flags, runtime }: Invocation): Omit<PromptRequest, 'backend' | 'prompt'> {
  const asked = {
    model: flags.text('model'),
    workdir: workdirOf(runtime.cwd, flags.text('workdir')),
    approval_mode: flags.text('approval') as ApprovalMode | undefined,
    sandbox_mode: flags.text('sandbox') as SandboxMode | undefined,
    max_turns: flags.integer('max-turns'),
    system_prompt: flags.text('system'),
    verbose: flags.isOn('verbose') || undefined,
    extra: flags.texts('extra').length === 0 ? undefined : [...flags.texts('extra')],
    timeout_secs: flags.integer('timeout'),
    ephemeral: flags.isOn('ephemeral') || undefined,
    dry_run: flags.isOn('dry-run') || undefined,
  }
  return Object.fromEntries(Object.entries(asked).filter(([, value]) => value !== undefined))
}

function workdirOf(cwd: string, given: string | undefined): string | undefined {
  if (given === undefined) return undefined
  const workdir = resolve(cwd, given)
  if (statSync(workdir, { throwIfNoEntry: false })?.isDirectory() !== true) throw workdirMissing({ workdir })
  return workdir
}

/** What is shown of the cost of a prompt. */
export function costOptions({ flags }: Invocation, { output }: Config): { showTokens: boolean; showTiming: boolean } {
  return { showTokens: output.show_tokens || flags.isOn('usage'), showTiming: output.show_timing }
}
