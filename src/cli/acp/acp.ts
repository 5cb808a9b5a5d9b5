/** `drover acp`: drover as an agent for editors. Standard output carries only the protocol. */
import { EditorAgent } from '../../acp/editor-agent.ts'
import { toWarmLimits } from '../../agents/pool/pool-rules.ts'
import { WarmPool } from '../../agents/pool/warm-pool.ts'
import { createJsonRpcPeer } from '../../agents/warm/json-rpc.ts'
import type { Config } from '../../config/config.shape.ts'
import type { Caller } from '../../prompts/caller.ts'
import { ceilingsFor } from '../../service/ceilings-for.ts'
import type { InProcessDrover } from '../../service/in-process.ts'
import type { Invocation, RunCommand } from '../command.ts'
import { exitCodeOfSignal, listenForInterruption } from '../interruption.ts'
import { openDrover } from '../open/open-drover.ts'
import { toMessage } from '../output/printable.ts'
import { explainProtocol } from '../read-input.ts'
import { privateFilesFor, readSettings } from '../settings.ts'

export const run: RunCommand = async (invocation) => {
  const { runtime } = invocation
  const { config } = await readSettings(invocation)
  using interruption = listenForInterruption()
  await using drover = openDrover(invocation, {
    ...{ config, keep: 'events', createPool: poolFor(config) },
    privateFiles: privateFilesFor(invocation),
  })
  const agent = createAgent(invocation, config, { drover, by: toEditor(config) })
  const input = runtime.stdin.stream()
  const peer = createJsonRpcPeer(
    { stdout: input, stdin: { write: async (text) => void (await runtime.terminal.out.write(text)) } },
    {
      onRequest: (method, params, signal) => agent.answer(method, params, signal),
      onNotification: (method, params) => agent.notified(method, params),
      onWarning: (text) => warn(invocation, text),
    },
    { hasVersion: true },
  )
  agent.connect(peer)
  await explainProtocol(invocation, { command: 'drover acp', client: 'an editor', instead: 'drover chat' })
  const aborted = new Promise<void>((resolve) => interruption.signal.addEventListener('abort', () => resolve()))
  await Promise.race([peer.closed, aborted])
  await agent.close()
  // An open stream would keep the process alive.
  input.destroy()
  const by = interruption.by()
  return by === undefined ? 0 : exitCodeOfSignal(by)
}

/** Only an agent that stays up can ask. */
function poolFor({ warm }: Config) {
  if (!warm.enabled) return undefined
  const limits = toWarmLimits({ ...warm, spares: 0 })
  return (owner: () => Promise<string | undefined>) =>
    new WarmPool({ limits, owner, onFailure: () => {}, startsAtOnce: true })
}

/** An editor names directories and modes, so it has the limits of a client. */
function toEditor({ server }: Config): Caller {
  return { is: 'user', isConfined: true, ceilings: ceilingsFor({ server, key: undefined, isOpen: false }) }
}

type Served = { drover: InProcessDrover; by: Caller }

function createAgent(invocation: Invocation, config: Config, served: Served): EditorAgent {
  const { runtime, flags } = invocation
  const told = new Set<string>()
  return new EditorAgent({
    served,
    version: runtime.version(),
    defaultBackend: flags.text('backend') ?? config.default_backend,
    backends: () =>
      served.drover.agents
        .list()
        .filter(({ isEnabled, program }) => isEnabled && program !== undefined)
        .map(({ backend }) => backend),
    // Most warnings are about the settings, and are the same for every turn.
    onWarning(text) {
      if (!told.has(text)) warn(invocation, text)
      told.add(text)
    },
  })
}

function warn({ runtime }: Invocation, text: string): void {
  void runtime.terminal.err.write(`drover: warning: ${toMessage(text)}\n`)
}
