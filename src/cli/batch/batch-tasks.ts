/** From the tasks of a file to what is asked of agents: flags and settings say what a task leaves open. */
import { resolve } from 'node:path'
import type { Config } from '../../config/config.shape.ts'
import { Fault } from '../../kit/fault.ts'
import type { PromptContext } from '../../prompts/prompt-context.ts'
import type { PromptRequest } from '../../prompts/prompt-request.shape.ts'
import { toStatelessRequest } from '../../prompts/run-batch.ts'
import { preparePrompt } from '../../prompts/run-prompt.ts'
import type { Invocation } from '../command.ts'
import { requestOf } from '../prompt/prompt-flags.ts'
import type { Checked } from './task-file.ts'

type Open = { backend?: string; workdir?: string }

/** Fills in a task. Its directory is seen from where drover was started. */
export function createCompletion(invocation: Invocation, config: Config) {
  const { dry_run: _, ...asked } = requestOf(invocation)
  const backend = invocation.flags.text('backend') ?? config.default_backend
  return <Task extends Open>(task: Task): Task & { backend: string } => ({
    ...asked,
    ...task,
    backend: task.backend ?? backend,
    ...(task.workdir !== undefined && { workdir: resolve(invocation.runtime.cwd, task.workdir) }),
  })
}

type Check = {
  /** Where the file has them. */
  list: '$.tasks' | '$.steps'
  isDryRun: boolean
  /** A fault with this code is left to the run: it fails the task, and the others go on. */
  tolerates?: string
  refuse: Checked<unknown>['refuse']
}

/** Finds everything that is wrong with the tasks before the first of them costs anything. */
export function checkRunnable(
  requests: readonly PromptRequest[],
  context: PromptContext,
  { list, isDryRun, tolerates, refuse }: Check,
): void {
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
