/** Turns the tasks of a file into prompt requests: flags and settings fill in what a task leaves out. */
import { resolve } from 'node:path'
import type { Config } from '../../config/config.shape.ts'
import { Fault } from '../../kit/fault.ts'
import { preparePrompt } from '../../prompts/prepare-prompt.ts'
import type { PromptContext } from '../../prompts/prompt-context.ts'
import type { PromptBody } from '../../prompts/prompt-request.shape.ts'
import { toStatelessRequest } from '../../prompts/run-batch.ts'
import type { Invocation } from '../command.ts'
import { requestFromFlags } from '../prompt/prompt-flags.ts'
import type { CheckedFile } from './task-file.ts'

/** Returns a function that fills in a task. Its directory is relative to the working directory. */
export function createTaskFiller(invocation: Invocation, config: Config) {
  const { dry_run: _, ...asked } = requestFromFlags(invocation)
  const backend = invocation.flags.text('backend') ?? config.default_backend
  return <Task extends { backend?: string; workdir?: string }>(task: Task): Task & { backend: string } => ({
    ...asked,
    ...task,
    backend: task.backend ?? backend,
    ...(task.workdir !== undefined && { workdir: resolve(invocation.runtime.cwd, task.workdir) }),
  })
}

type Check = {
  /** The location of the list in the file. */
  list: '$.tasks' | '$.steps'
  isDryRun: boolean
  /** A fault with this code fails the task when it runs; the other tasks still run. */
  tolerates?: string
  refuse: CheckedFile<unknown>['refuse']
}

/** Reports all problems of all tasks before the first task starts and costs money. */
export function checkRunnable(requests: readonly PromptBody[], context: PromptContext, check: Check): void {
  const { list, isDryRun, tolerates, refuse } = check
  const wrong = requests.flatMap((request, at) => {
    try {
      preparePrompt(toStatelessRequest(request, isDryRun), context)
      return []
    } catch (error) {
      if (!(error instanceof Fault)) throw error
      return error.code === tolerates ? [] : [{ path: `${list}[${at}]`, rule: `cannot be run: ${error.message}` }]
    }
  })
  if (wrong.length > 0) throw refuse(wrong)
}
