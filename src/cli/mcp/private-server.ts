/** A server in this process, on a socket that only it uses: for clients of a user who runs no server. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Config } from '../../config/config.shape.ts'
import { createKeyRing } from '../../config/key-ring.ts'
import { endAllProcesses } from '../../kit/process/running-processes.ts'
import { Ending, startServerLife } from '../../service/start-and-stop.ts'
import type { Invocation } from '../command.ts'
import { openCommandStores } from '../open/open-command-stores.ts'
import { createHttp } from '../serve/create-http.ts'
import { createServerLog } from '../serve/server-log.ts'

export type PrivateServer = AsyncDisposable & { socket: string }

/** When it is disposed of, its agents are ended, and what they did is saved. */
export async function startPrivateServer(invocation: Invocation, config: Config): Promise<PrivateServer> {
  const { runtime } = invocation
  const { log, writeAccessLog } = await createServerLog(runtime, { isQuiet: true })
  const stores = await openCommandStores(invocation, config)
  const ending = new Ending()
  const directory = mkdtempSync(join(tmpdir(), 'drover-mcp-'))
  const socket = join(directory, 'server.sock')
  const http = await createHttp(invocation, {
    ...{ config, stores, log, writeAccessLog, ...ending.signals },
    keys: createKeyRing({ isRequired: false }),
    isWorker: false,
    localSocket: socket,
  })
  const life = await startServerLife({
    ...{ drover: http.drover, face: http, ending, config, log, clock: runtime.clock },
    cleansStore: false,
    takesWork: false,
  })
  return {
    socket,
    async [Symbol.asyncDispose]() {
      await life.stop({ drainMs: 0, endProcesses: () => endAllProcesses() })
      await stores.sessions.close()
      rmSync(directory, { recursive: true, force: true })
    },
  }
}
