/** `drover acp`: drover as an agent for editors. Standard output carries only the protocol. */
import { AcpAgent } from '../../acp/acp-agent.ts'
import { locateAgents } from '../../agents/locate-agents.ts'
import { toWarmLimits } from '../../agents/pool/warm-limits.ts'
import { WarmPool } from '../../agents/pool/warm-pool.ts'
import { createJsonRpcPeer } from '../../agents/warm/json-rpc.ts'
import type { Config } from '../../config/config.shape.ts'
import type { OpenedPrompts } from '../../executions/open-prompts.ts'
import { ceilingsFor } from '../../http/context/ceilings.ts'
import { createWorkdirPolicy } from '../../prompts/workdir-policy.ts'
import type { Invocation, Run } from '../command.ts'
import { exitCodeOfSignal, listenForInterruption } from '../interruption.ts'
import { toMessage } from '../output/printable.ts'
import { explainProtocol } from '../output/protocol-hint.ts'
import { setUpPrompts } from '../prompt/prompt-setup.ts'
import { readSettings } from '../settings.ts'

export const run: Run = async (invocation) => {
  const { runtime } = invocation
  const { config } = await readSettings(invocation)
  using interruption = listenForInterruption()
  await using setup = setUpPrompts(invocation, { config, keep: 'events', createPool: poolFor(invocation, config) })
  const agent = createAgent(invocation, config, limited(setup, config))
  const input = runtime.stdin.stream()
  const peer = createJsonRpcPeer(
    { stdout: input, stdin: { write: async (text) => void (await runtime.terminal.out.write(text)) } },
    {
      onRequest: (method, params) => agent.answer(method, params),
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

/** Only an agent that stays up can ask. The demo agent does not stay up. */
function poolFor({ flags }: Invocation, { warm }: Config) {
  if (!warm.enabled || flags.isOn('demo')) return undefined
  const limits = toWarmLimits({ ...warm, spares: 0 })
  return (owner: () => Promise<string | undefined>) =>
    new WarmPool({ limits, owner, onFailure: () => {}, startsAtOnce: true })
}

/** An editor names directories and modes, so it has the limits of a client. */
function limited(setup: OpenedPrompts, { server }: Config): OpenedPrompts {
  const workdirs = createWorkdirPolicy({
    allowed: server.allowed_workdir_prefixes,
    blocked: server.blocked_workdir_prefixes,
  })
  const ceilings = ceilingsFor({ server, key: undefined, isOpen: false })
  return { ...setup, context: { ...setup.context, workdirs, ceilings } }
}

function createAgent(invocation: Invocation, config: Config, prompts: OpenedPrompts): AcpAgent {
  const { runtime, flags } = invocation
  const places = { ...runtime, backends: config.backends, demo: flags.isOn('demo') ? runtime.demoAgent : undefined }
  return new AcpAgent({
    prompts,
    version: runtime.version(),
    defaultBackend: flags.text('backend') ?? config.default_backend,
    backends: () =>
      locateAgents(places)
        .filter(({ isEnabled, program }) => isEnabled && program !== undefined)
        .map(({ backend }) => backend),
    onWarning: (text) => warn(invocation, text),
  })
}

function warn({ runtime }: Invocation, text: string): void {
  void runtime.terminal.err.write(`drover: warning: ${toMessage(text)}\n`)
}
