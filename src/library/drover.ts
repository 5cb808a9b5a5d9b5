/** Runs prompts on coding agents from a Node program: `import { createDrover } from 'drover'`. */
import { USER } from '../prompts/caller.ts'
import { DroverError, throwingDroverErrors, toDroverError } from './drover-error.ts'
import { EventRun } from './event-run.ts'
import { Instance } from './instance.ts'
import { refuseUnknownOptions } from './known-options.ts'
import type { ActRequest, DriveRequest } from './messages.generated.ts'
import { requireNode } from './package.ts'
import { promptCalls } from './run-prompts.ts'
import type {
  ActResult,
  CallOptions,
  DriveRecord,
  DriveResult,
  DriveRun,
  Drover,
  DroverOptions,
  RunningServer,
  ServeOptions,
} from './types.ts'
import { executionCalls, runCalls, sessionCalls } from './user-calls.ts'

requireNode()

export type * from './error-codes.generated.ts'
export type * from './messages.generated.ts'
export type * from './types.ts'
export { DroverError }

/**
 * Creates a drover. Nothing is read or started before the first call, and two of them share nothing but the files of the
 * user. Close it at the end, or declare it with `await using`.
 *
 * @example
 * await using drover = createDrover()
 * const { output } = await drover.prompt('What does this repository do?').result
 */
export function createDrover(options: DroverOptions = {}): Drover {
  checkOptions(options)
  const instance = new Instance(options)
  const close = () => instance.close()
  return {
    ...promptCalls(instance),
    sessions: sessionCalls(instance),
    executions: executionCalls(instance),
    runs: runCalls(instance),
    budgets: () => throwingDroverErrors(async () => await (await instance.open()).drover.budgets.list(USER)),
    drive: (request, options) => startDrive(instance, request, options),
    act: (request, options) => actOnRun(instance, request, options),
    serve: (options) => startServer(instance, options),
    close,
    [Symbol.asyncDispose]: close,
  }
}

/** A promise cannot be rejected here: the caller gets the error at once. */
function checkOptions(options: DroverOptions): void {
  try {
    refuseUnknownOptions('createDrover', options)
  } catch (error) {
    throw toDroverError(error)
  }
}

/** The change half of drover is loaded by the first call. */
function startDrive(instance: Instance, request: string | DriveRequest, options: CallOptions = {}): DriveRun {
  const given = typeof request === 'string' ? { goal: request } : request
  const run = new EventRun<DriveRecord, DriveResult>(
    (emit, signal) =>
      throwingDroverErrors(async () => {
        refuseUnknownOptions('drive', options)
        const { drive } = await import('./drive-in-program.ts')
        return await drive(await instance.open(), given, { emit, signal })
      }),
    options.signal,
  )
  return instance.track(run)
}

async function actOnRun(instance: Instance, request: ActRequest, options: CallOptions = {}): Promise<ActResult> {
  return await throwingDroverErrors(async () => {
    refuseUnknownOptions('act', options)
    const { act } = await import('./act-in-program.ts')
    return await act(await instance.open(), request, options.signal ?? new AbortController().signal)
  })
}

/** The server is loaded by the first call. */
async function startServer(instance: Instance, options: ServeOptions = {}): Promise<RunningServer> {
  return await throwingDroverErrors(async () => {
    refuseUnknownOptions('serve', options)
    const opened = await instance.open()
    const { serve } = await import('./serve-in-program.ts')
    const server = await serve(opened, options)
    const forget = instance.onClose(() => server.close())
    return { url: server.url, close: () => server.close().finally(forget) }
  })
}
