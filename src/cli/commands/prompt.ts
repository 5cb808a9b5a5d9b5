import { statSync } from 'node:fs'
import { resolve } from 'node:path'
import type { ApprovalMode, Backend, SandboxMode } from '../../agents/agent.ts'
import { checkPrompt } from '../../agents/check-prompt.ts'
import { formatDryRun } from '../../agents/dry-run.ts'
import { judgeExtra } from '../../agents/extra-flags.ts'
import { locateAgent, programOf } from '../../agents/locate-agents.ts'
import { AGENTS } from '../../agents/registry.ts'
import { type AgentOrder, runAgent } from '../../agents/run-agent.ts'
import type { Config } from '../../config/config.shape.ts'
import { dryRunResult, toPromptResult } from '../../prompts/prompt-result.ts'
import { toAgentRequest } from '../../prompts/to-agent-request.ts'
import type { Invocation, Run } from '../command.ts'
import { workdirMissing } from '../faults.ts'
import { exitCodeOfSignal, listenForInterruption } from '../interruption.ts'
import {
  createEventPrinter,
  createJsonPrinter,
  createRawPrinter,
  createTextPrinter,
  type PromptPrinter,
} from '../prompt-printer.ts'
import { readPrompt } from '../read-prompt.ts'
import { readSettings } from '../settings.ts'

export const run: Run = async (invocation) => {
  const { config, origins } = await readSettings(invocation)
  const backend = (invocation.flags.text('backend') ?? config.default_backend) as Backend
  const prompt = await readPrompt(invocation)
  checkPrompt(prompt, backend)
  const chosen = {
    backend,
    prompt,
    config,
    format: formatOf(invocation, { config, isSet: origins['output.format'].from !== 'default' }),
  }
  const isDryRun = invocation.flags.isOn('dry-run') || config.unified_flags.dry_run
  return isDryRun ? await dryRun(invocation, chosen) : await reallyRun(invocation, chosen)
}

/** As shells have it for a program whose reader has gone away. */
const EXIT_UNREAD = 141

type Format = 'text' | 'json' | 'stream-json' | 'raw'
type Chosen = { backend: Backend; prompt: string; config: Config; format: Format }

/** A person wants the answer; the configured format counts once somebody has set it. */
function formatOf({ flags }: Invocation, { config, isSet }: { config: Config; isSet: boolean }): Format {
  if (flags.isOn('raw')) return 'raw'
  const asked = flags.text('output-format') ?? (isSet ? config.output.format : 'text')
  return asked === 'json' || asked === 'stream-json' ? asked : 'text'
}

function orderOf(invocation: Invocation, chosen: Chosen): Omit<AgentOrder, 'program' | 'signal'> {
  const { flags, world } = invocation
  const { backend, prompt, config, format } = chosen
  const seconds = flags.integer('timeout') ?? config.unified_flags.command_timeout_secs
  const agent = AGENTS[backend]
  judgeExtra(flags.texts('extra'), { agent, isUnsafeAllowed: config.server.allow_unsafe_extra })
  return {
    agent,
    request: toAgentRequest(
      {
        prompt,
        workdir: findWorkdir(world.cwd, flags.text('workdir')),
        model: flags.text('model'),
        approvalMode: flags.text('approval') as ApprovalMode | undefined,
        sandboxMode: flags.text('sandbox') as SandboxMode | undefined,
        maxTurns: flags.integer('max-turns'),
        systemPrompt: flags.text('system'),
        isVerbose: flags.isOn('verbose') || undefined,
        isEphemeral: flags.isOn('ephemeral'),
        wantsDeltas: format === 'stream-json' || (format === 'text' && world.terminal.out.isTty),
        extra: flags.texts('extra'),
      },
      config.backends[backend],
      config.unified_flags,
    ),
    env: world.env,
    isRoot: world.isRoot,
    timeoutMs: seconds === 0 ? null : seconds * 1000,
  }
}

function findWorkdir(cwd: string, given: string | undefined): string {
  const workdir = resolve(cwd, given ?? '.')
  if (statSync(workdir, { throwIfNoEntry: false })?.isDirectory() !== true) throw workdirMissing({ workdir })
  return workdir
}

function locate({ flags, world }: Invocation, { config, backend }: Chosen) {
  const demo = flags.isOn('demo') ? world.demoAgent : undefined
  return locateAgent(backend, { ...world, backends: config.backends, demo })
}

/** Needs no agent, but says what a real run would say of one that is disabled. */
async function dryRun(invocation: Invocation, chosen: Chosen): Promise<number> {
  const { agent, request, env, isRoot } = orderOf(invocation, chosen)
  const located = locate(invocation, chosen)
  const program = located.isEnabled ? (located.program ?? [located.wanted]) : programOf(located)
  const { argv, stdin, warnings } = agent.toCommand(request, { env, isRoot, executable: program[0] })
  const line = formatDryRun({ argv: [program[0], ...program.slice(1), ...argv.slice(1)], stdin })
  const result = dryRunResult(chosen.backend, line, warnings)
  const printer = printerOf(invocation, chosen.format === 'raw' ? { ...chosen, format: 'text' } : chosen)
  await printer.event({ type: 'message', content: { text: result.output, role: 'assistant' } })
  await printer.event({ type: 'done', content: { exit_code: 0, duration_ms: 0, token_usage: result.token_usage } })
  await printer.end(result)
  return 0
}

async function reallyRun(invocation: Invocation, chosen: Chosen): Promise<number> {
  const { out } = invocation.world.terminal
  const interruption = listenForInterruption()
  const unread = new AbortController()
  const printLine = async (line: string) => {
    if ((await out.write(`${line}\n`)) === 'closed') unread.abort()
  }
  const order: AgentOrder = {
    ...orderOf(invocation, chosen),
    program: programOf(locate(invocation, chosen)),
    signal: AbortSignal.any([interruption.signal, unread.signal]),
    ...(chosen.format === 'raw' && { onLine: printLine }),
  }
  const printer = printerOf(invocation, chosen)
  await printer.begin?.()
  const events = runAgent(order)
  let next = await events.next()
  while (next.done !== true) {
    if ((await printer.event(next.value)) === 'closed') unread.abort()
    next = await events.next()
  }
  if (unread.signal.aborted) return EXIT_UNREAD
  await printer.end(toPromptResult(chosen.backend, next.value))
  const signal = interruption.by()
  return signal === undefined ? next.value.exitCode : exitCodeOfSignal(signal)
}

function printerOf(
  { flags, world: { terminal, clock } }: Invocation,
  { backend, config, format }: Chosen,
): PromptPrinter {
  const { show_tokens: showTokens, show_timing: showTiming } = config.output
  const options = { backend, clock, showTokens: showTokens || flags.isOn('usage'), showTiming }
  switch (format) {
    case 'json':
      return createJsonPrinter(terminal)
    case 'stream-json':
      return createEventPrinter(terminal, options)
    case 'raw':
      return createRawPrinter(terminal)
    case 'text':
      return createTextPrinter(terminal, options)
  }
}
