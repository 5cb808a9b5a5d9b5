/** A server in this process, on a socket that only it uses: for clients of a user who runs no server. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Config } from '../../config/config.shape.ts'
import { createKeyRing } from '../../config/key-ring.ts'
import { drain } from '../../http/drain.ts'
import { listen } from '../../http/listen.ts'
import { createServer } from '../../http/server.ts'
import { endAllProcesses } from '../../kit/process/running-processes.ts'
import { Ending, startServerLife } from '../../service/server-life.ts'
import type { Invocation } from '../command.ts'
import { createServerContext } from '../serve/create-server-context.ts'
import { createServerLog } from '../serve/server-log.ts'
import { openUserStores } from '../sessions/open-sessions.ts'

const GRACE_MS = 3000

export type PrivateServer = AsyncDisposable & { socket: string }

/** When it is disposed of, its agents are ended, and what they did is saved. */
export async function startPrivateServer(invocation: Invocation, config: Config): Promise<PrivateServer> {
  const { runtime } = invocation
  const { log, writeAccessLog } = await createServerLog(runtime, { isQuiet: true })
  const stores = await openUserStores(invocation, config)
  const ending = new Ending()
  const context = createServerContext(invocation, {
    ...{ config, stores, log, writeAccessLog, ...ending.signals },
    keys: createKeyRing({ isRequired: false }),
    isWorker: false,
  })
  const server = await createServer(context)
  const directory = mkdtempSync(join(tmpdir(), 'drover-mcp-'))
  const socket = join(directory, 'server.sock')
  const { drover } = context
  const life = await startServerLife({
    ...{ drover, ending, config, log, clock: runtime.clock },
    open: async () => void (await listen(server.localListener, { socket })),
    cleansStore: false,
    takesWork: false,
  })
  return {
    socket,
    async [Symbol.asyncDispose]() {
      const limits = { drainMs: 0, graceMs: GRACE_MS }
      await life.stop({
        drain: (endAgents) => drain(server, limits, endAgents),
        endProcesses: () => endAllProcesses(),
      })
      await stores.sessions.close()
      rmSync(directory, { recursive: true, force: true })
    },
  }
}
