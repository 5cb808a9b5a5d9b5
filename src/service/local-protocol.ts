/** What the commands of a user and the server of that user send each other over the local socket, under `/local`. */
import type { Config } from '../config/config.shape.ts'
import type { DriveBegin } from '../drive/drive-rounds.ts'
import type { DriveStartRequest } from '../drive/service/run-starter.ts'
import type { GivenOptions } from '../drive/start/drive-options.ts'
import { digest } from '../kit/digest.ts'
import type { FaultKind } from '../kit/fault.ts'
import type { PromptEvent } from '../prompts/prompt-event.ts'
import type { PromptRequest } from '../prompts/prompt-request.ts'
import type { PromptResult } from '../prompts/prompt-result.ts'

/** What a command brings: its environment, its directory, and whether the demo agent may take the place of missing ones. */
export type LocalCaller = { env: Record<string, string>; cwd: string; is_demo?: boolean }

/** A prompt as the command would run it itself. */
export type LocalPrompt = LocalIdentity & LocalCaller & { request: PromptRequest }

/** A run that the command has prepared, and that the server drives as the command would. */
export type LocalDrive = Required<LocalCaller> & {
  run_id: string
  repository: string
  begin: Omit<DriveBegin, 'optionsFrom'>
  given: GivenOptions
  notify?: string
}

/** A run that a watcher of the user starts. */
export type LocalStart = LocalCaller & { request: DriveStartRequest & { runId: string } }

/** How it continues one that waits for a person. */
export type LocalResume = LocalCaller & { text?: string }

/** A server with the same version and configuration runs a prompt in the same way. */
type LocalIdentity = { version: string; config: string }

/** The lines of the answer: the id, then events, then a result or a fault. Or one refusal. */
export type LocalReply =
  | { refused: string }
  | { execution: string }
  | { event: PromptEvent }
  | { result: PromptResult }
  | { fault: { code: string; kind: FaultKind; message: string; details: unknown } }
  | { waiting: true }

/** What a server reports about itself. */
export type LocalStatus = LocalIdentity & {
  pid: number
  /** Started by `drover up`: it has no address, and ends by itself. */
  is_background: boolean
  /** The config file that `--config` or `DROVER_CONFIG` named when it was started. */
  config_file?: string
  running: number
  /** A digest of each setting, by its name. An older server does not send them. */
  settings?: Readonly<Record<string, string>>
  warm: readonly { backend: string; state: string; turns: number }[]
}

/** Where the console is; with a separate key that works once, if the server has API keys. Null if there is none. */
export type ConsoleLink = { url: string | null; is_one_time: boolean }

/** Two configurations with the same digest run a prompt in the same way. */
export function digestOfSettings(config: Config): string {
  return digest(JSON.stringify(settingsOfPrompts(config)))
}

/** A digest of each setting, by its name: what differs can be named without showing a value. */
export function digestSettings(config: Config): Record<string, string> {
  const named = listValues(settingsOfPrompts(config)).map(([name, value]) => [name, digest(JSON.stringify(value))])
  return Object.fromEntries(named)
}

/** The names of the settings that differ. Undefined: the server does not say. */
export function differingSettings({ settings }: Pick<LocalStatus, 'settings'>, config: Config): string[] | undefined {
  if (settings === undefined) return undefined
  const own = digestSettings(config)
  const names = new Set([...Object.keys(own), ...Object.keys(settings)])
  return [...names].filter((name) => own[name] !== settings[name]).sort()
}

function settingsOfPrompts({ output: _, server, ...settings }: Config) {
  const { allow_unsafe_extra, max_concurrent_runs } = server
  return { ...settings, server: { allow_unsafe_extra, max_concurrent_runs } }
}

function listValues(section: object, prefix = ''): [string, unknown][] {
  return Object.entries(section).flatMap(([key, value]): [string, unknown][] => {
    const isSection = typeof value === 'object' && value !== null && !Array.isArray(value)
    return isSection ? listValues(value, `${prefix}${key}.`) : [[`${prefix}${key}`, value ?? null]]
  })
}
