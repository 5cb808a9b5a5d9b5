import { createContext, type ServerInputs } from '../../http/context/create-context.ts'
import type { ServerContext } from '../../http/context/server-context.ts'
import type { Invocation } from '../command.ts'
import { findUserPaths, privateFilesFor } from '../settings.ts'

type Required = 'config' | 'keys' | 'stores' | 'log' | 'writeAccessLog' | 'shutdown' | 'drainDeadline'
type Optional = 'isWorker' | 'logsPrompts' | 'consoleDirectory' | 'loginsFile'

/** The context of a server or a worker that this command starts. */
export function createServerContext(
  invocation: Invocation,
  parts: Pick<ServerInputs, Required> & Partial<Pick<ServerInputs, Optional>>,
): ServerContext {
  const { flags, runtime } = invocation
  const paths = findUserPaths(invocation)
  return createContext({
    version: runtime.version(),
    // A copy, because process.env asks the system for each variable, and every prompt reads all of them.
    env: { ...runtime.env },
    cwd: runtime.cwd,
    isRoot: runtime.isRoot,
    clock: runtime.clock,
    demo: flags.isOn('demo') ? runtime.demoAgent : undefined,
    demoAgent: runtime.demoAgent,
    directories: paths,
    privateFiles: privateFilesFor(invocation),
    jsonThread: runtime.jsonThread,
    logsPrompts: false,
    ...parts,
  })
}
