/** The options of each call. Not every program is checked by TypeScript, and a misspelled option would go unnoticed. */
import { optionUnknown } from './faults.ts'
import type { BatchOptions, CallOptions, DroverOptions, FollowOptions, PromptOptions, ServeOptions } from './types.ts'

type Names<T> = Readonly<Record<keyof T, true>>

const CALL: Names<CallOptions> = { signal: true }
const BATCH: Names<BatchOptions> = { ...CALL, onEvent: true }

const KNOWN = {
  createDrover: {
    ...{ config: true, configFile: true, home: true, cwd: true, env: true },
    ...{ demo: true, warm: true, onWarning: true },
  } satisfies Names<DroverOptions>,
  prompt: { ...CALL, onApproval: true, deltas: true } satisfies Names<PromptOptions>,
  parallel: BATCH,
  chain: BATCH,
  compare: BATCH,
  keep: CALL,
  drive: CALL,
  act: CALL,
  follow: { ...CALL, after: true } satisfies Names<FollowOptions>,
  serve: { host: true, port: true, onLog: true } satisfies Names<ServeOptions>,
}

export type CallName = keyof typeof KNOWN

export function refuseUnknownOptions(call: CallName, options: object = {}): void {
  const known = Object.keys(KNOWN[call])
  const unknown = Object.keys(options).find((name) => !known.includes(name))
  if (unknown !== undefined) throw optionUnknown({ call, option: unknown, known })
}
