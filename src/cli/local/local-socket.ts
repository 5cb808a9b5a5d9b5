/** The socket through which the commands of a user reach the server of that user: one JSON object per line. */
import { join } from 'node:path'
import type { Config } from '../../config/config.shape.ts'
import { findPaths } from '../../config/paths.ts'
import { digest } from '../../kit/digest.ts'
import type { FaultKind } from '../../kit/fault.ts'
import type { PromptEvent } from '../../prompts/prompt-event.ts'
import type { PromptRequest } from '../../prompts/prompt-request.ts'
import type { PromptResult } from '../../prompts/prompt-result.ts'
import type { Invocation } from '../command.ts'
import { configEnvironmentOf } from '../settings.ts'

/** Longer than every prompt with its environment. */
export const LINE_LIMIT_BYTES = 64 * 1024 * 1024

/** The first line of a client. */
export type LocalCall = { version: string; config: string } & (
  | { call: 'prompt'; request: PromptRequest; env: Record<string, string>; cwd: string }
  | { call: 'status' | 'stop' }
)

/** What a server tells about itself. */
export type LocalStatus = {
  pid: number
  version: string
  /** Whether it also serves HTTP; otherwise it ends by itself. */
  isBackground: boolean
  running: number
  warm: readonly { backend: string; state: string; turns: number }[]
}

/** The lines of a server. After `accepted` come events, then a result or a fault. */
export type LocalReply =
  | { accepted: true }
  | { refused: string }
  | { event: PromptEvent }
  | { result: PromptResult }
  | { fault: { code: string; kind: FaultKind; message: string; details: unknown } }
  | { status: LocalStatus }

export function localSocketPath(invocation: Invocation): string {
  return join(findPaths(configEnvironmentOf(invocation)).directory, 'server.sock')
}

/** Two processes with the same digest run a prompt in the same way. */
export function digestOfSettings(config: Config): string {
  const { output: _, server, ...settings } = config
  const { allow_unsafe_extra: isUnsafeExtraAllowed, max_concurrent_runs: limit } = server
  return digest(JSON.stringify({ ...settings, isUnsafeExtraAllowed, limit }))
}
