/** Runs one prompt in front of a person or a pipe: prints it as asked, ends it at Ctrl-C, and gives the exit code. */
import { realpathSync } from 'node:fs'
import { relative } from 'node:path'
import type { Backend } from '../../agents/adapter/agent.ts'
import type { Config } from '../../config/config.shape.ts'
import type { PromptContext } from '../../prompts/prompt-context.ts'
import type { PromptRequest } from '../../prompts/prompt-request.ts'
import { runPrompt } from '../../prompts/run-prompt.ts'
import type { Invocation } from '../command.ts'
import { exitCodeOfSignal, listenForInterruption } from '../interruption.ts'
import { createDryRunPrinter, namingSession } from './dry-run-printer.ts'
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

type Performance = { request: PromptRequest; context: PromptContext; config: Config; format: Format }

export async function performPrompt(invocation: Invocation, performance: Performance): Promise<number> {
  const { request, context, format } = performance
  const { out } = invocation.runtime.terminal
  const interruption = listenForInterruption()
  const unread = new AbortController()
  const onLine = async (line: string) => {
    if ((await out.write(`${line}\n`)) === 'closed') unread.abort()
  }
  const signal = AbortSignal.any([interruption.signal, unread.signal])
  const events = runPrompt(request, context, { signal, ...(format === 'raw' && { onLine }) })
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

function printerOf(invocation: Invocation, performance: Performance): PromptPrinter {
  const { request, config, format } = performance
  const { terminal } = invocation.runtime
  const isDryRun = request.dry_run === true || config.unified_flags.dry_run
  // A dry run has no lines of the agent to show as they are.
  if (isDryRun && (format === 'text' || format === 'raw')) return createDryRunPrinter(terminal, request.resumes)
  const printer = wetPrinterOf(invocation, performance)
  return isDryRun && request.resumes !== undefined ? namingSession(printer, request.resumes) : printer
}

function wetPrinterOf(invocation: Invocation, { request, config, format }: Performance): PromptPrinter {
  const { terminal } = invocation.runtime
  const isHere = isOfDirectory(request, invocation.runtime.cwd)
  const options = { backend: request.backend as Backend, isHere, ...costOptions(invocation, config) }
  switch (format) {
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

/** Whether the session of this prompt will belong to the directory. */
function isOfDirectory({ workdir: asked, resumes, forks }: PromptRequest, directory: string): boolean {
  const workdir = asked ?? (resumes ?? forks)?.working_dir
  return workdir === undefined || relative(realpathSync(directory), workdir) === ''
}
