/** Runs one prompt in front of a person or a pipe: prints it as asked, ends it at Ctrl-C, and gives the exit code. */
import type { Backend } from '../agents/agent.ts'
import type { Config } from '../config/config.shape.ts'
import type { PromptTask } from '../prompts/prepare-prompt.ts'
import type { PromptContext } from '../prompts/prompt-context.ts'
import { runPrompt } from '../prompts/run-prompt.ts'
import type { Invocation } from './command.ts'
import { exitCodeOfSignal, listenForInterruption } from './interruption.ts'
import { costOptions, type Format } from './prompt-flags.ts'
import {
  createEventPrinter,
  createJsonPrinter,
  createRawPrinter,
  createTextPrinter,
  type PromptPrinter,
} from './prompt-printer.ts'

/** As shells have it for a program whose reader has gone away. */
const EXIT_UNREAD = 141

type Performance = { task: PromptTask; context: PromptContext; config: Config; format: Format }

export async function performPrompt(invocation: Invocation, performance: Performance): Promise<number> {
  const { task, context, format } = performance
  const { out } = invocation.world.terminal
  const interruption = listenForInterruption()
  const unread = new AbortController()
  const onLine = async (line: string) => {
    if ((await out.write(`${line}\n`)) === 'closed') unread.abort()
  }
  const signal = AbortSignal.any([interruption.signal, unread.signal])
  const events = runPrompt(task, context, { signal, ...(format === 'raw' && { onLine }) })
  const printer = printerOf(invocation, performance)
  await printer.begin?.()
  let next = await events.next()
  for (; next.done !== true; next = await events.next()) {
    if ((await printer.event(next.value)) === 'closed') unread.abort()
  }
  if (unread.signal.aborted) return EXIT_UNREAD
  await printer.end(next.value)
  const by = interruption.by()
  return by === undefined ? next.value.exit_code : exitCodeOfSignal(by)
}

/** A dry run has no lines of the agent to show as they are. */
function printerOf(invocation: Invocation, { task, config, format }: Performance): PromptPrinter {
  const { terminal } = invocation.world
  const isDryRun = task.request.dry_run === true || config.unified_flags.dry_run
  const options = { backend: task.request.backend as Backend, ...costOptions(invocation, config) }
  switch (format === 'raw' && isDryRun ? 'text' : format) {
    case 'json':
      return createJsonPrinter(terminal)
    case 'stream-json':
      return createEventPrinter(terminal)
    case 'raw':
      return createRawPrinter(terminal)
    case 'text':
      return createTextPrinter(terminal, options)
  }
}
