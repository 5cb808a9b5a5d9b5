/** `drover mcp`: an MCP server on stdin and stdout. */
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Writable } from 'node:stream'
import { StdioServerTransport, serveStdio } from '@modelcontextprotocol/server/stdio'
import type { Config } from '../../config/config.shape.ts'
import { createKeyRing } from '../../config/key-ring.ts'
import type { LoadedConfig } from '../../config/read-config.ts'
import { withDepth } from '../../kit/process/processes-around.ts'
import { endAllProcesses } from '../../kit/process/running-processes.ts'
import { userName } from '../../kit/user-name.ts'
import { createMcpServer, type ToolHost } from '../../mcp/mcp-server.ts'
import { USER } from '../../prompts/caller.ts'
import { digestOfSettings } from '../../service/local-protocol.ts'
import { createSocketDrover } from '../../service/over-socket.ts'
import { Ending, startServerLife } from '../../service/start-and-stop.ts'
import type { Invocation, RunCommand } from '../command.ts'
import { listenForInterruption } from '../interruption.ts'
import { askStatus } from '../local/local-server.ts'
import { callServer, sendToServer } from '../local/server-client.ts'
import { openCommandStores } from '../open/open-command-stores.ts'
import { explainProtocol } from '../read-input.ts'
import { createHttp } from '../serve/create-http.ts'
import { createServerLog } from '../serve/server-log.ts'
import { readSettings } from '../settings.ts'
import type { Channel } from '../terminal.ts'

export const run: RunCommand = async ({ runtime, ...given }) => {
  const invocation = { ...given, runtime: { ...runtime, env: withDepth(runtime.env) } }
  const loaded = await readSettings(invocation)
  const { config } = loaded
  using interruption = listenForInterruption()
  await using server = new ChosenServer(invocation, loaded)
  const findSocket = () => server.findSocket()
  await findSocket()
  await explainProtocol(invocation, { command: 'drover mcp', client: 'an MCP client', instead: 'drover prompt "TEXT"' })
  await serve(invocation, createToolHost(invocation, { config, findSocket, closing: interruption.signal }))
  return 0
}

type Serving = { config: Config; findSocket: () => Promise<string | undefined>; closing: AbortSignal }

/** The tools work for the user, in the server that is chosen for each call. */
function createToolHost(invocation: Invocation, { config, findSocket, closing }: Serving): ToolHost {
  const { runtime } = invocation
  return {
    by: USER,
    sender: { via: 'program', name: userName() },
    version: runtime.version(),
    defaultBackend: config.default_backend,
    waitSecs: config.server.mcp_wait_secs,
    closing,
    drover: createSocketDrover({
      settings: config,
      cwd: runtime.cwd,
      call: async (request) => await callServer(invocation, { ...request, socket: await findSocket() }),
      send: async (request) => await sendToServer(invocation, { ...request, socket: await findSocket() }),
    }),
  }
}

/** The user's server if it would do the same, and from the moment when it does not, one in this process. */
class ChosenServer implements AsyncDisposable {
  readonly #invocation: Invocation
  readonly #loaded: LoadedConfig
  #own: Promise<PrivateServer> | undefined

  constructor(invocation: Invocation, loaded: LoadedConfig) {
    this.#invocation = invocation
    this.#loaded = loaded
  }

  /** Undefined: the socket of the user's server. */
  async findSocket(): Promise<string | undefined> {
    if (this.#own === undefined && (await this.#isServed())) return undefined
    this.#own ??= startPrivateServer(this.#invocation, this.#loaded)
    return (await this.#own).socket
  }

  async #isServed(): Promise<boolean> {
    const { flags, runtime } = this.#invocation
    if (flags.isOn('direct') || flags.isOn('demo')) return false
    const status = await askStatus(this.#invocation).catch(() => undefined)
    return status?.version === runtime.version() && status.config === digestOfSettings(this.#loaded.config)
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await (await this.#own)?.[Symbol.asyncDispose]()
  }
}

/** Returns when the client has closed its end, or at a signal, and no call is running any more. */
async function serve({ runtime }: Invocation, host: ToolHost): Promise<void> {
  const running = new Set<Promise<unknown>>()
  const onCall = (call: Promise<unknown>) => {
    const ended = call.catch(() => undefined).finally(() => running.delete(ended))
    running.add(ended)
  }
  const stdin = runtime.stdin.stream()
  const { terminal } = runtime
  const handle = serveStdio(() => createMcpServer(host, onCall), {
    transport: new StdioServerTransport(stdin, toWritable(terminal.out)),
    onerror: (error) => void terminal.err.write(`drover: ${error.message}\n`),
  })
  const stopped = new AbortController()
  const events = ['end', 'close', 'error'].map((name) => once(stdin, name, { signal: stopped.signal }))
  const interrupted = once(host.closing, 'abort', { signal: stopped.signal })
  if (!host.closing.aborted) await Promise.race([...events, interrupted]).catch(() => undefined)
  stopped.abort()
  await Promise.allSettled([...events, interrupted])
  // A call whose client is gone still ends its agent.
  await Promise.all(running)
  await handle.close()
  stdin.destroy()
}

/** Standard output has one writer. */
function toWritable(channel: Channel): Writable {
  return new Writable({
    decodeStrings: false,
    write: (chunk, _encoding, done) => void channel.write(String(chunk)).then(() => done(), done),
  })
}

/** A server in this process, on a socket that only it uses: for clients of a user who runs no server. */
type PrivateServer = AsyncDisposable & { socket: string }

/** When it is disposed of, its agents are ended, and what they did is saved. */
async function startPrivateServer(invocation: Invocation, loaded: LoadedConfig): Promise<PrivateServer> {
  const { runtime } = invocation
  const { log, writeAccessLog } = await createServerLog(runtime, { isQuiet: true })
  const { config, origins, file } = loaded
  const stores = await openCommandStores(invocation, config)
  const ending = new Ending()
  const directory = mkdtempSync(join(tmpdir(), 'drover-mcp-'))
  const socket = join(directory, 'server.sock')
  const http = await createHttp(invocation, {
    ...{ config, stores, log, writeAccessLog, ...ending.signals },
    keys: createKeyRing({ isRequired: false }),
    // No tool asks for them.
    source: { origins, file, readKeys: async () => config.server.keys, readBudgets: async () => config.budgets },
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
